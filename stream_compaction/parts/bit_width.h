// The number of bits of a number, on the host and on the device.
#pragma once

#include "simt/kernel.h"

#include <bit>
#include <concepts>

namespace stream_compaction::inline SIMT_BACKEND {

/// Like std::bit_width, which returns 0 on the device for 64-bit numbers: nvcc 13 does not know the
/// builtin that libstdc++ uses for unsigned long.
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
