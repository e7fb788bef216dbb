/// For scripts/mutate: kernels that can be broken in any one of many places, compiled once.
/// The script writes `a < Comparison<...>{7} > b` for `a < b`, which needs no more than what stands
/// there: all comparisons have the same precedence, and go from left to right.
#pragma once

#include <cstdlib>
#include <functional>
#include <type_traits>

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
constexpr Left<T, Comparison<Ways...>> operator<(T value, Comparison<Ways...> place) {
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

}  // namespace mutants
