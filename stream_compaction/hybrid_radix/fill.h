// Counting sort: keys of which all bits were counted are written from the counts.
#pragma once

#include "stream_compaction/hybrid_radix/block/shape.h"
#include "stream_compaction/parts/key_map.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// The last digit of [low, high] that starts at or before a place.
template <class Offset>
__device__ unsigned digit_at(const Offset* begins, Offset place, unsigned low, unsigned high) {
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (begins[middle] <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Writes to[0, size) by a block. In a function of its own, so that what the loop could keep from
/// call to call takes no registers.
template <class Array, class Bits>
__device__ __attribute__((noinline)) void fill_with(Array to, unsigned size, Bits key) {
    for (unsigned i = threadIdx.x; i < size; i += kThreads) to[i] = key;
}

/// Writes a tile of sorted keys: key_of(d) from begins[d] on. In a function of its own: behind what
/// most keys take.
template <class Array, class Offset, class KeyOf>
__device__ __attribute__((noinline)) void fill_tile(Array out, const Offset* begins,
                                                    unsigned digits, Offset first, unsigned size,
                                                    KeyOf key_of) {
    const unsigned last_digit = digit_at(begins, first + size - 1, 0, digits - 1);
    unsigned digit = digit_at(begins, first, 0, last_digit);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < size; i += kThreads) {
        digit = digit_at(begins, first + i, digit, last_digit);
        out[first + i] = key_of(digit);
    }
}

/// The same by all blocks, of n keys.
template <class Shape, class Offset, class KeyOf>
__device__ void fill_by_all(typename Shape::Out out, const Offset* begins, unsigned digits,
                            Offset n, KeyOf key_of) {
    constexpr Offset kTile = Shape::kBlockKeys;
    for (Offset first = blockIdx.x * kTile; first < n; first += gridDim.x * kTile)
        fill_tile(out, begins, digits, first, static_cast<unsigned>(min(n - first, kTile)), key_of);
}

/// For fill_tile: a number is `base` and its digit.
template <class Bits>
__device__ auto keys_from(KeyMap<Bits> map, Bits base) {
    return [=](unsigned digit) { return map.key(base + digit); };
}

template <class Offset>
__device__ void stage(const Offset* from, Offset* to, unsigned size) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += kThreads) to[i] = from[i];
    __syncthreads();
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
