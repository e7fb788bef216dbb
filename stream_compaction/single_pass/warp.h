// Reductions and scans over the lanes of a whole warp.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/single_pass/operators.h"

#include <concepts>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kAllLanes = ~0u;

#if defined(SIMT_EMULATED) || __CUDA_ARCH__ >= 800
inline constexpr bool kHasReduce = true;
#else
inline constexpr bool kHasReduce = false;
#endif

/// All lanes' values from left to right, in every lane. The order of operations is always the same.
template <class Operator, class T>
__device__ T reduce_lanes(T value) {
    if constexpr (kHasReduce && std::same_as<Operator, Plus> &&
                  (std::same_as<T, int> || std::same_as<T, unsigned>)) {
        return static_cast<T>(__reduce_add_sync(kAllLanes, static_cast<unsigned>(value)));
    } else {
        for (unsigned distance = 1; distance < kLanes; distance *= 2)
            value = Operator()(value, __shfl_down_sync(kAllLanes, value, distance));
        return __shfl_sync(kAllLanes, value, 0);
    }
}

/// Inclusive scans over the lanes, of several values at a time: independent of each other, they
/// hide each other's latency.
template <class Operator, class T, int kValues>
__device__ void scan_lanes(T (&values)[kValues]) {
    const unsigned lane = threadIdx.x % kLanes;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2)
#pragma unroll
        for (T& value : values) {
            const T left = __shfl_up_sync(kAllLanes, value, distance);
            if (lane >= distance) value = Operator()(left, value);
        }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
