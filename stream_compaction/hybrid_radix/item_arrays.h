// What is sorted, and the arrays that it is in: keys alone, or pairs of a key and a value. A pair
// is a number of 64 bits on its way, with the key on top: so whatever sorts keys of 64 bits sorts
// pairs.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/parts/key_map.h"

#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Keys alone. The sorted keys' array serves between two partitions, too.
template <class Bits>
struct KeyArrays {
    using In = const Bits*;
    using Out = Bits*;
    using From = const Bits*;                 ///< what a partition reads
    static constexpr unsigned kTiedBits = 0;  ///< low bits of a number, in whose order nobody asks
    In in;
    Out out;
    Bits* spare;

    /// The array in which a piece's numbers are.
    __device__ Bits* numbers(bool are_in_spare) const { return are_in_spare ? spare : out; }
    static KeyMap<Bits> map_of(KeyOrder order) { return KeyMap<Bits>(order); }
    static __host__ __device__ KeyMap<Bits> map_of_passes(const KeyMap<Bits>& map) { return map; }
};

/// What is compared of the i-th key: without the tied bits.
template <class Bits, class Offset>
__device__ Bits compared_at(const Bits* in, Offset i) {
    return in[i];
}

/// Calls f with an array that a partition reads.
template <class Bits, class F>
__device__ void with_array(const Bits* from, F f) {
    f(from);
}

using Pair = unsigned long long;
constexpr unsigned kValueBits = 32;  ///< of a pair: its low ones

/// Keys and values, read as one array of pairs.
struct PairsIn {
    const unsigned* keys;
    const unsigned* values;  ///< nullptr: values are places
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

/// The same, written.
struct PairsOut {
    unsigned *keys, *values;

    struct Place {
        unsigned *key, *value;
        __device__ void operator=(Pair pair) const {
            *key = static_cast<unsigned>(pair >> kValueBits);
            *value = static_cast<unsigned>(pair);
        }
    };
    __device__ Place operator[](unsigned i) const { return {keys + i, values + i}; }
    __device__ PairsOut operator+(unsigned n) const { return {keys + n, values + n}; }
};

/// What a partition of pairs reads: pairs as they are given or, later, numbers.
struct PairsFrom {
    PairsIn given;
    const Pair* numbers;  ///< nullptr: those that are given

    PairsFrom() = default;
    __device__ PairsFrom(PairsIn given) : given(given), numbers(nullptr) {}
    __device__ PairsFrom(const Pair* numbers) : given{}, numbers(numbers) {}
};

/// One branch for all that f loads: a branch for each load would make it wait for the last one.
template <class F>
__device__ void with_array(const PairsFrom& from, F f) {
    if (from.numbers != nullptr)
        f(from.numbers);
    else
        f(from.given);
}

/// Between two partitions pairs are in one of two spare arrays: so one store moves a pair.
struct PairArrays {
    using In = PairsIn;
    using Out = PairsOut;
    using From = PairsFrom;
    static constexpr unsigned kTiedBits = kValueBits;
    In in;
    Out out;
    Pair *spare, *second;

    __device__ Pair* numbers(bool are_in_spare) const { return are_in_spare ? spare : second; }
    static KeyMap<Pair> map_of(KeyOrder order) {
        const KeyMap<unsigned> of_key(order);
        KeyMap<Pair> map{};
        map.flip_negative = Pair{of_key.flip_negative} << kValueBits;
        map.flip_positive = Pair{of_key.flip_positive} << kValueBits;
        return map;
    }
    static __host__ __device__ KeyMap<unsigned> map_of_passes(const KeyMap<Pair>& map) {
        KeyMap<unsigned> of_key{};
        of_key.flip_negative = static_cast<unsigned>(map.flip_negative >> kValueBits);
        of_key.flip_positive = static_cast<unsigned>(map.flip_positive >> kValueBits);
        return of_key;
    }
};

/// A bucket's keys, read as pairs of a key and its place in the bucket. No two are equal: so blocks
/// that sort them do so stably. Places take few bits, so that what divides the pairs of a bucket
/// into many groups divides those of one key, too.
constexpr unsigned kPlaceBits = 13;
struct PlacedIn {
    const unsigned* keys;

    __device__ Pair operator[](unsigned i) const { return Pair{keys[i]} << kPlaceBits | i; }
};

/// Sorted, they are written as keys and values.
struct PlacedOut {
    unsigned *keys, *values;
    const unsigned* values_from;  ///< of the bucket
    KeyMap<unsigned> map;

    __device__ unsigned value_of(Pair placed) const {
        return values_from[static_cast<unsigned>(placed) % (1u << kPlaceBits)];
    }
    __device__ void store(unsigned i, Pair placed, unsigned value) const {
        keys[i] = map.key(static_cast<unsigned>(placed >> kPlaceBits));
        values[i] = value;
    }

    struct Place {
        const PlacedOut& out;
        unsigned i;
        __device__ void operator=(Pair placed) const { out.store(i, placed, out.value_of(placed)); }
    };
    __device__ Place operator[](unsigned i) const { return {*this, i}; }
};

/// For a block that sorts such pairs.
struct PlacedPairs {
    using In = PlacedIn;
    using Out = PlacedOut;
    static constexpr unsigned kTiedBits = 0;
};

template <class Value>
constexpr bool kHasValues = !std::is_same_v<Value, onesweep::NoValue>;

/// The numbers that are sorted.
template <class Bits, class Value>
using NumberOf = std::conditional_t<kHasValues<Value>, Pair, Bits>;
template <class Bits, class Value>
using ItemArrays = std::conditional_t<kHasValues<Value>, PairArrays, KeyArrays<Bits>>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
