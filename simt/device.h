// The device that kernels run on: the current GPU, or the CPU that emulates one.
#pragma once

#include "simt/backend.h"

#include <cstddef>
#include <optional>
#include <string>

namespace simt {

/// What a kernel's host code chooses its tiles and grids from. Sizes in bytes.
struct DeviceProperties {
    std::string name;            ///< "NVIDIA H200", or the emulating CPU's name
    int compute_capability = 0;  ///< 10 * major + minor; 90 on Hopper
    int multiprocessors = 0;
    std::size_t shared_bytes_per_block = 0;  ///< the most that a launch may ask for
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t reserved_shared_bytes = 0;  ///< the system's own, of each block
    std::size_t l2_bytes = 0;
    int driver_version = 0;   ///< 1000 * major + 10 * minor; 0 if emulated
    int runtime_version = 0;  ///< the same
};

/// Whether a multiprocessor has room for so many blocks at once, each with this much dynamic shared
/// memory, and with what its kernel declares: 2304 bytes at most.
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

/// Why nothing can run here, in words ("no CUDA driver is installed"); nothing where it can.
/// Never throws.
std::optional<std::string> unavailable_reason() noexcept;

/// How many devices there are. The emulated one serves any number of threads that take it for
/// theirs.
/// @throws Error where the backend is unavailable
unsigned device_count();

/// Makes a device the calling thread's current one: 0 until then. Emulated, each number means the
/// same device.
/// @throws Error where there is none of that number
void use_device(unsigned device);

/// @throws Error where the backend is unavailable
DeviceProperties device_properties();

/// Within limit_memory() of simt/memory.h.
/// @throws Error where the backend is unavailable
MemoryInfo memory_info();

}  // namespace SIMT_BACKEND
}  // namespace simt
