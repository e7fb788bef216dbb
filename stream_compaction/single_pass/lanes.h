// Reductions with any operator over the lanes of a whole warp.
#pragma once

#include "stream_compaction/parts/warp.h"
#include "stream_compaction/single_pass/operators.h"

#include <concepts>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// An integer's bits as a number with the same order: negative ones come first.
template <std::integral T>
__device__ std::make_unsigned_t<T> flip_sign(T value) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned kSign = std::is_signed_v<T> ? Unsigned{1} << (8 * sizeof(T) - 1) : 0;
    return static_cast<Unsigned>(value) ^ kSign;
}

/// All lanes' values from left to right, in every lane. The order of operations is always the same,
/// but for integers, where it does not matter.
template <class Operator, class T>
__device__ T reduce_lanes(T value) {
    if constexpr (std::integral<T> && std::same_as<Operator, Plus>) {
        return static_cast<T>(sum_of_lanes(static_cast<std::make_unsigned_t<T>>(value)));
    } else if constexpr (std::integral<T> && std::same_as<Operator, Max>) {
        return static_cast<T>(flip_sign(static_cast<T>(max_of_lanes(flip_sign(value)))));
    } else if constexpr (std::integral<T> && std::same_as<Operator, Min>) {
        return static_cast<T>(flip_sign(static_cast<T>(min_of_lanes(flip_sign(value)))));
    } else {
        for (unsigned distance = 1; distance < kLanes; distance *= 2)
            value = Operator()(value, __shfl_down_sync(kAllLanes, value, distance));
        return __shfl_sync(kAllLanes, value, 0);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
