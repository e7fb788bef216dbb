// Reductions with any operator over the lanes of a whole warp.
#pragma once

#include "stream_compaction/parts/warp.h"
#include "stream_compaction/single_pass/operators.h"

#include <concepts>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// All lanes' values from left to right, in every lane. The order of operations is always the same.
template <class Operator, class T>
__device__ T reduce_lanes(T value) {
    if constexpr (std::same_as<Operator, Plus> &&
                  (std::same_as<T, int> || std::same_as<T, unsigned>)) {
        return static_cast<T>(sum_of_lanes(static_cast<unsigned>(value)));
    } else {
        for (unsigned distance = 1; distance < kLanes; distance *= 2)
            value = Operator()(value, __shfl_down_sync(kAllLanes, value, distance));
        return __shfl_sync(kAllLanes, value, 0);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
