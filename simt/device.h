// The device that kernels run on: the current GPU, or the CPU that emulates one.
#pragma once

#include "simt/backend.h"

#include <cstddef>
#include <optional>
#include <string>

namespace simt {

/// The properties by which host code chooses tiles and grids. Sizes in bytes.
struct DeviceProperties {
    std::string name;            ///< "NVIDIA H200", or the emulating CPU's name
    int compute_capability = 0;  ///< 10 * major + minor; 90 on Hopper
    int multiprocessors = 0;
    std::size_t shared_bytes_per_block = 0;  ///< largest size that a launch may request
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t reserved_shared_bytes = 0;  ///< of each block, used by the system
    std::size_t l2_bytes = 0;
    int driver_version = 0;   ///< 1000 * major + 10 * minor; 0 if emulated
    int runtime_version = 0;  ///< likewise
};

/// Whether a multiprocessor has room for this many blocks at once, each with this much dynamic
/// shared memory and with at most 2304 bytes that its kernel declares.
inline bool has_shared_memory_for(const DeviceProperties& device, std::size_t blocks,
                                  std::size_t dynamic_bytes) {
    constexpr std::size_t kStaticBytes = 2304;
    const std::size_t of_block = dynamic_bytes + kStaticBytes;
    return of_block <= device.shared_bytes_per_block &&
           blocks * (of_block + device.reserved_shared_bytes) <=
               device.shared_bytes_per_multiprocessor;
}

/// Bytes of device memory.
struct MemoryInfo {
    std::size_t free = 0;
    std::size_t total = 0;
};

inline namespace SIMT_BACKEND {

/// Returns why nothing can run here ("no CUDA driver is installed"), or nothing if kernels can run.
/// Never throws.
std::optional<std::string> unavailable_reason() noexcept;

/// The number of devices. The emulated device can be the current device of any number of threads.
/// @throws Error if the backend is unavailable
unsigned device_count();

/// Makes a device the calling thread's current one; before the first call it is device 0. On the
/// emulated backend every number means the same device.
/// @throws Error if no device has this number
void use_device(unsigned device);

/// @throws Error
unsigned current_device();

/// Lets kernels of the current device access the memory of another device, or of the same one.
/// Returns false if the hardware cannot.
/// @throws Error
bool enable_access_to(unsigned device);

/// @throws Error if the backend is unavailable
DeviceProperties device_properties();

/// Respects limit_memory() of simt/memory.h.
/// @throws Error if the backend is unavailable
MemoryInfo memory_info();

}  // namespace SIMT_BACKEND
}  // namespace simt
