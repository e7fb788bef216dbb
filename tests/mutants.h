/// For scripts/mutate: code that can be broken in any one of many places, compiled once.
/// The script writes `a < Comparison<...>{7} > b` for `a < b`, which needs no more than what stands
/// there: all comparisons have the same precedence, and go from left to right.
#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace mutants {

/// The place that is broken in this run, by its number in the environment; without it, none.
inline const int broken = [] {
    const char* const number = std::getenv("MUTANT");
    return number != nullptr ? std::atoi(number) : -1;
}();

/// Has the numbers `number` and number + 1: the first way to be wrong, and the second.
template <class Right, class Wrong, class Opposite>
struct Comparison {
    int number;
};

template <class T, class Place>
struct Left {
    T value;
    Place place;
};

template <class T, class... Ways>
constexpr Left<const T&, Comparison<Ways...>> operator<(const T& value, Comparison<Ways...> place) {
    return {value, place};
}

template <class T, class U, class Right, class Wrong, class Opposite>
constexpr bool operator>(Left<T, Comparison<Right, Wrong, Opposite>> left, U right) {
    if (!std::is_constant_evaluated()) {
        if (broken == left.place.number) return Wrong{}(left.value, right);
        if (broken == left.place.number + 1) return Opposite{}(left.value, right);
    }
    return Right{}(left.value, right);
}

constexpr bool is(int number) {
    if (std::is_constant_evaluated()) return false;
    return broken == number;
}

/// The script writes `a == Equality{7, true} == b` for `a == b`, with false for `a != b`.
struct Equality {
    int number;
    bool wanted;
};

template <class T>
constexpr Left<const T&, Equality> operator==(const T& value, Equality place) {
    return {value, place};
}

template <class T, class U>
constexpr bool operator==(Left<T, Equality> left, const U& right) {
    return (left.value == right) == (left.place.wanted != is(left.place.number));
}
template <class T, class U>  // or it is std::optional's
constexpr bool operator==(Left<T, Equality> left, const std::optional<U>& right) {
    return (left.value == right) == (left.place.wanted != is(left.place.number));
}

/// And `a + Arithmetic<std::plus<>, std::minus<>>{7} + b` for `a + b`. Where the wrong operator
/// does not exist, the right operand is left out, or nothing comes out.
template <class Right, class Wrong>
struct Arithmetic {
    int number;
};

template <class T, class Right, class Wrong, class U>
constexpr auto calculate(const Left<T, Arithmetic<Right, Wrong>>& left, U&& right) {
    using Result = std::decay_t<std::invoke_result_t<Right, T, U>>;
    if (is(left.place.number)) {
        if constexpr (std::is_invocable_r_v<Result, Wrong, T, U>)
            return static_cast<Result>(
                Wrong{}(std::forward<T>(left.value), std::forward<U>(right)));
        else if constexpr (std::is_constructible_v<Result, T>)
            return Result(std::forward<T>(left.value));
        else
            return Result{};
    }
    return static_cast<Result>(Right{}(std::forward<T>(left.value), std::forward<U>(right)));
}

#define MUTANTS_ARITHMETIC(sign)                                                                   \
    template <class T, class... Ways>                                                              \
    constexpr Left<T&&, Arithmetic<Ways...>> operator sign(T&& value, Arithmetic<Ways...> place) { \
        return {std::forward<T>(value), place};                                                    \
    }                                                                                              \
    template <class T, class... Ways, class U>                                                     \
    constexpr auto operator sign(const Left<T, Arithmetic<Ways...>>& left, U&& right) {            \
        return calculate(left, std::forward<U>(right));                                            \
    }
MUTANTS_ARITHMETIC(+)
MUTANTS_ARITHMETIC(-)
MUTANTS_ARITHMETIC(*)
MUTANTS_ARITHMETIC(/)
MUTANTS_ARITHMETIC(%)
#undef MUTANTS_ARITHMETIC

/// A number that is twice as large.
template <class T>
constexpr T number(int place, T value) {
    return is(place) ? static_cast<T>(2 * value) : value;
}

/// One that the compiler may not compute.
template <class T>
T constant(int place, T value) {
    return number(place, value);
}

}  // namespace mutants
