// Sorts a bucket in one block's shared memory.
//
// The block divides the range of its keys into about as many groups as it has keys, counts the keys
// of each group by atomicAdd, and moves every key into its group. Networks then sort each group. If
// a group is too large for them and the keys are not in order already, the block merges runs
// instead, which is slower and works for any keys.
#pragma once

#include "stream_compaction/hybrid_radix/block_rank.h"
#include "stream_compaction/hybrid_radix/merge_sort.h"
#include "stream_compaction/hybrid_radix/networks.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kMinGroupBits = 9;
/// In a bucket of up to 4 keys per thread, sorting runs would leave threads idle. Instead, each key
/// counts the smaller keys of its group if no group has more keys than this.
constexpr unsigned kLargestRankedGroup = 32;
constexpr unsigned kRankedAtOnce = 4;

/// The destination of a block's sorted numbers, and the map that makes them keys again.
template <class Shape>
struct Destination {
    using Bits = typename Shape::Bits;
    typename Shape::Out to;
    KeyMap<Bits> map;

    __device__ void store(unsigned i, Bits number) const { to[i] = map.key(number); }
};

/// Two destinations in shared memory, used in turn: the next one may be set while threads still
/// read the last one. In shared memory they occupy no registers while the block sorts.
template <class Shape>
__device__ Destination<Shape>& destination(unsigned turn) {
    __shared__ Destination<Shape> destinations[2];
    return destinations[turn];
}

/// Stores keys[0, count), in which groups are in order: each key counts the smaller ones of its
/// group. Four keys of a thread at a time, so their loads overlap.
/// @param offsets  where each group begins, and the count at the end
template <class Shape, class Bits = typename Shape::Bits>
__device__ void store_by_rank(const Bits* keys, const unsigned* offsets, unsigned count, Bits least,
                              unsigned shift, const Destination<Shape> d) {
    for (unsigned start = threadIdx.x; start < count; start += kRankedAtOnce * kThreads) {
        Bits own[kRankedAtOnce];
        unsigned begin[kRankedAtOnce], end[kRankedAtOnce];
#pragma unroll
        for (unsigned k = 0; k < kRankedAtOnce; ++k) {
            own[k] = keys[min(start + k * kThreads, count - 1)];
            const unsigned* const group =
                offsets + static_cast<unsigned>((own[k] - least) >> shift);
            begin[k] = group[0], end[k] = group[1];
        }
#pragma unroll
        for (unsigned k = 0; k < kRankedAtOnce; ++k) {
            const unsigned i = start + k * kThreads;
            if (i >= count) break;
            unsigned rank = begin[k];
            for (unsigned other = begin[k]; other < end[k]; ++other)
                rank += keys[other] < own[k] || (keys[other] == own[k] && other < i);
            d.store(rank, own[k]);
        }
    }
}

/// Whether no key is larger than the next one, apart from tied bits; the same in every thread.
template <class Shape, class Bits = typename Shape::Bits>
__device__ bool are_in_order(const Bits* keys, unsigned count) {
    constexpr unsigned kTied = Shape::ItemArrays::kTiedBits;
    bool descends = false;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i + 1 < count; i += kThreads)
        descends |= keys[i] >> kTied > keys[i + 1] >> kTied;
    return __syncthreads_or(descends) == 0;
}

/// Sorts from[0, count), at least one number, into destination(turn), which may be the same memory.
/// Not inlined, so that its registers do not reduce those of the caller's other steps.
template <class Shape, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void block_sort(const Bits* from, unsigned count,
                                                     unsigned turn) {
    constexpr unsigned kItems = Shape::kItems;
    const BlockMemory<Shape> memory;
    Bits* const keys = memory.keys;
    unsigned* const counts = memory.counts;
    Bits key[kItems];
    load_keys(key, from, count);
    __syncthreads();  // the memory may still be in use

    // The groups are the highest bits of the difference to the smallest key.
    const unsigned group_bits = max(kMinGroupBits, min(Shape::kMaxGroupBits, bit_width(count - 1)));
    clear(counts, 1u << group_bits);
    Bits least = ~Bits{0}, largest = 0;
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
    const unsigned shift = width > group_bits ? width - group_bits : 0;
    const auto byte_of = [=](Bits k) {
        return static_cast<unsigned>((k - least) >> shift) *
               static_cast<unsigned>(sizeof(unsigned));
    };

    forget(count);
    Ranks<kItems> ranks;
    rank_keys(key, count, counts, sizeof(unsigned) << group_bits, ranks, byte_of);
    __syncthreads();
    const unsigned most = scan_counts(counts, 1u << group_bits);
    for (Bits& k : key) forget(k);
    forget(count);
    scatter_keys(key, count, counts, ranks, keys, byte_of);
    if (threadIdx.x == 0) counts[1u << group_bits] = count;
    __syncthreads();

    if (shift > 0 && most > 1) {
        if (count <= kRankedAtOnce * kThreads && most <= kLargestRankedGroup)
            return store_by_rank<Shape>(keys, counts, count, least, shift,
                                        destination<Shape>(turn));
        if (most <= kLargestGroup<Bits>)
            sort_groups<Shape>(keys, count, most);
        else if (!are_in_order<Shape>(keys, count))  // they may be, if each group has one value
            merge_sort<kItems>(keys, count);
    }
    const Destination<Shape> d = destination<Shape>(turn);
    for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, keys[i]);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
