// Reductions with any operator over all lanes of a warp.
#pragma once

#include "stream_compaction/parts/warp.h"
#include "stream_compaction/single_pass/operators.h"

#include <concepts>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// An integer's bits as a number with the same order: negative integers come first.
template <std::integral T>
__device__ std::make_unsigned_t<T> flip_sign(T value) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned kSign = std::is_signed_v<T> ? Unsigned{1} << (8 * sizeof(T) - 1) : 0;
    return static_cast<Unsigned>(value) ^ kSign;
}

/// Combines the values of the lane and of the lane whose index differs in one bit, from left to
/// right.
template <class Operator, class T>
__device__ T combine_with(T value, T partners, unsigned bit) {
    const bool is_left = (threadIdx.x & bit) == 0;
    return is_left ? Operator()(value, partners) : Operator()(partners, value);
}

/// Combines the values of all lanes from left to right, in every lane. The order of operations is
/// fixed, except for integers, for which it does not matter.
template <class Operator, class T>
__device__ T reduce_lanes(T value) {
    if constexpr (std::integral<T> && std::same_as<Operator, Plus>) {
        return static_cast<T>(sum_of_lanes(static_cast<std::make_unsigned_t<T>>(value)));
    } else if constexpr (std::integral<T> && std::same_as<Operator, Max>) {
        return static_cast<T>(flip_sign(static_cast<T>(max_of_lanes(flip_sign(value)))));
    } else if constexpr (std::integral<T> && std::same_as<Operator, Min>) {
        return static_cast<T>(flip_sign(static_cast<T>(min_of_lanes(flip_sign(value)))));
    } else {
#pragma unroll
        for (unsigned bit = 1; bit < kLanes; bit *= 2)
            value = combine_with<Operator>(value, __shfl_xor_sync(kAllLanes, value, bit), bit);
        return value;
    }
}

/// Reduces several values at once: the result of value v is in the lanes whose index is v modulo
/// kValues, a power of two. The order is that of reduce_lanes. In each step, a lane gives its
/// partner half of its values and keeps the other half, until it has one value: eight values need 9
/// shuffles instead of 40.
template <class Operator, class T, unsigned kValues>
__device__ T reduce_lanes_each(T (&values)[kValues]) {
    static_assert((kValues & (kValues - 1)) == 0 && kValues <= kLanes);
    unsigned bit = 1;
#pragma unroll
    for (unsigned kept = kValues / 2; kept > 0; kept /= 2, bit *= 2) {
        const bool keeps_odd = (threadIdx.x & bit) != 0;
#pragma unroll
        for (unsigned v = 0; v < kept; ++v) {
            const T even = values[2 * v], odd = values[2 * v + 1];
            const T partners = __shfl_xor_sync(kAllLanes, keeps_odd ? even : odd, bit);
            values[v] = combine_with<Operator>(keeps_odd ? odd : even, partners, bit);
        }
    }
    T value = values[0];
#pragma unroll
    for (unsigned left = kValues; left < kLanes; left *= 2)
        value = combine_with<Operator>(value, __shfl_xor_sync(kAllLanes, value, left), left);
    return value;
}

/// Whether the GPU has an instruction for this reduction.
template <class Operator, class T>
inline constexpr bool kReducesInOneStep = std::integral<T> && sizeof(T) == sizeof(unsigned);

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
