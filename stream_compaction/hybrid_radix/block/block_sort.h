// Sorts what fits into one block's shared memory: keys of any distribution, of 32 or 64 bits.
//
// Ranks with the return value of atomicAdd: equal keys cannot be told apart, so no order among them
// has to be kept. A group for about each key brings every key near its place; groups of many keys
// that differ are divided again, each by its own range; odd-even networks do the rest. Of few keys,
// each key counts the smaller ones in its group. Where groups still are too full, runs of keys are
// merged; or all at once, where they are likely to be.
#pragma once

#include "stream_compaction/hybrid_radix/block/divide_groups.h"
#include "stream_compaction/hybrid_radix/block/merge_sort.h"
#include "stream_compaction/hybrid_radix/block/rank.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kMinBucketBits = 9;
/// Few keys count the smaller ones in groups that are as full as that at most: runs would leave
/// threads idle.
constexpr unsigned kMaxGroupOfFew = 32;

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

/// Stores the block's keys, which are in order.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void store_sorted(unsigned count, unsigned turn) {
    const Bits* const keys = BlockMemory<Shape>().keys;
    const Destination<Shape> d = destination<Shape>(turn);
    if constexpr (std::is_same_v<typename Shape::Out, PlacedOut>) {
        // So many at once that their values' ways overlap.
        constexpr unsigned kAtOnce = 4;
        for (unsigned start = threadIdx.x; start < count; start += kAtOnce * kThreads) {
            Bits own[kAtOnce];
            unsigned value[kAtOnce];
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                own[k] = keys[min(start + k * kThreads, count - 1)];
                value[k] = d.to.value_of(own[k]);
            }
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k)
                if (const unsigned i = start + k * kThreads; i < count)
                    d.to.store(i, own[k], value[k]);
        }
    } else {
        for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, keys[i]);
    }
}

/// Keys of a thread, so that loads overlap.
constexpr unsigned kRankedAtOnce = 4;

/// Of few keys: each counts the smaller ones of its group. Where groups `are_marked`, those of
/// equal keys are in order.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void store_ranked(const Bits* keys, const unsigned* groups, unsigned count,
                             bool are_marked, Bits least, unsigned shift,
                             const Destination<Shape> d) {
    constexpr unsigned kAtOnce = kRankedAtOnce;
    for (unsigned start = threadIdx.x; start < count; start += kAtOnce * kThreads) {
        Bits own[kAtOnce];
        unsigned begin[kAtOnce], end[kAtOnce];
#pragma unroll
        for (unsigned k = 0; k < kAtOnce; ++k) {
            const unsigned i = min(start + k * kThreads, count - 1);
            own[k] = keys[i];
            const unsigned* const group = groups + static_cast<unsigned>((own[k] - least) >> shift);
            const bool is_in_order = are_marked && group[0] >> kWidthShift == 0;
            begin[k] = is_in_order ? i : group[0] & kBeginMask;
            end[k] = is_in_order ? i : group[1] & kBeginMask;
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

/// Whether lanes often have their neighbour's counter.
__device__ inline bool are_in_runs(unsigned counter) {
    constexpr int kOfLanes = 4;
    const unsigned left = __shfl_up_sync(kAllLanes, counter, 1);
    const bool repeats = threadIdx.x % kLanes != 0 && counter == left;
    return __syncthreads_count(repeats) * kOfLanes > static_cast<int>(kThreads);
}

/// Sorts the block's `count` keys.
template <class Shape, bool kMayRepeat, class Bits = typename Shape::Bits>
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
    bool in_runs = false;
    if constexpr (kMayRepeat) in_runs = are_in_runs(byte_of(key[0]));
    if (in_runs)
        rank_runs(
            count, ranks, [&](unsigned i) { return byte_of(key[i]); },
            [=](unsigned byte, unsigned keys_of_run) {
                return atomicAdd(&at(counts, byte), keys_of_run);
            });
    else
        rank_keys(key, count, counts, sizeof(unsigned) << bucket_bits, ranks, byte_of);
    __syncthreads();
    const unsigned fullest = scan_counts(counts, 1u << bucket_bits);
    for (Bits& k : key) forget(k);
    forget(count);
    scatter_keys(key, count, counts, ranks, keys, byte_of);
    if (threadIdx.x == 0) counts[1u << bucket_bits] = count;
    __syncthreads();

    const bool are_marked = shift > 0 && fullest > kMoreOfGroup<Bits>;
    unsigned most = shift == 0 ? 0 : fullest;  // keys of a group that are not in order
    if (are_marked) most = mark_groups<Shape>(keys, counts, count, least, shift);
    if (most > 1 && count <= kRankedAtOnce * kThreads && most <= kMaxGroupOfFew) {
        store_ranked<Shape>(keys, counts, count, are_marked, least, shift,
                            destination<Shape>(turn));
        return;
    }
    if (most > kMoreOfGroup<Bits>) {
        if (!divide_groups<Shape>(count, least, shift)) {
            sort_neighbours<Shape>(keys, count, kFewOfGroup<Bits>);
            if (!are_in_order<Shape>(keys, count)) merge_sort<kItems>(keys, keys, count);
        }
    } else if (most > 1) {
        sort_neighbours<Shape>(keys, count, most);
    }
    store_sorted<Shape>(count, turn);
}

/// Sorts from[0, count), at least one key, into destination(turn), which may be the same place. (By
/// its name it is the first function of a kernel, where code is there when that starts:
/// measured.md.) `entering` makes numbers of what is read.
/// @tparam kMayRepeat whether keys side by side are likely to be in one group
/// @tparam Array of numbers, or of keys as they are given
template <class Shape, bool kMayRepeat, class Array = const typename Shape::Bits*,
          class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void block_sort(std::type_identity_t<Array> from,
                                                     KeyMap<Bits> entering, unsigned count,
                                                     unsigned turn) {
    Bits key[Shape::kItems];
    load_keys(key, from, count, entering);
    __syncthreads();  // whoever used the memory before is done with it
    sort_loaded<Shape, kMayRepeat>(key, count, turn);
}

/// The same, of numbers that are likely to be uneven in themselves: groups would not bring them
/// near their places.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_by_merging(std::type_identity_t<const Bits*> from, unsigned count,
                                unsigned turn) {
    constexpr unsigned kFewItems = 9;  // of a thread
    Bits* const keys = BlockMemory<Shape>().keys;
    if (constexpr unsigned kItems = std::min(kFewItems, Shape::kItems); count <= kItems * kThreads)
        merge_sort<kItems>(from, keys, count);
    else
        merge_sort<Shape::kItems>(from, keys, count);
    store_sorted<Shape>(count, turn);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
