// The kernels of the sort: count the digits of keys in buckets, and partition keys into the buckets
// and what is between them.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/distributed/buckets.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/key_map.h"
#include "stream_compaction/parts/warp.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

constexpr unsigned kThreads = 256, kWarps = kThreads / kLanes;
template <class Bits>
constexpr unsigned kItems = 64 / sizeof(Bits);  ///< of a thread
template <class Bits>
constexpr unsigned kTile = kThreads* kItems<Bits>;

/// Keys by their high bits: of those, a bucket has its prefix.
template <class Bits>
struct Buckets {
    const Bits* prefixes;  ///< ascending, each once
    unsigned size;
    unsigned shift;  ///< low bits of a key that do not matter
    KeyMap<Bits> map;

    __device__ Bits high(Bits number) const {
        return shift == 8 * sizeof(Bits) ? Bits{0} : number >> shift;
    }
    /// How many buckets start at that prefix, or before it.
    __device__ unsigned up_to(Bits prefix) const {
        unsigned first = 0, count = size;
        while (count > 0) {
            const unsigned half = count / 2;
            if (prefixes[first + half] <= prefix) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    }
    /// 0: what is before the first bucket, 1: the first bucket, 2: what is between it and the next
    /// one, ...
    __device__ unsigned bin(Bits key) const {
        const Bits prefix = high(map.number(key));
        const unsigned buckets = up_to(prefix);
        const bool is_in = buckets > 0 && prefixes[buckets - 1] == prefix;
        return 2 * buckets - (is_in ? 1 : 0);
    }
    unsigned bins() const { return 2 * size + 1; }

    /// The same, with the prefixes in shared memory. Whoever calls it waits for the block.
    __device__ Buckets copied_to(Bits* shared) const {
        for (unsigned i = threadIdx.x; i < size; i += kThreads) shared[i] = prefixes[i];
        Buckets copy = *this;
        copy.prefixes = shared;
        return copy;
    }
};

/// Loads the thread's keys of a tile.
template <class Bits>
__device__ void load_tile(const Bits* keys, unsigned size, Bits (&key)[kItems<Bits>]) {
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i) {
        const unsigned place = i * kThreads + threadIdx.x;
        if (place < size) key[i] = keys[place];
    }
}
/// Calls f(i) for those.
template <class Bits, class F>
__device__ void for_tile(unsigned size, F f) {
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i)
        if (i * kThreads + threadIdx.x < size) f(i);
}
template <class Bits>
__device__ unsigned tile_size(std::size_t first, std::size_t n) {
    return static_cast<unsigned>(min(n - first, std::size_t{kTile<Bits>}));
}

/// Adds, for each bucket, how many of its keys have which digit: the bits next to its prefix. Lanes
/// share what counters are left: where many keys have the same digit, they would wait for each
/// other at one.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    count_digits(const Bits* keys, std::size_t n, Buckets<Bits> all, unsigned digit_bits,
                 unsigned long long* counts) {
    __shared__ unsigned counters[kCounters];
    const unsigned used = all.size << digit_bits;
    const unsigned shares = min(kLanes, kCounters >> (kLanes - __clz(used - 1)));
    const Buckets<Bits> buckets = all.copied_to(simt::dynamic_shared<Bits>());
    for (unsigned i = threadIdx.x; i < used * shares; i += kThreads) counters[i] = 0;
    __syncthreads();
    const unsigned digit_shift = all.shift - digit_bits, digits = 1u << digit_bits;
    for (std::size_t first = std::size_t{blockIdx.x} * kTile<Bits>; first < n;
         first += std::size_t{gridDim.x} * kTile<Bits>) {
        const unsigned size = tile_size<Bits>(first, n);
        Bits key[kItems<Bits>];
        load_tile(keys + first, size, key);
        for_tile<Bits>(size, [&](unsigned i) {
            const unsigned bin = buckets.bin(key[i]);
            if (bin % 2 == 0) return;
            const unsigned digit =
                static_cast<unsigned>(all.map.number(key[i]) >> digit_shift) & (digits - 1);
            atomicAdd(&counters[(bin / 2 * digits + digit) * shares + threadIdx.x % shares], 1u);
        });
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < used; i += kThreads) {
        unsigned sum = 0;
        for (unsigned s = 0; s < shares; ++s) sum += counters[i * shares + s];
        if (sum > 0) atomicAdd(&counts[i], static_cast<unsigned long long>(sum));
    }
}

/// A tile in shared memory, for so many bins.
template <class Bits>
struct PartitionMemory {
    unsigned long long* places;  ///< of each bin, less where it starts in the tile
    Bits* keys;                  ///< in the order of their bins
    Bits* prefixes;
    unsigned* counters;  ///< of each bin; scanned, where it starts; and one more
    unsigned* sums;      ///< of warps
    unsigned short* bins;

    static std::size_t bytes(unsigned bins) {
        return bins * (sizeof(unsigned long long) + sizeof(Bits) + sizeof(unsigned)) +
               (1 + kWarps) * sizeof(unsigned) +
               kTile<Bits> * (sizeof(Bits) + sizeof(unsigned short));
    }
    __device__ explicit PartitionMemory(unsigned of_bins)
        : places(simt::dynamic_shared<unsigned long long>()),
          keys(reinterpret_cast<Bits*>(places + of_bins)),
          prefixes(keys + kTile<Bits>),
          counters(reinterpret_cast<unsigned*>(prefixes + of_bins)),
          sums(counters + of_bins + 1),
          bins(reinterpret_cast<unsigned short*>(sums + kWarps)) {}
};

/// Exclusive scan of the counters, by a block; the last one becomes the sum.
__device__ inline void scan_counters(unsigned* counters, unsigned size, unsigned* sums) {
    const unsigned of_thread = (size + kThreads - 1) / kThreads;
    const unsigned first = min(threadIdx.x * of_thread, size), last = min(first + of_thread, size);
    unsigned own = 0;
    for (unsigned i = first; i < last; ++i) own += counters[i];
    const unsigned up_to = sum_up_to_lane(own), warp = threadIdx.x / kLanes;
    if (threadIdx.x % kLanes == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    unsigned before = up_to - own;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
    for (unsigned i = first; i < last; ++i) {
        const unsigned count = counters[i];
        counters[i] = before;
        before += count;
    }
    if (threadIdx.x == kThreads - 1) counters[size] = before;
    __syncthreads();
}

/// Moves each key behind its bin's cursor; those of one bin get into no particular order. A rank in
/// the tile is what atomicAdd in shared memory returns, and one atomicAdd for each bin takes the
/// tile's places.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    partition(const Bits* in, Bits* out, std::size_t n, Buckets<Bits> all,
              unsigned long long* cursors) {
    const unsigned bins = 2 * all.size + 1;
    const PartitionMemory<Bits> memory(bins);
    const Buckets<Bits> buckets = all.copied_to(memory.prefixes);
    for (std::size_t first = std::size_t{blockIdx.x} * kTile<Bits>; first < n;
         first += std::size_t{gridDim.x} * kTile<Bits>) {
        const unsigned size = tile_size<Bits>(first, n);
        Bits key[kItems<Bits>];
        unsigned bin[kItems<Bits>], rank[kItems<Bits>];
        load_tile(in + first, size, key);
        for (unsigned i = threadIdx.x; i < bins; i += kThreads) memory.counters[i] = 0;
        __syncthreads();
        for_tile<Bits>(size, [&](unsigned i) {
            bin[i] = buckets.bin(key[i]);
            rank[i] = atomicAdd(&memory.counters[bin[i]], 1u);
        });
        __syncthreads();
        scan_counters(memory.counters, bins, memory.sums);
        for (unsigned b = threadIdx.x; b < bins; b += kThreads) {
            const unsigned begin = memory.counters[b], keys = memory.counters[b + 1] - begin;
            if (keys > 0)
                memory.places[b] =
                    atomicAdd(&cursors[b], static_cast<unsigned long long>(keys)) - begin;
        }
        for_tile<Bits>(size, [&](unsigned i) {
            const unsigned place = memory.counters[bin[i]] + rank[i];
            memory.keys[place] = key[i];
            memory.bins[place] = static_cast<unsigned short>(bin[i]);
        });
        __syncthreads();
        for_tile<Bits>(size, [&](unsigned i) {
            const unsigned place = i * kThreads + threadIdx.x;
            out[memory.places[memory.bins[place]] + place] = memory.keys[place];
        });  // what this reads, the next tile overwrites behind its first barrier
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
