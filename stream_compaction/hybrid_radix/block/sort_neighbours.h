// Sorts keys that are near their places, by networks.
#pragma once

#include "stream_compaction/hybrid_radix/block/shape.h"

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

/// Sorts keys[0, count), of which none is `distance`, at most half a run, or more from its place.
/// Behind them there is room for two runs. Each thread sorts a run in registers, and then another
/// one across the ends of the first.
template <unsigned kRun, class Bits>
__device__ void sort_neighbours(Bits* keys, unsigned count, unsigned distance) {
    constexpr unsigned kHalf = kRun / 2;
    const unsigned own = threadIdx.x * kRun;
    if (threadIdx.x < 2 * kRun) keys[count + threadIdx.x] = ~Bits{0};
    __syncthreads();

    Bits key[kRun];
#pragma unroll
    for (unsigned i = 0; i < kRun; ++i) key[i] = own < count ? keys[own + i] : ~Bits{0};
    transpose_neighbours(key, distance);
#pragma unroll
    for (unsigned i = 0; i < kRun; ++i)
        if (own < count) keys[own + i] = key[i];
    __syncthreads();
    if (distance <= (kHalf + 3) / 2)
        sort_seam<kHalf + 3, kRun>(keys, count, distance);
    else
        sort_seam<2 * kHalf, kRun>(keys, count, distance);
    __syncthreads();
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
