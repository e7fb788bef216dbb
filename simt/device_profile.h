// GPUs whose limits a device can adopt: the emulated device completely, a real one as far as host
// code chooses by them. Backend-neutral: sources of either backend may include it.
#pragma once

#include "simt/error.h"

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace simt {

/// The properties of a GPU that host code sees, and the limits of a launch on it. Sizes in bytes.
/// Sources: NVIDIA's CUDA programming guide, "Technical specifications per compute capability", and
/// the data sheets of the cards.
struct DeviceProfile {
    std::string_view name, gpu;
    int compute_capability;  ///< 10 * major + minor
    int multiprocessors;
    std::size_t shared_bytes_per_block, shared_bytes_per_multiprocessor;
    std::size_t reserved_shared_bytes;  ///< of each block, used by the system
    int threads_per_multiprocessor, blocks_per_multiprocessor;
    std::size_t l2_bytes;
};

namespace detail {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;

inline constexpr DeviceProfile kDeviceProfiles[] = {
    {"t4", "Tesla T4", 75, 40, 64 * kKiB, 64 * kKiB, 0, 1024, 16, 4 * kMiB},
    {"a100", "NVIDIA A100", 80, 108, 163 * kKiB, 164 * kKiB, kKiB, 2048, 32, 40 * kMiB},
    {"rtx3060", "NVIDIA GeForce RTX 3060", 86, 28, 99 * kKiB, 100 * kKiB, kKiB, 1536, 16, 3 * kMiB},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 89, 128, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24,
     72 * kMiB},
    {"h200", "NVIDIA H200", 90, 132, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32, 60 * kMiB},
    {"b200", "NVIDIA B200", 100, 148, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32, 126 * kMiB},
    {"rtx5090", "NVIDIA GeForce RTX 5090", 120, 170, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24,
     96 * kMiB},
};

}  // namespace detail

inline std::span<const DeviceProfile> device_profiles() { return detail::kDeviceProfiles; }

/// nullptr if no profile has that name.
constexpr const DeviceProfile* find_device_profile(std::string_view name) {
    for (const DeviceProfile& profile : detail::kDeviceProfiles)
        if (profile.name == name) return &profile;
    return nullptr;
}

/// "t4, a100, ..."
inline std::string device_profile_names() {
    std::string names;
    for (const DeviceProfile& profile : device_profiles())
        names.append(names.empty() ? "" : ", ").append(profile.name);
    return names;
}

/// The profile that SIMT_SHAPE names in the environment; nullptr if it is not set.
/// @throws Error if no profile has that name
inline const DeviceProfile* device_profile_of_environment() {
    const char* const name = std::getenv("SIMT_SHAPE");
    if (name == nullptr) return nullptr;
    if (const DeviceProfile* const profile = find_device_profile(name)) return profile;
    throw Error(std::string("SIMT_SHAPE: given '") + name + "', expected " +
                device_profile_names());
}

}  // namespace simt
