// Sorts keys that are near their places: by networks, or, where they are not so near, by merging.
#pragma once

#include "stream_compaction/hybrid_radix/shape.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// So many rounds, made even, of odd-even transposition: it sorts what is that close to its place.
/// Fewer, where the warp's keys are sorted before.
template <unsigned kKeys, class Bits>
__device__ void transpose_neighbours(Bits (&key)[kKeys], unsigned rounds) {
    constexpr unsigned kSeldomEnough = 2;  // rounds, to sort a warp's keys
    const auto order = [&](unsigned i) {
        const Bits a = key[i], b = key[i + 1];
        key[i] = min(a, b), key[i + 1] = max(a, b);
    };
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round += 2) {
        if (round >= kSeldomEnough) {
            bool is_sorted = true;
#pragma unroll
            for (unsigned i = 0; i + 1 < kKeys; ++i) is_sorted &= key[i] <= key[i + 1];
            if (__all_sync(~0u, is_sorted)) return;
        }
#pragma unroll
        for (unsigned i = 0; i + 1 < kKeys; i += 2) order(i);
#pragma unroll
        for (unsigned i = 1; i + 1 < kKeys; i += 2) order(i);
    }
}

/// Sorts the keys around the start of the thread's second run, of which none is more than
/// `distance` from its place.
template <unsigned kKeys, unsigned kRun, class Bits>
__device__ void sort_seam(Bits* keys, unsigned count, unsigned distance) {
    const unsigned start = (threadIdx.x + 1) * kRun - kKeys / 2;
    const bool works = start < count;
    if (!__any_sync(~0u, works)) return;
    Bits key[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) key[i] = works ? keys[start + i] : Bits{0};
    transpose_neighbours(key, distance);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i)
        if (works) keys[start + i] = key[i];
}

/// Merges runs of `width` keys, a multiple of a thread's, by twos: the first run of all starts at
/// `start`. `key` is what the thread has of its run. Every thread makes an equal part (merge path).
template <class Bits, unsigned kItems>
__device__ void merge_runs(Bits* keys, Bits (&key)[kItems], unsigned count, unsigned start,
                           unsigned width) {
    constexpr Bits kLast = ~Bits{0};
    constexpr unsigned kBlockKeys = kThreads * kItems;
    const unsigned own = threadIdx.x * kItems;
    const unsigned a_start = own < start ? 0 : start + (own - start) / (2 * width) * (2 * width);
    const bool works = own >= start && a_start < count;  // else it is left alone, or padding
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) keys[own + i] = key[i];
    __syncthreads();
    if (!works) return;
    const unsigned b_start = min(a_start + width, kBlockKeys);
    const unsigned b_end = min(b_start + width, kBlockKeys);
    const unsigned place = own - a_start;
    unsigned low = place > b_end - b_start ? place - (b_end - b_start) : 0;
    unsigned high = min(place, b_start - a_start);
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (keys[a_start + middle] <= keys[b_start + place - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    unsigned a = a_start + low, b = b_start + place - low;
    Bits from_a = a < b_start ? keys[a] : kLast, from_b = b < b_end ? keys[b] : kLast;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        const bool takes_a = b >= b_end || (a < b_start && from_a <= from_b);
        key[i] = takes_a ? from_a : from_b;
        if (takes_a)
            from_a = ++a < b_start ? keys[a] : kLast;
        else
            from_b = ++b < b_end ? keys[b] : kLast;
    }
}

/// Sorts keys[0, count), of which none is `distance` or more from its place. Behind them there is
/// room for two runs. Each thread sorts a run in registers, and then, where keys are close to their
/// places, another one across the ends of the first. Else runs are merged until they are twice as
/// long as the distance, and what is across their ends last.
template <unsigned kRun, class Bits>
__device__ void sort_neighbours(Bits* keys, unsigned count, unsigned distance) {
    constexpr unsigned kHalf = kRun / 2;
    const unsigned own = threadIdx.x * kRun;
    if (threadIdx.x < 2 * kRun) keys[count + threadIdx.x] = ~Bits{0};
    __syncthreads();

    Bits key[kRun];
#pragma unroll
    for (unsigned i = 0; i < kRun; ++i) key[i] = own < count ? keys[own + i] : ~Bits{0};
    transpose_neighbours(key, min(distance, kRun));
    if (distance <= kHalf) {
#pragma unroll
        for (unsigned i = 0; i < kRun; ++i)
            if (own < count) keys[own + i] = key[i];
        __syncthreads();
        if (distance <= (kHalf + 3) / 2)
            sort_seam<kHalf + 3, kRun>(keys, count, distance);
        else
            sort_seam<2 * kHalf, kRun>(keys, count, distance);
    } else {
        unsigned width = kRun;
        for (; width < 2 * distance && width < count; width *= 2)
            merge_runs(keys, key, count, 0, width);
        if (width < count) merge_runs(keys, key, count, width / 2, width / 2);
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < kRun; ++i) keys[own + i] = key[i];
    }
    __syncthreads();
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
