// The steps of a counting sort by a block: count the block's keys by bin, scan the counters, and
// move each key to its bin's offset plus its rank.
#pragma once

#include "stream_compaction/hybrid_radix/shape.h"
#include "stream_compaction/parts/bit_width.h"
#include "stream_compaction/parts/key_map.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kCountsPerRow = 4 * kLanes;  ///< counters that a warp scans at once
constexpr unsigned kGroup = 8;                  ///< atomics of a thread that are in flight together

/// The index, among the block's keys, of a thread's i-th key. Neighbouring threads have
/// neighbouring keys.
__device__ inline unsigned index_of(unsigned i) { return i * kThreads + threadIdx.x; }

/// The smallest and the largest value of all threads, returned in every thread.
template <class T>
__device__ void reduce_range(T& least, T& largest) {
    __shared__ T leasts[kWarps], largests[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    least = min_of_lanes(least), largest = max_of_lanes(largest);
    if (lane == 0) leasts[warp] = least, largests[warp] = largest;
    __syncthreads();
    least = min_of_lanes(leasts[lane % kWarps]);
    largest = max_of_lanes(largests[lane % kWarps]);
}

/// Zeroes `size` words, a multiple of four.
__device__ inline void clear(unsigned* words, unsigned size) {
    for (unsigned i = threadIdx.x; i < size / 4; i += kThreads)
        reinterpret_cast<uint4*>(words)[i] = make_uint4(0, 0, 0, 0);
}

/// Exclusive scan in place of `size` counters, a multiple of kCountsPerRow. Each warp scans some
/// rows, then adds the sums of the warps before it. Returns the largest count in every thread.
__device__ inline unsigned scan_counts(unsigned* counts, unsigned size) {
    __shared__ unsigned sums[kWarps], largests[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned rows = size / kCountsPerRow, rows_of_warp = (rows + kWarps - 1) / kWarps;
    const unsigned first = min(warp * rows_of_warp, rows), last = min(first + rows_of_warp, rows);
    uint4* const mine = reinterpret_cast<uint4*>(counts) + lane;

    unsigned sum = 0, largest = 0;
#pragma unroll 1
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        largest = max(max(max(largest, c.x), c.y), max(c.z, c.w));
        const unsigned own = c.x + c.y + c.z + c.w, up_to = sum_up_to_lane(own);
        const unsigned x = sum + up_to - own, y = x + c.x, z = y + c.y;
        mine[row * kLanes] = make_uint4(x, y, z, z + c.z);
        sum += __shfl_sync(kAllLanes, up_to, kLanes - 1);
    }
    largest = max_of_lanes(largest);
    if (lane == 0) sums[warp] = sum, largests[warp] = largest;
    __syncthreads();
    const unsigned before = sum_of_lanes(lane < warp ? sums[lane] : 0u);
#pragma unroll 1
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        mine[row * kLanes] = make_uint4(c.x + before, c.y + before, c.z + before, c.w + before);
    }
    largest = max_of_lanes(largests[lane % kWarps]);
    __syncthreads();
    return largest;
}

/// Exclusive scan of one value of each thread. All threads call it; `sums` has a word for each
/// warp, and may be used again after the block's next barrier.
__device__ inline unsigned scan_threads(unsigned value, unsigned* sums) {
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned up_to = sum_up_to_lane(value);
    if (lane == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    return sum_of_lanes(lane < warp ? sums[lane] : 0u) + up_to - value;
}

/// Exclusive scan of counters by one block, from `start`. Each counter becomes what
/// use(i, count, offset) returns, where `offset` is `start` plus the counters before counters[i].
/// A warp scans consecutive counters, eight rows of which are in flight together.
template <class F>
__device__ void scan_in_memory(unsigned* counters, unsigned size, unsigned start, F use) {
    __shared__ unsigned sums[kWarps];
    constexpr unsigned kRows = 8;
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned of_warp = (size + kThreads - 1) / kThreads * kLanes;
    const unsigned first = warp * of_warp, last = min(first + of_warp, size);
    const auto load_rows = [&](unsigned row, unsigned(&count)[kRows]) {
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            const unsigned i = row + r * kLanes + lane;
            count[r] = i < last ? counters[i] : 0;
        }
    };
    unsigned own = 0;
    for (unsigned row = first; row < last; row += kRows * kLanes) {
        unsigned count[kRows];
        load_rows(row, count);
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) own += count[r];
    }
    own = sum_of_lanes(own);
    if (lane == 0) sums[warp] = own;
    __syncthreads();
    unsigned before = start;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
    for (unsigned row = first; row < last; row += kRows * kLanes) {
        unsigned count[kRows];
        load_rows(row, count);
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            const unsigned up_to = sum_up_to_lane(count[r]);
            const unsigned i = row + r * kLanes + lane;
            if (i < last) counters[i] = use(i, count[r], before + up_to - count[r]);
            before += __shfl_sync(kAllLanes, up_to, kLanes - 1);
        }
    }
    __syncthreads();
}

/// A rank below 2^16 for each of a thread's keys, two to a word. They are set in ascending order.
template <unsigned kItems>
class Ranks {
  public:
    __device__ void set(unsigned i, unsigned rank) {
        words_[i / 2] = i % 2 == 0 ? rank : words_[i / 2] | rank << 16;
    }
    __device__ unsigned get(unsigned i) const {
        return i % 2 == 0 ? words_[i / 2] & 0xffffu : words_[i / 2] >> 16;
    }

  private:
    unsigned words_[(kItems + 1) / 2] = {};
};

/// Loads a thread's keys of from[0, count). A thread that has no i-th key loads the last one, so
/// loads do not branch and all of them are in flight together.
template <class Bits, unsigned kItems, class Array>
__device__ void load_keys(Bits (&key)[kItems], Array from, unsigned count) {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) key[i] = from[min(index_of(i), count - 1)];
}

/// Makes the compiler recompute values that it derived from this word. Otherwise the bins of all
/// keys stay in registers from one step to the next, and keys are spilled.
template <class T>
__device__ void forget([[maybe_unused]] T& word) {
#if !defined(SIMT_EMULATED)
    if constexpr (sizeof(T) == 4)
        asm volatile("" : "+r"(word));
    else
        asm volatile("" : "+l"(word));
#endif
}

/// Calls f(first, last, is_full) for each group of a thread's keys. If `is_full` is true_type, all
/// threads have all keys of the group, and no key needs a check.
template <unsigned kItems, class F>
__device__ void for_each_group(unsigned count, F f) {
#pragma unroll
    for (unsigned first = 0; first < kItems; first += kGroup) {
        const unsigned last = min(first + kGroup, kItems);
        if (last * kThreads <= count)
            f(first, last, std::true_type());
        else if (first * kThreads < count)
            f(first, last, std::false_type());
    }
}

/// The counter at a byte offset.
__device__ inline unsigned& at(unsigned* counts, unsigned byte) {
    return *reinterpret_cast<unsigned*>(reinterpret_cast<char*>(counts) + byte);
}

/// Counts the block's keys by bin. The rank of a key is what atomicAdd returns, so equal keys come
/// in any order. Lanes without a key count in words of their own, `unused` bytes from the first
/// counter: nothing branches, and atomics overlap.
/// @param byte_of  byte offset of a key's counter
template <class Bits, unsigned kItems, class ByteOf>
__device__ void rank_keys(const Bits (&key)[kItems], unsigned count, unsigned* counts,
                          unsigned unused, Ranks<kItems>& ranks, ByteOf byte_of) {
    unused += threadIdx.x % kLanes * sizeof(unsigned);
    for_each_group<kItems>(count, [&](unsigned first, unsigned last, auto is_full) {
        unsigned rank[kGroup];
#pragma unroll
        for (unsigned i = first; i < last; ++i) {
            const bool has_key = decltype(is_full)::value || index_of(i) < count;
            rank[i - first] = atomicAdd(&at(counts, has_key ? byte_of(key[i]) : unused), 1u);
        }
#pragma unroll
        for (unsigned i = first; i < last; ++i) ranks.set(i, rank[i - first]);
    });
}

/// Moves each key to its bin's offset plus its rank. The counters hold the offsets.
template <class Bits, unsigned kItems, class ByteOf>
__device__ void scatter_keys(const Bits (&key)[kItems], unsigned count, unsigned* offsets,
                             const Ranks<kItems>& ranks, Bits* to, ByteOf byte_of) {
    for_each_group<kItems>(count, [&](unsigned first, unsigned last, auto is_full) {
        unsigned index[kGroup];
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            index[i - first] = at(offsets, byte_of(key[i])) + ranks.get(i);
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            if (decltype(is_full)::value || index_of(i) < count) to[index[i - first]] = key[i];
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
