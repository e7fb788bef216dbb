// What a launch of hybrid_radix works on: the arrays, the lists, and what its blocks tell each
// other.
#pragma once

#include "stream_compaction/hybrid_radix/costs.h"
#include "stream_compaction/hybrid_radix/partition.h"
#include "stream_compaction/onesweep/cluster_sort.h"
#include "stream_compaction/onesweep/passes.h"
#include "stream_compaction/parts/grid_barrier.h"
#include "stream_compaction/parts/key_map.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Of the first histogram: four digits share a word.
template <class Shape>
constexpr unsigned kMaxHistogramBits = Shape::kMaxCountedBits + 2;

/// From this level on, splitters are at equal distances: so the keys of a class get closer whatever
/// is drawn, and levels end.
constexpr unsigned kFirstEvenLevel = 3, kBitsOfEvenLevel = 4;

/// Whether keys of few different values are counted. Pairs are not.
template <class Shape>
constexpr bool kCountsValues = Shape::Arrays::kTiedBits == 0;

/// So many different values all blocks together count, and put in order: of each, shared memory has
/// room for its number, and then for where it begins.
template <class Shape, class Offset>
constexpr unsigned kMostValues = std::bit_floor(static_cast<unsigned>(
    BlockMemory<Shape>::kBytes / std::max(sizeof(typename Shape::Bits), sizeof(Offset))));

/// Keys between `least` and `largest`, to be partitioned into 2^class_bits classes.
template <class Bits, class Offset>
struct Segment {
    Offset first, size;
    Offset* counters;  ///< of each class: its keys; then where its next key goes
    Bits* splitters;   ///< 2^class_bits - 1, in order
    Bits least, largest;
    unsigned first_tile;
    unsigned char class_bits;
    bool is_in_spare;
    bool is_counted;  ///< each class is of equal keys, or empty: nothing has to be moved

    __device__ unsigned bits() const { return bit_width(least ^ largest); }
};

/// Keys for one block to sort, or equal ones for it to write.
template <class Offset>
struct Bucket {
    Offset first;
    unsigned size : 30;
    unsigned is_in_spare : 1;
    unsigned is_equal : 1;  ///< all keys are equal; only the first is where it says
};

/// What sort_on_grid leaves to sort_the_rest.
enum class Rest : unsigned {
    nothing,
    all_keys,
    few_values,          ///< all keys, too, which seem to have few different values
    numbers_of_level_0,  ///< segments whose numbers are to be counted, no more
    segments_of_level_0,
    segments_of_level_1,
};

/// What the cluster that sorts the keys meanwhile is told of them.
enum class Verdict : unsigned { none, probably_even, even, uneven };

/// In so many rounds blocks tell each other of their values, and see how many become known.
constexpr unsigned kValueRounds = 3;

/// Zero before a launch, but for the barrier and what is told of the last launch, and zero after
/// it.
struct Progress {
    GridBarrier barrier, of_passes;
    unsigned out_of_range;           ///< whether the sample missed the keys' range
    unsigned too_many;               ///< whether a digit was too frequent for its counter
    Rest rest;                       ///< that the first kernel has left
    unsigned are_left_to_passes;     ///< all keys, to sort_by_passes_if_left
    unsigned long long base;         ///< of the keys' range
    unsigned long long segments[2];  ///< of two levels: their number and that of their tiles
    unsigned long long counters[2];  ///< of two levels
    unsigned buckets, next_bucket;
    unsigned next_tile;  ///< of the first partition
    unsigned next_run;   ///< of tiles of a level
    unsigned repeats;    ///< samples that are frequent keys, times kFrequentKey, and single ones
    unsigned values;     ///< different ones that are in the list of all
    unsigned new_of_round[kValueRounds];  ///< of them, those that were new in a round,
    unsigned rounds;                      ///< and, ten bits each, how many blocks were in it
    unsigned finished;

    unsigned turn;          ///< of sort_by_one_partition: which of its histograms is next
    unsigned is_missed[2];  ///< for each turn, whether the sample missed the keys' range
    Verdict verdicts[onesweep::kMaxCluster];  ///< for each block of the cluster
};

constexpr unsigned long long kOneSegment = 1ull << 32;  ///< in Progress::segments; below, tiles
constexpr unsigned kFrequentKey = 1u << 16;  ///< in Progress::repeats; below, single ones

template <class Offset>
__device__ unsigned tiles_of(Offset keys, unsigned tile) {
    return static_cast<unsigned>((keys + tile - 1) / tile);
}

/// What n makes of the work: see fit.h.
template <class Shape, class Offset>
struct Fit {
    Offset n;
    unsigned blocks;                     ///< that have keys
    unsigned tile;                       ///< keys that a block partitions at a time
    unsigned split_tile;                 ///< and those that it moves between splitters
    unsigned bucket;                     ///< that a block sorts
    unsigned window_bits;                ///< small buckets that start in one window become one
    PartitionDigits digits;              ///< of one partition,
    unsigned digit_bits, filled_digits;  ///< and on the grid: see GridPlan
    unsigned rare_for_passes;            ///< of costs.h
    bool is_divided_by_samples;          ///< whether a few uneven keys are, once
    unsigned few_values;                 ///< of costs.h
    UnevenCosts costs;
    onesweep::Job<typename Shape::Passes, Offset> passes;  ///< the other way for uneven keys
};

/// The block's own, in shared memory: there it takes no registers, and may be made by the device.
template <class Shape, class Offset>
__device__ Fit<Shape, Offset>& own_fit() {
    __shared__ Fit<Shape, Offset> fit;
    return fit;
}

template <class Shape, class Offset>
struct Work : Shape::Arrays {
    using Bits = typename Shape::Bits;
    KeyMap<Bits> map;
    unsigned uneven;             ///< of Limits
    bool leaves_passes;          ///< of one partition: sort_by_passes_if_left follows,
    bool leaves_at_once;         ///< and takes all uneven keys
    unsigned cluster;            ///< of the launch's last blocks, which sorts uneven keys; or 0
    Fit<Shape, Offset> planned;  ///< by the host: where it does not know n, for the most keys.
                                 ///< What a block goes by is fit().

    Progress* progress;
    Offset* histogram;  ///< 2^kMaxHistogramBits<Shape>
    Offset* cursors;    ///< 2^kMaxDigitBits
    Offset* counters[2];
    Bits* splitters[2];  ///< as many as there are counters
    Bits* samples;       ///< kMostSamples
    Segment<Bits, Offset>* segments[2];
    Bucket<Offset>* buckets;
    unsigned* turns;       ///< two histograms of 2^kMaxDigitBits: one is zero
    Bits* values;          ///< a hash table of 2 kMostValues slots, in the histogram's place: zero
    Offset* value_counts;  ///< of each slot, behind them

    __device__ const Fit<Shape, Offset>& fit() const { return own_fit<Shape, Offset>(); }
};

/// By a block. Nobody reads it before the block's next barrier.
template <class T>
__device__ void copy_words(const T& from, T& to) {
    static_assert(std::is_trivially_default_constructible_v<T>);
    constexpr unsigned kWords = sizeof(T) / sizeof(unsigned);
    static_assert(kWords * sizeof(unsigned) == sizeof(T) && kWords <= kThreads);
    if (threadIdx.x < kWords)
        reinterpret_cast<unsigned*>(&to)[threadIdx.x] =
            reinterpret_cast<const unsigned*>(&from)[threadIdx.x];
}

/// The block's copy in shared memory, for functions that are not inlined: they get a reference, and
/// what a reference to a kernel's parameter reads comes from far away each time. All threads call
/// it.
template <class Shape, class Offset>
__device__ const Work<Shape, Offset>& copy_of(const Work<Shape, Offset>& given) {
    __shared__ Work<Shape, Offset> copy;
    copy_words(given, copy);
    __syncthreads();
    return copy;
}

/// Keys minus `base` have no more than `bits` bits.
template <class Bits>
struct Range {
    Bits base;
    unsigned bits;
    __device__ Bits largest() const {
        return bits == 0 ? 0 : static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - bits);
    }
};

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
