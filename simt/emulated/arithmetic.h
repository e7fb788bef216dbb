// CUDA's arithmetic in plain C++. Part of kernel.h.
#pragma once

#include "simt/backend.h"

#include <bit>
#include <type_traits>

namespace simt::inline SIMT_BACKEND {

constexpr int __popc(unsigned word) { return std::popcount(word); }
constexpr int __clz(int word) { return std::countl_zero(static_cast<unsigned>(word)); }
constexpr int __clzll(long long word) {
    return std::countl_zero(static_cast<unsigned long long>(word));
}
constexpr int __ffs(int word) {
    return word == 0 ? 0 : 1 + std::countr_zero(static_cast<unsigned>(word));
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}

namespace detail {

/// Pairs of types for which CUDA has min and max: equal types, and integers of one size.
template <class T, class U>
concept Comparable = std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && sizeof(T) == sizeof(U) &&
                     std::is_integral_v<T> == std::is_integral_v<U>;

}  // namespace detail

template <class T, class U>
requires detail::Comparable<T, U>
constexpr std::common_type_t<T, U> min(T a, U b) {
    using Common = std::common_type_t<T, U>;
    return static_cast<Common>(b) < static_cast<Common>(a) ? static_cast<Common>(b)
                                                           : static_cast<Common>(a);
}
template <class T, class U>
requires detail::Comparable<T, U>
constexpr std::common_type_t<T, U> max(T a, U b) {
    using Common = std::common_type_t<T, U>;
    return static_cast<Common>(a) < static_cast<Common>(b) ? static_cast<Common>(b)
                                                           : static_cast<Common>(a);
}

}  // namespace simt::inline SIMT_BACKEND
