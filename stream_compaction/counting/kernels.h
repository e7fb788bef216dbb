// The kernels: three for a normal call, which count the keys, find where each value begins in the
// output, and fill the output; and one for few keys, which ranks them.
#pragma once

#include "stream_compaction/counting/counters.h"
#include "stream_compaction/counting/numbers.h"
#include "stream_compaction/onesweep/rank_sort.h"
#include "stream_compaction/parts/key_map.h"

#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::counting {

/// Maps keys to the numbers 0 to kValues - 1 in the keys' order, and back. The 32-bit map works on
/// the high bits of a word.
template <class Bits>
struct NumberOf {
    static constexpr unsigned kShift = 32 - 8 * sizeof(Bits);
    KeyMap<unsigned> map;

    __device__ Bits key(unsigned number) const {
        return static_cast<Bits>(map.key(number << kShift) >> kShift);
    }
    /// A 32-bit number in the same order.
    __device__ unsigned number(Bits key) const { return map.number(unsigned{key} << kShift); }
};

/// Sorts n keys, at least one, by comparing each key with all others; not in place.
template <class Bits>
__global__ void __launch_bounds__(onesweep::kThreads, 2)
    rank_keys(const Bits* in, Bits* out, unsigned n, NumberOf<Bits> map) {
    onesweep::NoValue* const none = nullptr;
    onesweep::place_by_ranks(in, out, none, none, n, map);
}

/// An array of keys as aligned vectors, and the keys before the first and after the last vector.
template <class Bits, class Offset>
struct Vectors {
    Offset head, size, tail;  ///< keys, vectors, keys

    __device__ Vectors(const Bits* array, Offset n) {
        const auto past = reinterpret_cast<std::uintptr_t>(array) % sizeof(uint4);
        const auto until = static_cast<unsigned>((sizeof(uint4) - past) % sizeof(uint4));
        head = min(n, Offset{until / unsigned{sizeof(Bits)}});
        size = (n - head) / kOfVector<Bits>;
        tail = n - head - size * kOfVector<Bits>;
    }
};

/// Calls f(i) for the keys of an array that are in no vector; at most two per thread.
template <class Bits, class Offset, class F>
__device__ void for_odd_places(const Vectors<Bits, Offset>& vectors, Offset n, F f) {
    if (threadIdx.x < vectors.head) f(Offset{threadIdx.x});
    if (threadIdx.x < vectors.tail) f(n - vectors.tail + threadIdx.x);
}

/// Adds the number of occurrences of each key to its count. Each block counts in shared memory; a
/// warp loads one vector per lane, and the blocks take the vectors in turn. If there are several
/// value groups, kGroups consecutive blocks read the same keys, and each counts the values of its
/// own group.
template <class Bits, unsigned kGroups, class Offset>
__global__ void __launch_bounds__(kThreads) count_keys(const Bits* in, Offset n, Offset* counts) {
    using Own = Counters<Bits, kGroups>;
    const Own counters;
    for (unsigned i = threadIdx.x; i < Own::kWords / 4; i += kThreads)
        reinterpret_cast<uint4*>(counters.words)[i] = uint4{};
    __syncthreads();
    simt::wait_for_earlier_work();

    const Vectors<Bits, Offset> vectors(in, n);
    const uint4* const from = reinterpret_cast<const uint4*>(in + vectors.head);
    const unsigned block = blockIdx.x / kGroups, blocks = gridDim.x / kGroups;
    const unsigned lane = threadIdx.x % kLanes;
    // With few vectors, each block gets some, in units of whole warps.
    const Offset lanes = Offset{blocks} * kLanes;
    const Offset share = (vectors.size / lanes + (vectors.size % lanes != 0)) * kLanes;
    const unsigned width = static_cast<unsigned>(min(share, Offset{kThreads}));
    if (block == 0) for_odd_places(vectors, n, [&](Offset i) { counters.add(in[i], counts); });
    const Offset step = Offset{blocks} * width;
    for (Offset first = Offset{block} * width; first < vectors.size; first += kVectors * step) {
        const Offset end = threadIdx.x < width ? vectors.size : 0;
        uint4 vector[kVectors] = {};
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v)
            if (const Offset i = first + v * step + threadIdx.x; i < end) vector[v] = from[i];
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v) {
            const unsigned word[4] = {vector[v].x, vector[v].y, vector[v].z, vector[v].w};
            Bits key[kOfVector<Bits>];
#pragma unroll
            for (unsigned k = 0; k < kOfVector<Bits>; ++k) {
                constexpr unsigned kOfWord = 4 / sizeof(Bits);
                key[k] = static_cast<Bits>(word[k / kOfWord] >> k % kOfWord * 8 * sizeof(Bits));
            }
            const Offset i = first + v * step + threadIdx.x;
            if (i - lane + kLanes <= end)
                counters.add_of_warp(key, counts);
            else if (i < end)
                for (const Bits one : key) counters.add(one, counts);
        }
        counters.end_tile();
    }
    __syncthreads();
    simt::let_next_kernel_start();
    counters.flush(counts);
}

/// The sum over all threads of the block, returned in every thread.
template <class T>
__device__ T sum_of_block(T value) {
    __shared__ T sums[kThreads / kLanes];
    value = sum_of_lanes(value);
    if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = value;
    __syncthreads();
    return sum_of_lanes(sums[threadIdx.x % kLanes]);
}

/// Computes where each number begins in the output. A block computes kThreads of these begins, one
/// per thread. It adds up all counts before its own numbers itself, so it waits for no other block.
template <class Bits, class Offset>
__global__ void __launch_bounds__(kThreads)
    place_numbers(const Offset* counts, Offset* begins, NumberOf<Bits> map) {
    static_assert(kThreads == kLanes * kLanes);  // one warp can add up the sums of all warps
    simt::let_next_kernel_start();
    simt::wait_for_earlier_work();
    __shared__ Offset sums[kLanes];
    const unsigned first = blockIdx.x * kThreads, own = first + threadIdx.x;
    const auto count_of = [&](unsigned number) {
        return number < kValues<Bits> ? counts[map.key(number) * kStride<Bits>] : Offset{0};
    };
    const Offset count = count_of(own);
    Offset before = 0;
#pragma unroll 16
    for (unsigned i = threadIdx.x; i < first; i += kThreads) before += count_of(i);
    before = sum_of_block(before);

    const Offset up_to = sum_up_to_lane(count);
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    if (lane == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    const Offset of_warp = sums[lane];
    const Offset of_warps_before = sum_up_to_lane(of_warp) - of_warp;
    if (own < kValues<Bits>)
        begins[own] = before + __shfl_sync(kAllLanes, of_warps_before, warp) + up_to - count;
}

/// Writes the key of each number from the position where the number begins up to the begin of the
/// next one, and clears the counts for the next call. Each block writes one part of the output.
template <class Bits, class Offset>
__global__ void __launch_bounds__(kThreads)
    fill(Bits* out, Offset n, const Offset* begins, NumberOf<Bits> map, Offset* counts) {
    constexpr unsigned kPlaces = kOfVector<Bits>;
    simt::let_next_kernel_start();
    simt::wait_for_earlier_work();
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kCounts<Bits>;
         i += gridDim.x * kThreads)
        counts[i] = 0;

    const Vectors<Bits, Offset> vectors(out, n);
    if (blockIdx.x == 0) {
        for_odd_places(vectors, n, [&](Offset i) { out[i] = map.key(number_at<Bits>(begins, i)); });
    }
    const Offset share = vectors.size / gridDim.x + (vectors.size % gridDim.x != 0);
    const Offset of_block =
        share < kThreads ? share : (share / kThreads + (share % kThreads != 0)) * kThreads;
    const Offset begin = min(Offset{blockIdx.x} * of_block, vectors.size);
    const Offset end = min(begin + of_block, vectors.size);
    if (begin == end) return;
    uint4* const to = reinterpret_cast<uint4*>(out + vectors.head);
    Numbers<Bits, Offset> numbers(begins, vectors.head + begin * kPlaces);
    for (Offset first = begin; first < end; first += kPartVectors) {
        const auto size = static_cast<unsigned>(min(end - first, Offset{kPartVectors}));
        const Offset place = vectors.head + first * kPlaces;
        numbers.go_on(place, place + size * kPlaces);
        for (unsigned from = 0; from < size; from += kThreads) {
            const unsigned i = from + threadIdx.x;
            unsigned word[4] = {};
            const auto put = [&](unsigned k, unsigned number) {
                constexpr unsigned kOfWord = 4 / sizeof(Bits);
                word[k / kOfWord] |= unsigned{map.key(number)} << k % kOfWord * 8 * sizeof(Bits);
            };
            if (numbers.is_one()) {
#pragma unroll
                for (unsigned k = 0; k < kPlaces; ++k) put(k, numbers.first());
            } else if (!numbers.are_many()) {
                if (i < size) numbers.for_places(i, put);
            } else if constexpr (kMarkBytes<Bits> > 0) {
                numbers.for_marked_places(i, put);
            }
            if (i < size) to[first + i] = make_uint4(word[0], word[1], word[2], word[3]);
        }
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
