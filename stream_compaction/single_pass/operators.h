// Operators and predicates of the single-pass kernels.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/single_pass.h"

#include <limits>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// Whether an operator declares that it is commutative. With other operators, elements are combined
/// in the order of the input.
template <class Operator>
inline constexpr bool kIsCommutative = requires {
    requires Operator::kCommutes;
};

struct Plus {
    static constexpr bool kCommutes = true;

    template <class T>
    static constexpr T kIdentity = T{};

    template <class T>
    __device__ T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            using Unsigned = std::make_unsigned_t<T>;  // signed overflow is undefined
            return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
        } else {
            return a + b;
        }
    }
};

/// A NaN loses against every number. Otherwise Max and Min would not be associative.
template <class T>
__device__ bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value != value;
    else
        return false;
}

struct Max {
    static constexpr bool kCommutes = true;

    template <class T>
    static constexpr T kIdentity = std::numeric_limits<T>::has_infinity
                                       ? -std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::lowest();

    template <class T>
    __device__ T operator()(T a, T b) const {
        return a < b || is_nan(a) ? b : a;
    }
};

struct Min {
    static constexpr bool kCommutes = true;

    template <class T>
    static constexpr T kIdentity = std::numeric_limits<T>::has_infinity
                                       ? std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::max();

    template <class T>
    __device__ T operator()(T a, T b) const {
        return b < a || is_nan(a) ? b : a;
    }
};

struct NonZero {
    __device__ bool operator()(int value) const { return value != 0; }
};

struct IsNotZero {
    template <class T>
    __device__ bool operator()(const T& element) const {
        if constexpr (std::is_arithmetic_v<T>)
            return element != T{};
        else
            return element.word[0] != 0;
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
