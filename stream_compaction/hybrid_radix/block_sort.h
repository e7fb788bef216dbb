// Sorts what fits into one block's shared memory: keys of any distribution, of 32 or 64 bits.
//
// Ranks with the return value of atomicAdd: equal keys cannot be told apart, so no order among them
// has to be kept. A bucket for about each key brings every key near its place; odd-even networks do
// the rest. In fuller buckets, and of few keys, each key counts the smaller ones in its bucket.
// Where too many keys meet in one bucket, merge sort takes over: it does not look at the keys.
#pragma once

#include "stream_compaction/hybrid_radix/rank.h"
#include "stream_compaction/hybrid_radix/sort_neighbours.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kMinBucketBits = 9;
/// Keys count the smaller ones in buckets that are as full as that at most, and on average.
constexpr unsigned kMaxRankedBucket = 256, kMaxRankedMean = 40;
/// So do few keys, in buckets that are as full as that at most: runs would leave threads idle.
constexpr unsigned kMaxBucketOfFew = 16;

/// Where a block's sorted numbers go, and what makes keys of them.
template <class Bits>
struct Destination {
    Bits* to;
    KeyMap<Bits> map;

    __device__ void store(unsigned i, Bits number) const { to[i] = map.key(number); }
};

/// In shared memory, so that what is needed last takes no registers before. There are two, for
/// whoever sets one while threads may still need the other.
template <class Bits>
__device__ Destination<Bits>& destination(unsigned turn) {
    __shared__ Destination<Bits> destinations[2];
    return destinations[turn];
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
        const Destination<Bits> d = destination<Bits>(turn);
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

    constexpr unsigned kAtOnce = 4;
    const bool are_few = count <= kAtOnce * kThreads && fullness.largest <= kMaxBucketOfFew;
    const bool are_ranked = fullness.largest > kItems / 2 && fullness.largest <= kMaxRankedBucket &&
                            fullness.squares <= kMaxRankedMean * count;
    if (shift > 0 && fullness.largest > 1 && (are_few || are_ranked)) {
        // Buckets too full for the networks, or few keys: each key counts the smaller ones.
        const Destination<Bits> d = destination<Bits>(turn);
        for (unsigned start = threadIdx.x; start < count; start += kAtOnce * kThreads) {
            Bits own[kAtOnce];
            unsigned begin[kAtOnce], end[kAtOnce];
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                own[k] = keys[min(start + k * kThreads, count - 1)];
                begin[k] = at(counts, byte_of(own[k]));
                end[k] = at(counts, byte_of(own[k]) + sizeof(unsigned));
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
        return;
    }
    if (shift > 0 && fullness.largest > 1) sort_neighbours<kItems>(keys, count, fullness.largest);
    const Destination<Bits> d = destination<Bits>(turn);
    for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, keys[i]);
}

/// Sorts from[0, count), at least one key, into destination(turn), which may be the same place.
/// `entering` makes numbers of what is read.
template <class Shape, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void sort_block(const Bits* from, KeyMap<Bits> entering,
                                                     unsigned count, unsigned turn) {
    Bits key[Shape::kItems];
    load_keys(key, from, count, entering);
    __syncthreads();  // whoever used the memory before is done with it
    sort_loaded<Shape>(key, count, turn);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
