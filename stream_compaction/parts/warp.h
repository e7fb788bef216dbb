// Reductions and scans over all lanes of a warp, on every GPU. Before compute capability 8.0 a
// reduction is a butterfly of shuffles.
#pragma once

#include "simt/kernel.h"

#include <concepts>

namespace stream_compaction::inline SIMT_BACKEND {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kAllLanes = ~0u;

/// Combines the values of all lanes, in every lane. The operation must be commutative.
template <class T, class Combine>
__device__ T combine_lanes(T value, Combine combine) {
#pragma unroll
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2)
        value = combine(value, __shfl_xor_sync(kAllLanes, value, distance));
    return value;
}

#if defined(SIMT_EMULATED) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define STREAM_COMPACTION_HAS_REDUCE
#endif

// The GPU reduces 64-bit values in parts: 32 lanes' sums of 27-bit parts fit in a word, and for an
// extreme the lower half matters only in lanes whose upper half is the extreme.
template <std::unsigned_integral T>
__device__ T sum_of_lanes(T value) {
#if defined(STREAM_COMPACTION_HAS_REDUCE)
    if (simt::compute_capability() >= 80) {
        if constexpr (sizeof(T) == 4) {
            return __reduce_add_sync(kAllLanes, value);
        } else if constexpr (sizeof(T) == 8) {
            constexpr unsigned kBits = 27, kMask = (1u << kBits) - 1;
            T sum = 0;
#pragma unroll
            for (unsigned shift = 0; shift < 64; shift += kBits)
                sum +=
                    T{__reduce_add_sync(kAllLanes, static_cast<unsigned>(value >> shift) & kMask)}
                    << shift;
            return sum;
        }
    }
#endif
    return combine_lanes(value, [](T a, T b) { return a + b; });
}

template <std::unsigned_integral T>
__device__ T max_of_lanes(T value) {
#if defined(STREAM_COMPACTION_HAS_REDUCE)
    if (simt::compute_capability() >= 80) {
        if constexpr (sizeof(T) == 4) {
            return __reduce_max_sync(kAllLanes, value);
        } else if constexpr (sizeof(T) == 8) {
            const auto upper = static_cast<unsigned>(value >> 32);
            const unsigned most = __reduce_max_sync(kAllLanes, upper);
            const unsigned lower = upper == most ? static_cast<unsigned>(value) : 0;
            return T{most} << 32 | __reduce_max_sync(kAllLanes, lower);
        }
    }
#endif
    return combine_lanes(value, [](T a, T b) { return max(a, b); });
}

template <std::unsigned_integral T>
__device__ T min_of_lanes(T value) {
#if defined(STREAM_COMPACTION_HAS_REDUCE)
    if constexpr (sizeof(T) == 4)
        if (simt::compute_capability() >= 80) return __reduce_min_sync(kAllLanes, value);
#endif
    return static_cast<T>(~max_of_lanes(static_cast<T>(~value)));
}

#undef STREAM_COMPACTION_HAS_REDUCE

/// Inclusive scans of several values at a time. They are independent of each other, so their
/// latencies overlap.
template <class T, int kValues, class Combine>
__device__ void scan_lanes(T (&values)[kValues], Combine combine) {
    const unsigned lane = threadIdx.x % kLanes;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2)
#pragma unroll
        for (T& value : values) {
            const T left = __shfl_up_sync(kAllLanes, value, distance);
            if (lane >= distance) value = combine(left, value);
        }
}

/// The sum of the values of the lanes up to this lane.
template <std::unsigned_integral T>
__device__ T sum_up_to_lane(T value) {
    T values[] = {value};
    scan_lanes(values, [](T a, T b) { return a + b; });
    return values[0];
}

}  // namespace stream_compaction::inline SIMT_BACKEND
