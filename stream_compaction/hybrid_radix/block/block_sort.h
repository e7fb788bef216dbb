// Sorts what fits into one block's shared memory: keys of any distribution, of 32 or 64 bits.
//
// Ranks with the return value of atomicAdd: equal keys cannot be told apart, so no order among them
// has to be kept. A bucket for about each key brings every key near its place; odd-even networks do
// the rest. In fuller buckets, and of few keys, each key counts the smaller ones in its bucket.
// Where too many keys that differ meet in one bucket, runs of keys are merged.
#pragma once

#include "stream_compaction/hybrid_radix/block/dictionary.h"
#include "stream_compaction/hybrid_radix/block/merge_sort.h"
#include "stream_compaction/hybrid_radix/block/rank.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kMinBucketBits = 9;
/// Keys count the smaller ones in buckets that are as full as that at most, and on average.
constexpr unsigned kMaxRankedBucket = 512, kMaxRankedMean = 80;
/// So do few keys, in buckets that are as full as that at most: runs would leave threads idle.
constexpr unsigned kMaxBucketOfFew = 16;

/// In a counter's highest bit, once counters are places: keys of its group differ.
constexpr unsigned kIsMixed = 1u << 31;

/// Marks the groups of keys that differ, and tells how full these are. What is equal is in order.
template <class Shape, class ByteOf, class Bits = typename Shape::Bits>
__device__ Fullness mark_mixed_groups(const Bits* keys, unsigned* counts, unsigned count,
                                      ByteOf byte_of) {
    __shared__ unsigned largests[kWarps], all_squares[kWarps];
    for (unsigned i = threadIdx.x; i + 1 < count; i += kThreads) {
        const Bits key = keys[i], next = keys[i + 1];
        unsigned& begin = at(counts, byte_of(key));
        constexpr unsigned kTiedBits = Shape::Arrays::kTiedBits;
        if (key >> kTiedBits == next >> kTiedBits || byte_of(key) != byte_of(next)) continue;
        const unsigned seen = simt::BlockAtomic<unsigned>(begin).load(simt::memory_order_relaxed);
        if ((seen & kIsMixed) == 0) atomicOr(&begin, kIsMixed);
    }
    __syncthreads();
    unsigned largest = 0, squares = 0;
    for (unsigned i = threadIdx.x; i < count; i += kThreads) {
        const unsigned byte = byte_of(keys[i]), begin = at(counts, byte);
        if ((begin & kIsMixed) == 0) continue;
        const unsigned size =
            (at(counts, byte + sizeof(unsigned)) & ~kIsMixed) - (begin & ~kIsMixed);
        largest = max(largest, size);
        squares += size;
    }
    largest = max_of_lanes(largest), squares = sum_of_lanes(squares);
    const unsigned lane = threadIdx.x % kLanes;
    if (lane == 0)
        largests[threadIdx.x / kLanes] = largest, all_squares[threadIdx.x / kLanes] = squares;
    __syncthreads();
    return {max_of_lanes(largests[lane % kWarps]),
            sum_of_lanes(lane < kWarps ? all_squares[lane] : 0u)};
}

/// Where a block's sorted numbers go, and what makes keys of them.
template <class Shape>
struct Destination {
    using Bits = typename Shape::Bits;
    typename Shape::Out to;
    KeyMap<Bits> map;

    __device__ void store(unsigned i, Bits number) const { to[i] = map.key(number); }
};

/// In shared memory, so that what is needed last takes no registers before. There are two, for
/// whoever sets one while threads may still need the other.
template <class Shape>
__device__ Destination<Shape>& destination(unsigned turn) {
    __shared__ Destination<Shape> destinations[2];
    return destinations[turn];
}

/// Whether a dictionary may hold the keys: a thread's first key is there again among its others
/// more often than with so many values of which each is as frequent.
template <unsigned kItems, class Bits>
__device__ bool repeats_often(const Bits (&key)[kItems], unsigned count) {
    constexpr unsigned kValues = 512;
    const unsigned items = count / kThreads;  // that all threads have
    if (items < 2) return false;
    bool repeats = false;
#pragma unroll
    for (unsigned i = 1; i < kItems; ++i) repeats |= i < items && key[i] == key[0];
    return static_cast<unsigned>(__syncthreads_count(repeats)) > items * kThreads / kValues;
}

/// Stores the block's keys, which are in order.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void store_sorted(unsigned count, unsigned turn) {
    const Bits* const keys = BlockMemory<Shape>().keys;
    const Destination<Shape> d = destination<Shape>(turn);
    for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, keys[i]);
}

/// Keys of a thread, so that loads overlap.
constexpr unsigned kRankedAtOnce = 4;

/// Of groups too full for the networks, or of few keys: each key counts the smaller ones. Where
/// groups `are_marked`, those that are not mixed are in order.
template <class Shape, class ByteOf, class Bits = typename Shape::Bits>
__device__ void store_ranked(const Bits* keys, unsigned* counts, unsigned count, bool are_marked,
                             const Destination<Shape> d, ByteOf byte_of) {
    constexpr unsigned kAtOnce = kRankedAtOnce;
    for (unsigned start = threadIdx.x; start < count; start += kAtOnce * kThreads) {
        Bits own[kAtOnce];
        unsigned begin[kAtOnce], end[kAtOnce];
#pragma unroll
        for (unsigned k = 0; k < kAtOnce; ++k) {
            const unsigned i = min(start + k * kThreads, count - 1);
            own[k] = keys[i];
            begin[k] = at(counts, byte_of(own[k]));
            end[k] = at(counts, byte_of(own[k]) + sizeof(unsigned)) & ~kIsMixed;
            if (are_marked && (begin[k] & kIsMixed) == 0) begin[k] = end[k] = i;
            begin[k] &= ~kIsMixed;
        }
#pragma unroll
        for (unsigned k = 0; k < kAtOnce; ++k) {
            const unsigned i = start + k * kThreads;
            if (i >= count) break;
            unsigned place = begin[k];
            for (unsigned other = begin[k]; other < end[k]; ++other)
                place += keys[other] < own[k] || (keys[other] == own[k] && other < i);
            d.store(place, own[k]);
        }
    }
}

/// Sorts the block's `count` keys.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_loaded(Bits (&key)[Shape::kItems], unsigned count, unsigned turn) {
    constexpr unsigned kItems = Shape::kItems;
    const BlockMemory<Shape> memory;
    Bits* const keys = memory.keys;
    unsigned* const counts = memory.counts;
    const unsigned bucket_bits =
        max(kMinBucketBits, min(Shape::kMaxBucketBits, bit_width(count - 1)));

    Bits least = ~Bits{0}, largest = 0;
    clear(counts, 1u << bucket_bits);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i)
        least = min(least, key[i]), largest = max(largest, key[i]);
    reduce_range(least, largest);
    if (least == largest) {
        const Destination<Shape> d = destination<Shape>(turn);
        for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, least);
        return;
    }
    const unsigned width = bit_width(largest - least);
    const unsigned shift = width > bucket_bits ? width - bucket_bits : 0;
    forget(count);
    const auto byte_of = [=](Bits k) {
        return static_cast<unsigned>((k - least) >> shift) *
               static_cast<unsigned>(sizeof(unsigned));
    };

    Ranks<kItems> ranks;
    rank_keys(key, count, counts, sizeof(unsigned) << bucket_bits, ranks, byte_of);
    __syncthreads();
    const Fullness fullness = scan_counts(counts, 1u << bucket_bits);
    for (Bits& k : key) forget(k);
    forget(count);
    scatter_keys(key, count, counts, ranks, keys, byte_of);
    if (threadIdx.x == 0) counts[1u << bucket_bits] = count;
    __syncthreads();

    Fullness mixed = fullness;
    if (shift == 0)
        mixed = {};
    else if (fullness.largest > kItems / 2)
        mixed = mark_mixed_groups<Shape>(keys, counts, count, byte_of);
    const bool are_few = count <= kRankedAtOnce * kThreads && mixed.largest <= kMaxBucketOfFew;
    const bool are_ranked = mixed.largest > kItems / 2 && mixed.largest <= kMaxRankedBucket &&
                            mixed.squares <= kMaxRankedMean * count;
    if (mixed.largest > 1 && (are_few || are_ranked)) {
        store_ranked<Shape>(keys, counts, count, fullness.largest > kItems / 2,
                            destination<Shape>(turn), byte_of);
        return;
    }
    if (mixed.largest > kItems / 2)
        merge_sort<kItems>(keys, count);
    else if (mixed.largest > 1)
        sort_neighbours<kItems>(keys, count, mixed.largest);
    store_sorted<Shape>(count, turn);
}

/// Does what sort_block says; or nothing, if a dictionary may hold the keys and it looks for that.
template <class Shape, bool kLooks, class Array, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) bool load_and_sort(Array from, KeyMap<Bits> entering,
                                                        unsigned count, unsigned turn) {
    Bits key[Shape::kItems];
    load_keys(key, from, count, entering);
    __syncthreads();  // whoever used the memory before is done with it
    if constexpr (kLooks)
        if (repeats_often(key, count)) return false;
    sort_loaded<Shape>(key, count, turn);
    return true;
}

/// Sorts from[0, count), at least one key, into destination(turn), which may be the same place.
/// `entering` makes numbers of what is read.
/// @tparam kLooks whether few different keys are likely: then a dictionary is tried before anything
/// @tparam Array of numbers, or of keys as they are given
template <class Shape, bool kLooks, class Array = const typename Shape::Bits*,
          class Bits = typename Shape::Bits>
__device__ void sort_block(std::type_identity_t<Array> from, KeyMap<Bits> entering, unsigned count,
                           unsigned turn) {
    const bool is_sorted = load_and_sort<Shape, kLooks>(from, entering, count, turn);
    if constexpr (kLooks) {
        if (is_sorted) return;
        const Destination<Shape> d = destination<Shape>(turn);
        if (!sort_by_dictionary<Shape>(from, entering, count, d.to, d.map))
            load_and_sort<Shape, false>(from, entering, count, turn);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
