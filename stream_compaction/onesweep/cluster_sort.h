// A stable least-significant-digit sort of keys that fit in the shared memory of one cluster of
// blocks. The passes are those of onesweep, but all data stay in the cluster between passes, and
// blocks wait at the cluster's barrier, which is faster than communication through the L2 cache.
//
// Sources: Adinets and Merrill, "Onesweep", 2022; NVIDIA, "CUDA C++ programming guide",
// "Distributed shared memory".
#pragma once

#include "simt/cluster.h"
#include "stream_compaction/onesweep/job.h"
#include "stream_compaction/onesweep/sort_by_digit.h"
#include "stream_compaction/parts/bit_width.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

constexpr unsigned kMaxCluster = 16;  ///< blocks

/// With more keys, a sort on all multiprocessors is faster.
constexpr std::size_t kMostClustered = std::size_t{1} << 17;

/// The shared memory of a block of the cluster.
template <class Bits, class Value>
struct ClusterMemory {
    static constexpr bool kHasValues = kValueBytes<Value> != 0;
    static constexpr unsigned kOfGroup = 2;  ///< items of a thread that are processed together
    static constexpr unsigned kItems =
        64 / kItemBytes<Bits, Value> / kOfGroup * kOfGroup;  ///< maximum per thread
    static constexpr unsigned kBlockItems = kItems * kThreads;
    static constexpr std::size_t kBytes =
        2 * kBlockItems * kItemBytes<Bits, Value> + 2 * kMaxCluster * sizeof(Bits) +
        (kMaxCluster + 2 * kWarps + 1) * kDigits * sizeof(unsigned);

    Bits* keys;      ///< of a pass, written by all blocks
    Bits* staged;    ///< the same keys, in the order of their digits
    Bits* extremes;  ///< for each block: the OR and the AND of its keys
    Value *values, *staged_values;
    unsigned* counts;            ///< for each block and digit value
    unsigned *masks, *counters;  ///< for each warp and digit value: see rank_row
    /// For each digit value: output position minus position in the tile.
    unsigned* offsets;

    __device__ ClusterMemory()
        : keys(simt::dynamic_shared<Bits>()),
          staged(keys + kBlockItems),
          extremes(staged + kBlockItems),
          values(reinterpret_cast<Value*>(extremes + 2 * kMaxCluster)),
          staged_values(values + (kHasValues ? kBlockItems : 0)),
          counts(reinterpret_cast<unsigned*>(staged_values + (kHasValues ? kBlockItems : 0))),
          masks(counts + kMaxCluster * kDigits),
          counters(masks + kWarps * kDigits),
          offsets(counters + kWarps * kDigits) {}
};

/// The number of blocks of a cluster that sorts n items: few blocks if each has little to do,
/// because their barrier is faster. 0 if a cluster of at most `largest` blocks cannot hold the
/// items.
template <class Bits, class Value>
unsigned cluster_for(std::size_t n, unsigned largest) {
    constexpr unsigned kFew = 8;
    constexpr std::size_t kOfFew = ClusterMemory<Bits, Value>::kBlockItems / 2;
    const unsigned blocks = std::min(largest, n <= kFew * kOfFew ? kFew : kMaxCluster);
    return n <= blocks * std::size_t{ClusterMemory<Bits, Value>::kBlockItems} ? blocks : 0;
}

/// The size of the largest clusters of which the device holds at least a required number at once.
struct LargestClusters {
    unsigned blocks = 0;    ///< of a cluster; 0: the device has no such clusters
    unsigned clusters = 0;  ///< how many of them the device holds
};

template <class... Parameters>
LargestClusters largest_clusters(void (*kernel)(Parameters...), std::size_t shared_bytes,
                                 unsigned least) {
    for (unsigned blocks = kMaxCluster; blocks > 1; blocks /= 2)
        if (const unsigned clusters =
                simt::resident_clusters(kernel, blocks, kThreads, shared_bytes);
            clusters >= least)
            return {blocks, clusters};
    return {};
}

/// The items of a thread. The array is divided into one tile per block of the cluster.
struct ClusterTile {
    unsigned groups;   ///< groups of items of each thread
    unsigned items;    ///< items of the block
    unsigned inverse;  ///< 2^32 / items, rounded up
    /// Index of the thread's first item in the tile; its items are a warp's width apart.
    unsigned of_warp;

    __device__ ClusterTile(unsigned n, unsigned of_group) {
        const unsigned of_blocks = simt::cluster_blocks() * of_group * kThreads;
        groups = (n + of_blocks - 1) / of_blocks;
        items = groups * of_group * kThreads;
        inverse = ~0u / items + 1;
        of_warp = threadIdx.x / kLanes * (items / kWarps) + threadIdx.x % kLanes;
    }
    /// The block whose tile contains an array index below 2^17. (Exact because a tile has at most
    /// 2^15 items.)
    __device__ unsigned block_of(unsigned position) const { return __umulhi(position, inverse); }
};

/// Returns the bits that are not equal in all keys of the cluster, given the OR and the AND of the
/// thread's keys. All threads of the cluster call it.
template <class Bits, class Value>
__device__ Bits varying_in_cluster(const ClusterMemory<Bits, Value>& memory, Bits any, Bits all) {
    __shared__ Bits of_warps[2][kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const auto combine = [](Bits& any, Bits& all) {
        any = combine_lanes(any, [](Bits a, Bits b) { return a | b; });
        all = combine_lanes(all, [](Bits a, Bits b) { return a & b; });
    };
    combine(any, all);
    if (lane == 0) of_warps[0][warp] = any, of_warps[1][warp] = all;
    __syncthreads();
    simt::cluster_wait();  // all blocks have started
    const unsigned blocks = simt::cluster_blocks();
    if (warp == 0) {
        any = of_warps[0][lane % kWarps], all = of_warps[1][lane % kWarps];
        combine(any, all);
        if (lane < blocks) {
            Bits* const extremes = &memory.extremes[2 * simt::cluster_rank()];
            *simt::of_block(extremes, lane) = any;
            *simt::of_block(extremes + 1, lane) = all;
        }
    }
    simt::cluster_arrive();
    simt::cluster_wait();
    any = memory.extremes[0], all = memory.extremes[1];
    for (unsigned b = 1; b < blocks; ++b)
        any |= memory.extremes[2 * b], all &= memory.extremes[2 * b + 1];
    return any ^ all;
}

/// Sorts the job's items by the blocks of one cluster, which must have room for them. In each pass
/// a block ranks the keys of its tile by digit, shares its counts with the other blocks, stages its
/// keys in the order of their digits, and moves each key to the block that has its new position.
/// The pass is stable because positions are ordered by digit value, then by block, then by rank in
/// the tile.
template <class Shape>
__device__ void sort_in_cluster(const Job<Shape, unsigned>& job, KeyMap<typename Shape::Bits> map) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    using Memory = ClusterMemory<Bits, Value>;
    constexpr unsigned kItems = Memory::kItems, kOfGroup = Memory::kOfGroup;
    static_assert(kMaxCluster * Memory::kBlockItems <= 1u << 17);  // for ClusterTile::block_of
    simt::cluster_arrive();
    const Memory memory;
    const unsigned n = job.n, blocks = simt::cluster_blocks(), rank = simt::cluster_rank();
    const ClusterTile tile(n, kOfGroup);
    const auto for_each = [groups = tile.groups](auto f) {
        for_each_item<kOfGroup, 0, kItems / kOfGroup>(groups, f);
    };
    const unsigned warp = threadIdx.x / kLanes;
    const unsigned digit = threadIdx.x;  // the digit value that the thread counts, if `counts`
    const bool counts = threadIdx.x < kDigits;
    unsigned* const own_counters = memory.counters + warp * kDigits;
    unsigned* const own_masks = memory.masks + warp * kDigits;

    const unsigned first = rank * tile.items + tile.of_warp;
    Bits key[kItems];
    Value value[Memory::kHasValues ? kItems : 1];
    for_each([&](unsigned i) { key[i] = job.in[min(first + i * kLanes, n - 1)]; });
    if constexpr (Memory::kHasValues)
        for_each([&](unsigned i) {
            const unsigned at = min(first + i * kLanes, n - 1);
            value[i] = job.values_in == nullptr ? static_cast<Value>(at) : job.values_in[at];
        });
    clear_by_warp(own_masks, sizeof(unsigned) * kDigits);
    Bits any = 0, all = ~Bits{0};
    for_each([&](unsigned i) {
        key[i] = map.number(key[i]);
        any |= key[i], all &= key[i];
    });
    const Bits compared =
        static_cast<Bits>(~Bits{0} >> job.compared.high) >> job.compared.low << job.compared.low;
    const Bits varying = varying_in_cluster(memory, any, all) & compared;
    // Items beyond the array's end get the largest number, so they stay after all keys.
    for_each([&](unsigned i) {
        if (first + i * kLanes >= n) key[i] = ~Bits{0};
    });

    // If no bit differs, all keys have the digit 0, and one pass copies them.
    const unsigned end = bit_width(varying);
    unsigned shift = varying == 0 ? 0 : bit_width(varying & (~varying + 1)) - 1;
    bool is_crowded = false;
    for (;; shift += kDigitBits) {
        const unsigned mask = end - shift < kDigitBits ? (1u << (end - shift)) - 1 : kDigits - 1;
        const auto digit_of = [=](Bits k) { return static_cast<unsigned>(k >> shift) & mask; };
        clear_by_warp(own_counters, sizeof(unsigned) * kDigits);
        __syncwarp();
        HalfWords<kItems> positions;
        rank_stably<kOfGroup>(tile.groups, digit_of, is_crowded, key, own_masks, own_counters,
                              positions);
        __syncthreads();

        // Send the number of keys of each digit value to all blocks. Meanwhile, stage the keys.
        unsigned count = 0;
        if (counts) {
            count = count_of_warps(memory.counters, digit);
            for (unsigned b = 0; b < blocks; ++b)
                *simt::of_block(&memory.counts[rank * kDigits + digit], b) = count;
        }
        simt::cluster_arrive();
        const unsigned begin_in_tile = scan_digits(count);
        if (counts) begin_digit_of_warps(memory.counters, memory.counters, digit, begin_in_tile);
        __syncthreads();
        for_each([&](unsigned i) {
            positions.add(i, own_counters[digit_of(key[i])]);
            memory.staged[positions.get(i)] = key[i];
            if constexpr (Memory::kHasValues) memory.staged_values[positions.get(i)] = value[i];
        });
        simt::cluster_wait();

        unsigned of_all = 0, before = 0;
        if (counts)
#pragma unroll 8
            for (unsigned b = 0; b < blocks; ++b) {
                if (b == rank) before = of_all;
                of_all += memory.counts[b * kDigits + digit];
            }
        const unsigned begin = scan_digits(of_all);
        if (counts) memory.offsets[digit] = begin + before - begin_in_tile;
        __syncthreads();

        // Calls move(position in the tile, key, position in the array).
        const auto move_all = [&](auto move) {
            for_each([&](unsigned i) {
                const unsigned at = i * kThreads + threadIdx.x;
                const Bits moved = memory.staged[at];
                move(at, moved, memory.offsets[digit_of(moved)] + at);
            });
        };
        if (end - shift <= kDigitBits) {
            move_all([&](unsigned at, Bits moved, unsigned to) {
                if (to >= n) return;
                job.out[to] = map.key(moved);
                if constexpr (Memory::kHasValues) job.values_out[to] = memory.staged_values[at];
            });
            return;
        }
        move_all([&](unsigned at, Bits moved, unsigned to) {
            const unsigned block = tile.block_of(to), position = to - block * tile.items;
            *simt::of_block(memory.keys + position, block) = moved;
            if constexpr (Memory::kHasValues)
                *simt::of_block(memory.values + position, block) = memory.staged_values[at];
        });
        simt::cluster_arrive();
        simt::cluster_wait();
        for_each([&](unsigned i) {
            key[i] = memory.keys[tile.of_warp + i * kLanes];
            if constexpr (Memory::kHasValues) value[i] = memory.values[tile.of_warp + i * kLanes];
        });
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
