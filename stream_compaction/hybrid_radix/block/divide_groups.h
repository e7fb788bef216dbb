// A second level of a block's groups: each is divided again, by its own range and into as many
// parts as it has keys. What is uneven in a block's range as a whole mostly is not in a group's.
//
// Source: Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal, 1998 (as many classes as keys,
// by interpolation).
#pragma once

#include "stream_compaction/hybrid_radix/block/rank.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// A group's word, once counters are places: where the group begins, and above it how many low bits
/// differ among its keys less the block's least one. None, where all its keys are equal.
constexpr unsigned kWidthShift = 16, kBeginMask = (1u << kWidthShift) - 1;

/// Whether two keys may be in any order.
template <class Shape, class Bits = typename Shape::Bits>
__device__ bool is_as_good(Bits a, Bits b) {
    return a >> Shape::Arrays::kTiedBits == b >> Shape::Arrays::kTiedBits;
}

/// Marks the groups with what differs among their keys, which are side by side. The most keys of a
/// group that differ; the same answer in every thread.
/// @param groups of which keys[i] is in the one of number (keys[i] - least) >> shift
template <class Shape, class Bits = typename Shape::Bits>
__device__ unsigned mark_groups(const Bits* keys, unsigned* groups, unsigned count, Bits least,
                                unsigned shift) {
    __shared__ unsigned largests[kWarps];
    // The highest bit that differs in a group differs between two neighbours.
#pragma unroll 4
    for (unsigned i = threadIdx.x; i + 1 < count; i += kThreads) {
        const Bits key = keys[i], next_key = keys[i + 1];
        const Bits number = key - least, next = next_key - least;
        if (is_as_good<Shape>(key, next_key) || number >> shift != next >> shift) continue;
        unsigned& group = groups[static_cast<unsigned>(number >> shift)];
        const unsigned width = bit_width(number ^ next);
        const unsigned seen = simt::BlockAtomic<unsigned>(group).load(simt::memory_order_relaxed);
        if (seen >> kWidthShift < width)
            atomicMax(&group, width << kWidthShift | (seen & kBeginMask));
    }
    __syncthreads();
    unsigned largest = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += kThreads) {
        const unsigned* const group = groups + static_cast<unsigned>((keys[i] - least) >> shift);
        if (group[0] >> kWidthShift != 0)
            largest = max(largest, (group[1] & kBeginMask) - (group[0] & kBeginMask));
    }
    largest = max_of_lanes(largest);
    const unsigned lane = threadIdx.x % kLanes;
    if (lane == 0) largests[threadIdx.x / kLanes] = largest;
    __syncthreads();
    return max_of_lanes(largests[lane % kWarps]);
}

/// Part number * parts / 2^width, of a number below 2^width.
template <class Bits>
__device__ unsigned part_of(Bits number, unsigned width, unsigned parts) {
    constexpr unsigned kBits = 8 * sizeof(Bits);
    const auto upper = static_cast<unsigned>(number << (kBits - width) >> (kBits - 32));
    return __umulhi(upper, parts);
}

/// Whether no key is larger than the next; the same answer in every thread.
template <class Shape, class Bits = typename Shape::Bits>
__device__ bool are_in_order(const Bits* keys, unsigned count) {
    bool descends = false;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i + 1 < count; i += kThreads)
        descends |= keys[i] > keys[i + 1] && !is_as_good<Shape>(keys[i], keys[i + 1]);
    return __syncthreads_or(descends) == 0;
}

/// Divides the groups of a block's keys that mark_groups has marked, and puts the keys in the order
/// of the new groups. Whether they are sorted now; the same answer in every thread.
template <class Shape, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) bool divide_groups(unsigned count, Bits least,
                                                        unsigned shift) {
    constexpr unsigned kItems = Shape::kItems;
    // New groups have half words: as many as there are keys find room where the old ones were.
    static_assert(Shape::kBlockKeys / 2 <= 1u << Shape::kMaxBucketBits);
    static_assert(Shape::kBlockKeys / 2 % kCountsPerRow == 0 && Shape::kBlockKeys < 1u << 16);
    const BlockMemory<Shape> memory;
    Bits* const keys = memory.keys;
    unsigned* const counts = memory.counts;

    Ranks<kItems> groups, ranks;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        const unsigned at = min(place_of(i), count - 1);
        const Bits number = keys[at] - least;
        const unsigned* const old = counts + static_cast<unsigned>(number >> shift);
        const unsigned begin = old[0] & kBeginMask, end = old[1] & kBeginMask;
        const unsigned width = old[0] >> kWidthShift;
        // What is equal keeps its place.
        groups.set(i, width == 0 ? at : begin + part_of(number, width, end - begin));
    }
    __syncthreads();
    const unsigned words = (count / 2 / kCountsPerRow + 1) * kCountsPerRow;
    clear(counts, min(words, Shape::kBlockKeys / 2));
    __syncthreads();
    rank_runs(
        count, ranks, [&](unsigned i) { return groups.get(i); },
        [=](unsigned group, unsigned keys_of_run) {
            const unsigned word =
                atomicAdd(&counts[group / 2], keys_of_run * HalfWords::one(group));
            return HalfWords::get(word, group);
        });
    __syncthreads();
    scan_counts<false, HalfWords>(counts, min(words, Shape::kBlockKeys / 2));
    Ranks<kItems> places;
    Bits key[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        const unsigned group = groups.get(i);
        places.set(i, HalfWords::get(counts[group / 2], group) + ranks.get(i));
        key[i] = keys[min(place_of(i), count - 1)];
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i)
        if (place_of(i) < count) keys[places.get(i)] = key[i];
    __syncthreads();
    return are_in_order<Shape>(keys, count);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
