// The data of a launch: the arrays, the plan, and the memory that its blocks share.
#pragma once

#include "stream_compaction/hybrid_radix/plan.h"
#include "stream_compaction/hybrid_radix/shape.h"
#include "stream_compaction/parts/arrays.h"
#include "stream_compaction/parts/grid_barrier.h"
#include "stream_compaction/parts/key_map.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// The kernel that sorts the keys. The kernel that looks at the keys first sets it; later launches
/// return at once if another kernel sorts.
enum class Sorter : unsigned { this_kernel, few_values, onesweep };

/// State that the blocks share.
struct Progress {
    GridBarrier barrier;
    Sorter sorter;
    unsigned for_onesweep;     ///< not 0 if onesweep must sort: the word that its launch reads
    unsigned is_contradicted;  ///< a bin is too full, a key out of range, or a counter overflowed
    unsigned next_bucket;
    unsigned values;  ///< distinct values other than 0 in the global table
};

/// The number of distinct values that no longer fits in a hash table, and the slots of the global
/// table. Keys are counted if the samples estimate at most half as many values.
template <class Shape>
constexpr unsigned kMostValues = Shape::kMaxGroupBits > 12 ? 4096 : 2048;
template <class Shape>
constexpr unsigned kValueSlots = 2 * kMostValues<Shape>;

/// How many positions of a bin the blocks of a partition have reserved: from its first position on
/// for whole sectors, and from its last one backwards for the remaining keys.
struct Taken {
    unsigned whole, rest;
};

template <class Shape>
struct Job : Shape::ItemArrays {
    using Bits = typename Shape::Bits;
    KeyMap<Bits> map;
    Plan plan;
    Progress* progress;
    unsigned* histogram;     ///< keys of each bin; zero between launches
    unsigned* begins;        ///< where each bin begins, and n at the end
    unsigned* first_begins;  ///< the same for the first digit, if the second digit is counted later
    Taken* taken[2];         ///< for each partition and bin, its reserved positions
    Bits* values;            ///< a hash table of distinct values,
    unsigned* value_counts;  ///< how often each occurs,
    unsigned* value_slots;   ///< a list of the used slots,
    Bits* values_in_order;   ///< and both in the order of the values
    unsigned* counts_in_order;
};

/// Divides the memory of a plan for n keys into arrays. Returns the number of bytes that they need.
template <class Shape>
std::size_t lay_out(Job<Shape>& job, std::size_t n, const Thresholds& thresholds,
                    std::byte* memory) {
    Arrays arrays(memory);
    // As many bins as the digits have, or as the largest range that is only counted.
    const unsigned bits =
        std::min(bits_for_buckets(n, thresholds.bucket, kPercentOnGrid) + kMostAddedBits,
                 2 * Shape::kMaxBinBits);
    const unsigned counted = std::min(bit_width(n / kKeysPerBin), Shape::kMaxCountedBits);
    const std::size_t bins = std::size_t{1} << std::max({bits, counted, kMaxRegisterBits});
    job.progress = arrays.take<Progress>(1);
    job.histogram = arrays.take<unsigned>(bins);
    job.begins = arrays.take<unsigned>(bins + 1);
    job.first_begins = arrays.take<unsigned>(Shape::kMaxBins + 1);
    job.taken[0] = arrays.take<Taken>(Shape::kMaxBins);
    job.taken[1] = arrays.take<Taken>(bins);
    job.values = arrays.take<typename Shape::Bits>(kValueSlots<Shape>);
    job.value_counts = arrays.take<unsigned>(kValueSlots<Shape>);
    job.value_slots = arrays.take<unsigned>(kMostValues<Shape>);
    job.values_in_order = arrays.take<typename Shape::Bits>(kMostValues<Shape> + 1);
    job.counts_in_order = arrays.take<unsigned>(kMostValues<Shape> + 1);
    return arrays.bytes();
}

/// Sets the words by which later launches decide whether they sort. Called by one thread.
template <class Shape>
__device__ void leave_to(const Job<Shape>& job, Sorter sorter) {
    job.progress->sorter = sorter;
    job.progress->for_onesweep = sorter == Sorter::onesweep ? 1 : 0;
}

/// Keys minus `base` are below 2^bits.
template <class Bits>
struct Range {
    Bits base;
    unsigned bits;
    __device__ Bits largest() const {
        return bits == 0 ? 0 : static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - bits);
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
