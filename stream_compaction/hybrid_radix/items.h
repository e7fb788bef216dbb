// The arrays of a sort: keys alone, or pairs of a key and a value. During the sort, a pair is one
// 64-bit number with the key in its upper half, so code that sorts 64-bit keys also sorts pairs.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/parts/key_map.h"

#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Keys alone. The first partition writes the spare array, the second one the output, in which the
/// buckets are then sorted.
template <class Bits>
struct KeyArrays {
    using In = const Bits*;
    using Out = Bits*;
    using From = const Bits*;                 ///< what a partition reads
    static constexpr unsigned kTiedBits = 0;  ///< low bits of a number whose order does not matter
    In in;
    Out out;
    Bits* spare;

    __device__ Bits* second() const { return out; }
    static KeyMap<Bits> map_of(KeyOrder order) { return KeyMap<Bits>(order); }
};

/// The compared bits of the i-th key.
template <class Bits>
__device__ Bits compared_at(const Bits* in, unsigned i) {
    return in[i];
}

/// Calls f with the array that a partition reads.
template <class Bits, class F>
__device__ void with_array(const Bits* from, F f) {
    f(from);
}

using Pair = unsigned long long;
constexpr unsigned kValueBits = 32;  ///< low bits of a pair, which hold its value

/// Keys and values, read as one array of pairs.
struct PairsIn {
    const unsigned* keys;
    const unsigned* values;  ///< null: the value of a key is its index
    unsigned first;

    __device__ Pair operator[](unsigned i) const {
        const unsigned value = values == nullptr ? first + i : values[first + i];
        return Pair{keys[first + i]} << kValueBits | value;
    }
    __device__ PairsIn operator+(unsigned n) const { return {keys, values, first + n}; }
};

/// Does not read the value.
__device__ inline Pair compared_at(const PairsIn& in, unsigned i) {
    return Pair{in.keys[in.first + i]} << kValueBits;
}

/// Keys and values, written as one array of pairs.
struct PairsOut {
    unsigned *keys, *values;

    struct Element {
        unsigned *key, *value;
        __device__ void operator=(Pair pair) const {
            *key = static_cast<unsigned>(pair >> kValueBits);
            *value = static_cast<unsigned>(pair);
        }
    };
    __device__ Element operator[](unsigned i) const { return {keys + i, values + i}; }
    __device__ PairsOut operator+(unsigned n) const { return {keys + n, values + n}; }
};

/// The source of a partition of pairs: the input, or pairs that an earlier partition has stored.
struct PairsFrom {
    PairsIn given;
    const Pair* stored;  ///< null: the input

    PairsFrom() = default;
    __device__ PairsFrom(PairsIn given) : given(given), stored(nullptr) {}
    __device__ PairsFrom(const Pair* stored) : given{}, stored(stored) {}
};

/// One branch for all loads of f. A branch per load would make each load wait for the previous one.
template <class F>
__device__ void with_array(const PairsFrom& from, F f) {
    if (from.stored != nullptr)
        f(from.stored);
    else
        f(from.given);
}

/// Pairs. One store moves a pair, because the array behind each partition holds pairs.
struct PairArrays {
    using In = PairsIn;
    using Out = PairsOut;
    using From = PairsFrom;
    static constexpr unsigned kTiedBits = kValueBits;
    In in;
    Out out;
    Pair *spare, *spare_second;

    __device__ Pair* second() const { return spare_second; }
    static KeyMap<Pair> map_of(KeyOrder order) {
        const KeyMap<unsigned> of_key(order);
        KeyMap<Pair> map{};
        map.flip_negative = Pair{of_key.flip_negative} << kValueBits;
        map.flip_positive = Pair{of_key.flip_positive} << kValueBits;
        return map;
    }
};

template <class Value>
constexpr bool kHasValues = !std::is_same_v<Value, onesweep::NoValue>;

/// The numbers that are sorted.
template <class Bits, class Value>
using NumberOf = std::conditional_t<kHasValues<Value>, Pair, Bits>;
template <class Bits, class Value>
using ItemArrays = std::conditional_t<kHasValues<Value>, PairArrays, KeyArrays<Bits>>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
