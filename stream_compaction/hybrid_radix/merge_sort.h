// Sorts a block's keys in shared memory by merging: it takes about the same time for any keys, and
// less if they are nearly in order.
//
// Source: Green, McColl and Bader, "GPU merge path: a GPU merging algorithm", 2012 (each thread
// searches for the start of its part of a merge).
#pragma once

#include "stream_compaction/hybrid_radix/networks.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Loads `run` keys, from index `before` on, of the merge of two adjacent sorted arrays of `width`
/// keys each.
template <unsigned kItems, class Bits>
__device__ void merge_from(const Bits* both, unsigned width, unsigned before, unsigned run,
                           Bits (&key)[kItems]) {
    const Bits* const second = both + width;
    unsigned low = before > width ? before - width : 0, high = min(before, width);
    while (low < high) {  // how many of the first `before` keys come from the first array
        const unsigned middle = (low + high) / 2;
        if (both[middle] <= second[before - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    unsigned of_first = low, of_both = width + before - low;  // the next key of each array
    Bits next = both[min(of_first, width - 1)], other = both[min(of_both, 2 * width - 1)];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        if (i >= run) break;
        const bool is_first = of_first < width && (of_both == 2 * width || next <= other);
        key[i] = is_first ? next : other;
        const unsigned at = is_first ? ++of_first : ++of_both;
        const Bits loaded = both[min(at, 2 * width - 1)];
        if (is_first)
            next = loaded;
        else
            other = loaded;
    }
}

/// Sorts keys[0, count), which must be followed by room for kItems keys per thread in total. Each
/// thread sorts a run in registers; then neighbouring runs are merged, doubling their length each
/// time. Two runs that are already in order need no merge. Not inlined: it is the fallback, and the
/// registers of its loops would make the common path spill.
template <unsigned kItems, class Bits>
__device__ __attribute__((noinline)) void merge_sort(Bits* keys, unsigned count) {
    static_assert(kItems % 2 == 1);
    const unsigned run = (count + kThreads - 1) / kThreads | 1;  // odd: no bank conflicts
    const unsigned own = threadIdx.x * run;
    Bits key[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) key[i] = keys[min(own + i, count - 1)];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i)
        if (i >= run || own + i >= count) key[i] = ~Bits{0};
    transpose_neighbours(key, run);
#pragma unroll 1
    for (unsigned width = run, threads = 2;; width *= 2, threads *= 2) {
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i)
            if (i < run) keys[own + i] = key[i];
        __syncthreads();
        if (width >= count) return;
        const unsigned of_merge = threadIdx.x & (threads - 1);
        const Bits* const both = keys + own - of_merge * run;
        if (both[width - 1] > both[width]) merge_from(both, width, of_merge * run, run, key);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
