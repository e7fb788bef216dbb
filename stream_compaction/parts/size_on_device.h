// The number of elements of a launch, if only the device knows it.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/device_size.h"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// Instead of a DeviceSize: the host knows the size.
struct HostSize {};

/// The largest number of keys that a sort can have if only the device knows the number.
/// @throws std::invalid_argument beyond 2^31, std::logic_error if the plan was moved from
inline std::size_t most_keys(const Capacity& capacity) {
    constexpr std::size_t kMost = std::size_t{1} << 31;
    require_capacity(capacity, 0);
    if (capacity > kMost)
        throw std::invalid_argument(
            "a number of keys on the device needs a plan for at most 2147483648, not " +
            std::to_string(capacity));
    return capacity;
}

/// Returns the number in device memory, but at most `capacity`. If it exceeds `capacity`, the first
/// thread of the launch reports that.
__device__ inline std::size_t read_size(const DeviceSize& size, std::size_t capacity) {
    const std::size_t n = *size.n;
    if (n <= capacity) return n;
    if (blockIdx.x == 0 && threadIdx.x == 0 && size.is_too_large != nullptr) *size.is_too_large = 1;
    return capacity;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
