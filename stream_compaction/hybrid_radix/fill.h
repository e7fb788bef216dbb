// Writes sorted keys from the counts of their values, without moving a key.
#pragma once

#include "stream_compaction/hybrid_radix/job.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// The last of values [low, high] that begins at or before an index of the output.
inline __device__ unsigned value_at(const unsigned* begins, unsigned index, unsigned low,
                                    unsigned high) {
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (begins[middle] <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Writes out[first, first + size), by a block: key_of(v) from begins[v] on.
template <class Out, class KeyOf>
__device__ void fill_tile(Out out, const unsigned* begins, unsigned values, unsigned first,
                          unsigned size, KeyOf key_of) {
    const unsigned last = value_at(begins, first + size - 1, 0, values - 1);
    unsigned value = value_at(begins, first, 0, last);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < size; i += kThreads) {
        value = value_at(begins, first + i, value, last);
        out[first + i] = key_of(value);
    }
}

/// Writes all keys, by all blocks.
template <class Shape, class KeyOf>
__device__ void fill_all(const Job<Shape>& job, const unsigned* begins, unsigned values,
                         KeyOf key_of) {
    const unsigned n = job.plan.n;
    constexpr unsigned kTile = Shape::kBlockKeys;
    const unsigned tiles = (n + kTile - 1) / kTile;
    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x)
        fill_tile(job.out, begins, values, t * kTile, min(n - t * kTile, kTile), key_of);
}

/// Writes keys whose whole range is counted, so that each bin is a key. The begins are copied to
/// shared memory, where each thread searches for its value.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void fill_from_counts(const Job<Shape>& job, Range<Bits> range) {
    unsigned* const begins = simt::dynamic_shared<unsigned>();
    const unsigned values = 1u << range.bits;
    __syncthreads();
    for (unsigned v = threadIdx.x; v < values; v += kThreads) begins[v] = job.begins[v];
    __syncthreads();
    KeyMap<Bits> map = job.map;
    map.base = range.base;
    fill_all(job, begins, values, [=](unsigned v) { return map.key(Bits{v}); });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
