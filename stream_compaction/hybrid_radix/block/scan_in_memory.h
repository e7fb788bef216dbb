// Exclusive scan of counters in global memory, by one block.
#pragma once

#include "stream_compaction/hybrid_radix/block/shape.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Exclusive scan in place by one block, from `start` on; calls use(i, what counters[i] becomes). A
/// warp has neighbours, and its lanes neighbours of each other: so its loads are few, and many of
/// them are under way together.
template <class Offset, class F>
__device__ void scan_in_memory(Offset* counters, unsigned size, Offset start, F use) {
    __shared__ Offset sums[kWarps];
    constexpr unsigned kRows = 8;
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned of_warp = (size + kThreads - 1) / kThreads * kLanes;
    const unsigned first = warp * of_warp, last = min(first + of_warp, size);
    const auto load_rows = [&](unsigned row, Offset(&count)[kRows]) {
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            const unsigned i = row + r * kLanes + lane;
            count[r] = i < last ? counters[i] : Offset{0};
        }
    };
    Offset own = 0;
    for (unsigned row = first; row < last; row += kRows * kLanes) {
        Offset count[kRows];
        load_rows(row, count);
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) own += count[r];
    }
    for (unsigned d = kLanes / 2; d > 0; d /= 2) own += __shfl_xor_sync(~0u, own, d);
    if (lane == 0) sums[warp] = own;
    __syncthreads();
    Offset before = start;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
    for (unsigned row = first; row < last; row += kRows * kLanes) {
        Offset count[kRows];
        load_rows(row, count);
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            Offset up_to = count[r];
            for (unsigned d = 1; d < kLanes; d *= 2) {
                const Offset left = __shfl_up_sync(~0u, up_to, d);
                if (lane >= d) up_to += left;
            }
            const unsigned i = row + r * kLanes + lane;
            const Offset begin = before + up_to - count[r];
            if (i < last) counters[i] = begin, use(i, begin);
            before += __shfl_sync(~0u, up_to, kLanes - 1);
        }
    }
    __syncthreads();
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
