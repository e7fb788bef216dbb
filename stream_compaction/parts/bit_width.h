// How many bits a number takes, on the host and on the device.
#pragma once

#include "simt/kernel.h"

#include <bit>
#include <concepts>

namespace stream_compaction::inline SIMT_BACKEND {

/// As std::bit_width, which is 0 on the device for 64 bits: nvcc 13 does not know the builtin that
/// libstdc++ takes for an unsigned long.
template <std::unsigned_integral T>
__host__ __device__ constexpr unsigned bit_width(T x) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 8)
        return 64 - __clzll(static_cast<long long>(x));
    else
        return 32 - __clz(static_cast<int>(x));
#else
    return static_cast<unsigned>(std::bit_width(x));
#endif
}

}  // namespace stream_compaction::inline SIMT_BACKEND
