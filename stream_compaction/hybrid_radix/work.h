// What a launch of hybrid_radix works on: the arrays, the lists, and what its blocks tell each
// other.
#pragma once

#include "stream_compaction/hybrid_radix/partition.h"
#include "stream_compaction/onesweep/passes.h"
#include "stream_compaction/parts/grid_barrier.h"
#include "stream_compaction/parts/key_map.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Of the first histogram: four digits share a word.
template <class Shape>
constexpr unsigned kMaxHistogramBits = Shape::kMaxCountedBits + 2;

/// Keys that are known up to their low `bits`, and are to be partitioned by the `digit_bits`
/// highest of these.
template <class Bits, class Offset>
struct Segment {
    Offset first, size;
    Offset* counters;  ///< of each digit: its keys; then where its next key goes
    Bits prefix;       ///< the keys' common high bits
    unsigned first_tile;
    unsigned char bits, digit_bits, is_in_spare, stays;
};

/// Keys for one block to sort.
template <class Offset>
struct Bucket {
    Offset first;
    unsigned size;
    bool is_in_spare;
};

/// What sort_on_grid does after it has counted.
enum Step : unsigned {
    kPartition,
    kLeave,  ///< to the passes
    kCountWiderRange,
    kCountFewerDigits,
};

/// Zero before a launch, but for the barrier and what is told of the last launch, and zero after
/// it.
struct Progress {
    GridBarrier barrier;
    unsigned out_of_range;           ///< whether the sample missed the keys' range
    unsigned too_many;               ///< whether a digit was too frequent for its counter
    unsigned step;                   ///< the last Step
    unsigned long long base;         ///< for sort_uneven_keys, of the keys' range
    unsigned long long segments[2];  ///< of two levels: their number and that of their tiles
    unsigned long long counters[2];  ///< of two levels
    unsigned buckets, next_bucket;
    unsigned next_tile;  ///< of the first partition
    unsigned next_run;   ///< of tiles of a level
    unsigned finished;

    unsigned turn;          ///< of sort_by_one_partition: which of its histograms is next
    unsigned is_missed[2];  ///< for each turn, whether the sample missed the keys' range
};

constexpr unsigned long long kOneSegment = 1ull << 32;  ///< in Progress::segments; below, tiles

template <class Shape, class Offset>
struct Work {
    using Bits = typename Shape::Bits;
    const Bits* in;
    Bits* out;
    Bits* spare;
    Offset n;
    KeyMap<Bits> map;
    unsigned digit_bits[2];   ///< of the first two partitions, from one histogram
    unsigned countable_bits;  ///< keys of so many bits are counted, no more

    unsigned tile;            ///< keys that a block partitions at a time
    bool is_split_again;      ///< whether even keys need more partitions than the histogram plans
    bool looks;               ///< whether the sample may tell that keys are uneven
    bool passes_follow;       ///< whether uneven keys are left to sort_uneven_keys
    unsigned bucket, uneven;  ///< of Limits
    unsigned window_bits;     ///< small buckets that start in one window become one

    Progress* progress;
    Offset* histogram;  ///< 2^kMaxHistogramBits<Shape>
    Offset* cursors;    ///< 2^kMaxDigitBits
    Offset* counters[2];
    Segment<Bits, Offset>* segments[2];
    Bucket<Offset>* buckets;
    unsigned* turns;  ///< two histograms of 2^kMaxDigitBits: one is zero
    onesweep::Job<typename Shape::Passes, Offset> passes;  ///< for keys that are uneven

    __device__ unsigned tiles_of(Offset keys) const {
        return static_cast<unsigned>((keys + tile - 1) / tile);
    }
};

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
