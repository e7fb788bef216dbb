// Random values, and the results of a plain loop.
#pragma once

#include "stream_compaction/single_pass.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// Any bits; for floating point small whole numbers, whose sums are exact in any order.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1) {
    std::mt19937_64 random(seed + n);
    std::vector<T> values(n);
    for (T& value : values)
        if constexpr (std::is_floating_point_v<T>)
            value = static_cast<T>(static_cast<int>(random() % 17) - 8);
        else
            value = static_cast<T>(random());
    return values;
}

namespace {  // CTest uses the names of these types in the names of the tests

struct HostPlus {
    template <class T>
    static T identity() {
        return 0;
    }
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else
            return a + b;
    }
};
struct HostMax {
    template <class T>
    static T identity() {
        using Extremes = std::numeric_limits<T>;
        return Extremes::has_infinity ? -Extremes::infinity() : Extremes::min();
    }
    template <class T>
    static T apply(T a, T b) {
        return a < b || a != a ? b : a;  // NaN is ignored
    }
};
struct HostMin {
    template <class T>
    static T identity() {
        using Extremes = std::numeric_limits<T>;
        return Extremes::has_infinity ? Extremes::infinity() : Extremes::max();
    }
    template <class T>
    static T apply(T a, T b) {
        return b < a || a != a ? b : a;  // NaN is ignored
    }
};

}  // namespace

template <class T, class Operator>
std::vector<T> scanned(const std::vector<T>& in, ScanKind kind) {
    std::vector<T> out(in.size());
    T sum = Operator::template identity<T>();
    for (std::size_t i = 0; i < in.size(); ++i) {
        const T up_to = Operator::template apply<T>(sum, in[i]);
        out[i] = kind == ScanKind::inclusive ? up_to : sum;
        sum = up_to;
    }
    return out;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
