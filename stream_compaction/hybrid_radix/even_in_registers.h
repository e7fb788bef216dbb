// The kernel for as many keys as all blocks together hold in registers: they are read once, moved
// to their bins, and sorted there if they are evenly distributed.
//
// 1. All blocks look at the same samples (sample.h). If these are skewed, the keys are left to
//    onesweep. If the range is small, the next steps only count the values, and each block writes
//    its share of the output from the counts (fill.h).
// 2. Each block ranks the keys of its tile by bin, in shared memory, and adds its counts to the
//    global histogram. The atomicAdd there returns the rank of the tile's first key of a bin among
//    all keys of that bin.
// 3. When all blocks have done so, each block scans the histogram for itself. If a bin has more
//    keys than a block should sort, or if a key is out of the guessed range, the keys are left to
//    onesweep: nothing has been moved. Otherwise each key goes to its bin's offset, plus its tile's
//    rank, plus its own rank in the tile.
// 4. When all blocks have moved their keys, each sorts the bins that begin in its share of the
//    output.
//
// Why it is right: each key of a bin has its own rank, so the moves are a permutation; bins are the
// highest bits, so they are in order; and every bin begins in exactly one share.
#pragma once

#include "stream_compaction/hybrid_radix/block_sort.h"
#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/sample.h"
#include "stream_compaction/hybrid_radix/tile_bins.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Shared memory of a block: its tile, and the begins of all bins, which stay while it sorts them.
template <class Shape>
struct RegisterMemory {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kCounterBits = kMaxRegisterBits + 1, kCounters = 1u << kCounterBits;
    static constexpr std::size_t kTileBytes = Shape::kBlockKeys * sizeof(Bits) +
                                              kMaxRegisterBins * sizeof(unsigned) +
                                              (kCounters + kLanes) * sizeof(unsigned);
    static constexpr std::size_t kFirstBegin = std::max(kTileBytes, BlockMemory<Shape>::kBytes);
    static constexpr std::size_t kBytes =
        kFirstBegin + (kMaxRegisterBins + kCountsPerRow) * sizeof(unsigned);

    Bits* keys;
    unsigned* offsets;  ///< of each bin: what is added to an index in the tile
    unsigned* counts;   ///< and one more per lane
    unsigned* begins;   ///< of each bin, and n at the end

    __device__ RegisterMemory()
        : keys(simt::dynamic_shared<Bits>()),
          offsets(reinterpret_cast<unsigned*>(keys + Shape::kBlockKeys)),
          counts(offsets + kMaxRegisterBins),
          begins(reinterpret_cast<unsigned*>(simt::dynamic_shared<unsigned char>() + kFirstBegin)) {
    }
};

constexpr unsigned kBinsOfThread = kMaxRegisterBins / kThreads;

/// Calls f(i, bin) for each bin of the thread.
template <class F>
__device__ void for_each_bin(unsigned bins, F f) {
#pragma unroll
    for (unsigned i = 0; i < kBinsOfThread; ++i)
        if (index_of(i) < bins) f(i, index_of(i));
}

/// Converts keys to numbers. Returns whether one exceeds the largest number of the range.
template <unsigned kItems, class Bits>
__device__ bool make_numbers(Bits (&key)[kItems], unsigned size, KeyMap<Bits> map, Bits largest) {
    bool is_out_of_range = false;
    for_each_group<kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) {
            key[i] = map.number(key[i]);
            is_out_of_range |= key[i] > largest;
        }
    });
    return is_out_of_range;
}

/// The first bin that begins at an index of the output or after it.
inline __device__ unsigned first_bin_from(const unsigned* begins, unsigned bins, unsigned index) {
    return index == 0 ? 0 : value_at(begins, index - 1, 0, bins) + 1;
}

/// Sorts bins [bin, end), as many at once as fit in a block.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_bins(const Job<Shape>& job, const unsigned* begins, unsigned bin, unsigned end,
                          KeyMap<Bits> map) {
    unsigned turn = 0;
    for (unsigned next = 0; bin < end; bin = next) {
        const unsigned begin = begins[bin];
        next = value_at(begins, begin + job.plan.bucket, bin + 1, end);
        const unsigned keys = begins[next] - begin;
        if (keys == 0) continue;
        turn ^= 1;
        if (threadIdx.x == 0) destination<Shape>(turn) = {job.out + begin, map};
        block_sort<Shape>(job.spare + begin, keys, turn);
    }
}

template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_even_in_registers(const __grid_constant__ Job<Shape> job) {
    using Bits = typename Shape::Bits;
    using Memory = RegisterMemory<Shape>;
    const Plan& plan = job.plan;
    Progress& progress = *job.progress;
    const Memory memory;
    unsigned* const begins = memory.begins;
    const unsigned first = blockIdx.x * plan.tile, size = min(plan.tile, plan.n - first);

    // The samples are loaded first: everything waits for them.
    const Sample<Bits> sampled = sample(job);
    Bits key[Shape::kItems];
    for_each_group<Shape::kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) key[i] = job.in[first + min(index_of(i), size - 1)];
    });
    clear(memory.counts, Memory::kCounters);
    auto* const of_samples = reinterpret_cast<unsigned*>(memory.keys);
    clear(of_samples, kMaxRegisterBins);
    Bits spread;
    const Range<Bits> range = guess_range<Shape>(sampled.key, spread);
    const bool is_counted_only = is_countable(range, kMaxRegisterBits, plan.n, sampled.key);
    const unsigned bits = is_counted_only
                              ? range.bits
                              : min(bits_to_fill(plan.buckets, plan.bits, range.bits, spread),
                                    min(kMaxRegisterBits, range.bits));
    if (bits < range.bits && classify<Shape, false>(plan, range, bits, sampled, of_samples,
                                                    kMaxRegisterBits) != Sorter::this_kernel) {
        if (blockIdx.x == 0 && threadIdx.x == 0) leave_to(job, Sorter::onesweep);
        return;
    }

    KeyMap<Bits> map = job.map;
    map.base = range.base;
    const bool is_out_of_range = make_numbers(key, size, map, range.largest());
    const TileBins<Bits, Memory::kCounterBits> bins(range.bits - bits, bits);
    const auto byte_of = [=](Bits k) { return bins.counter_byte(k); };
    const auto begin_in_tile = [&](unsigned bin) {
        return bin < bins.bins ? memory.counts[bin << bins.shares_log2] : size;
    };
    Ranks<Shape::kItems> ranks;
    rank_keys(key, size, memory.counts, Memory::kCounters * sizeof(unsigned), ranks, byte_of);
    if (__syncthreads_or(is_out_of_range) && threadIdx.x == 0)
        atomicOr(&progress.is_contradicted, 1u);
    scan_counts(memory.counts, bins.counters);
    unsigned rank_of_tile[kBinsOfThread];
    for_each_bin(bins.bins, [&](unsigned i, unsigned bin) {
        const unsigned keys = begin_in_tile(bin + 1) - begin_in_tile(bin);
        rank_of_tile[i] = keys > 0 ? atomicAdd(&job.histogram[bin], keys) : 0;
    });
    scatter_keys(key, size, memory.counts, ranks, memory.keys, byte_of);
    progress.barrier.arrive_and_wait();

    const unsigned scanned = max(bins.bins, kCountsPerRow);
    for (unsigned bin = threadIdx.x; bin < scanned; bin += kThreads)
        begins[bin] = bin < bins.bins ? job.histogram[bin] : 0;
    __syncthreads();
    const unsigned most = scan_counts(begins, scanned);
    const bool is_even = progress.is_contradicted == 0 && (is_counted_only || most <= plan.bucket);
    if (is_even && !is_counted_only) {
        if (threadIdx.x == 0) begins[bins.bins] = plan.n;
        for_each_bin(bins.bins, [&](unsigned i, unsigned bin) {
            memory.offsets[bin] = begins[bin] + rank_of_tile[i] - begin_in_tile(bin);
        });
        __syncthreads();
        for_each_group<Shape::kItems>(size, [&](unsigned from, unsigned last, auto is_full) {
#pragma unroll
            for (unsigned i = from; i < last; ++i) {
                const Bits number = memory.keys[index_of(i)];
                const unsigned offset = *reinterpret_cast<const unsigned*>(
                    reinterpret_cast<const char*>(memory.offsets) + bins.bin_times(number, 2));
                if (decltype(is_full)::value || index_of(i) < size)
                    job.spare[offset + index_of(i)] = number;
            }
        });
    }
    const unsigned arrival = progress.barrier.arrive();
    unsigned bin = 0, end_bin = 0;  // of the block's share
    if (is_even && !is_counted_only) {
        bin = first_bin_from(begins, bins.bins, first);
        end_bin = first_bin_from(begins, bins.bins, first + size);
    }
    progress.barrier.wait(arrival);
    // No block reads the histogram any more: it is zeroed for the next launch.
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < bins.bins; i += gridDim.x * kThreads)
        job.histogram[i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        leave_to(job, is_even ? Sorter::this_kernel : Sorter::onesweep);
        progress.is_contradicted = 0;
    }
    if (!is_even) return;
    if (is_counted_only)
        fill_tile(job.out, begins, bins.bins, first, size,
                  [=](unsigned value) { return map.key(Bits{value}); });
    else
        sort_bins(job, begins, bin, end_bin, map);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
