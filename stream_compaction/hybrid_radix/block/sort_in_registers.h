// Sorts a block's keys in its registers: in the same time, whatever the keys.
//
// Source: Batcher, "Sorting networks and their applications", 1968 (bitonic sort).
#pragma once

#include "stream_compaction/hybrid_radix/block/shape.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Sorts kOfThread keys, a power of two, of each thread. Afterwards the thread has the ones from
/// threadIdx.x * kOfThread on. `exchange` has room for all keys, in shared memory.
template <unsigned kOfThread, class Bits>
__device__ void sort_in_registers(Bits (&key)[kOfThread], Bits* exchange) {
    const auto order = [&](unsigned a, unsigned b) {
        const Bits x = key[a], y = key[b];
        key[a] = min(x, y), key[b] = max(x, y);
    };
    // Descending is ascending between two flips.
    const auto flip = [&](bool is_descending) {
        const Bits mask = is_descending ? ~Bits{0} : 0;
#pragma unroll
        for (Bits& k : key) k ^= mask;
    };
    flip((threadIdx.x & 1) != 0);
#pragma unroll
    for (unsigned round = 0; round < kOfThread; ++round)
#pragma unroll
        for (unsigned i = round % 2; i + 1 < kOfThread; i += 2) order(i, i + 1);
    flip((threadIdx.x & 1) != 0);

#pragma unroll 1
    for (unsigned width = 2; width <= kThreads; width *= 2) {  // threads of a sorted run
        flip((threadIdx.x & width) != 0);
#pragma unroll 1
        for (unsigned distance = width / 2; distance > 0; distance /= 2) {
            const bool is_lower = (threadIdx.x & distance) == 0;
            const bool is_in_warp = distance < kLanes;
            if (!is_in_warp) {
                __syncthreads();
#pragma unroll
                for (unsigned i = 0; i < kOfThread; ++i)
                    exchange[i * kThreads + threadIdx.x] = key[i];
                __syncthreads();
            }
#pragma unroll
            for (unsigned i = 0; i < kOfThread; ++i) {
                const Bits other = is_in_warp ? __shfl_xor_sync(~0u, key[i], distance)
                                              : exchange[i * kThreads + (threadIdx.x ^ distance)];
                key[i] = is_lower ? min(key[i], other) : max(key[i], other);
            }
        }
#pragma unroll
        for (unsigned distance = kOfThread / 2; distance > 0; distance /= 2)
#pragma unroll
            for (unsigned i = 0; i < kOfThread; ++i)
                if ((i & distance) == 0) order(i, i + distance);
        flip((threadIdx.x & width) != 0);
    }
    __syncthreads();
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
