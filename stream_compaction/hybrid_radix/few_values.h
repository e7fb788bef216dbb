// The kernel for keys with few distinct values anywhere in the range: it counts the values, and
// writes the sorted keys from the counts. No key is moved.
//
// 1. Each block counts its keys in its own hash table (value_table.h).
// 2. It adds its counts to a table of all blocks, in global memory. If either table is too small,
//    all blocks stop soon, and the keys are left to onesweep: nothing has been written.
// 3. When all blocks have done so, they rank each distinct value among all.
// 4. When the ranks are known, each block scans the counts in the order of values, and writes tiles
//    of the output: each value as often as it was counted.
//
// Why it is correct: each key is counted once, and each value has one slot of a table, so the
// counts are exact and add up to n.
#pragma once

#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/job.h"
#include "stream_compaction/hybrid_radix/value_table.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Clears the table, by all blocks of the previous launch: no content of the table survives a call.
template <class Shape>
__device__ void clear_table_of_all(const Job<Shape>& job) {
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kValueSlots<Shape>;
         i += gridDim.x * kThreads)
        job.values[i] = 0, job.value_counts[i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) job.progress->values = 0;
}

/// Set in Progress::values by a block whose table is full.
constexpr unsigned kTooManyValues = 1u << 31;

template <class Shape>
__device__ bool are_too_many(const Job<Shape>& job) {
    return simt::DeviceAtomic<unsigned>(job.progress->values).load(simt::memory_order_relaxed) >=
           kMostValues<Shape>;
}

/// Inserts a value other than 0 into the global table, unless it is there. Returns its slot, or
/// kNone if there are too many values: a search visits at most 64 slots, and stops when the table
/// is known to be full.
template <class Shape, class Bits = typename Shape::Bits>
__device__ unsigned insert_into_all(const Job<Shape>& job, Bits value, bool& is_new) {
    using Slots = ValueSlots<Bits, kValueSlots<Shape>>;
    constexpr unsigned kTries = 4, kMostTries = 64;
    unsigned slot = Slots::first_for(value);
#pragma unroll 1
    for (unsigned tries = 1; tries <= kMostTries; ++tries) {
        Bits there = simt::DeviceAtomic<Bits>(job.values[slot]).load(simt::memory_order_relaxed);
        if (there == 0) {
            there = atomicCAS(&job.values[slot], Bits{0}, value);
            is_new = there == 0;
        }
        if (there == 0 || there == value) return slot;
        if (tries % kTries == 0 && are_too_many(job)) return Slots::kNone;
        slot = Slots::after(slot);
    }
    atomicOr(&job.progress->values, kTooManyValues);
    return Slots::kNone;
}

/// Adds a block's counts to the global table. A warp appends its new values to the list together.
template <class Shape>
__device__ void add_to_all(const Job<Shape>& job) {
    constexpr unsigned kNone = ValueTable<Shape>::Slots::kNone;
    const ValueTable<Shape> table;
    const unsigned lane = threadIdx.x % kLanes, values = table.state().used;
#pragma unroll 1
    for (unsigned v = threadIdx.x; v - lane < values; v += kThreads) {
        const unsigned slot = v < values ? table.used[v] : 0;
        bool is_new = false;
        const unsigned to = v < values ? insert_into_all(job, table.values[slot], is_new) : kNone;
        const unsigned added = __ballot_sync(kAllLanes, is_new);
        unsigned first = 0;
        if (lane == 0 && added != 0)
            first = atomicAdd(&job.progress->values, static_cast<unsigned>(__popc(added)));
        first = __shfl_sync(kAllLanes, first, 0);
        if (first >= kMostValues<Shape>) break;
        const unsigned entry = first + static_cast<unsigned>(__popc(added & ((1u << lane) - 1)));
        if (is_new && entry < kMostValues<Shape>) job.value_slots[entry] = to;
        if (to != kNone) atomicAdd(&job.value_counts[to], table.counts[slot]);
    }
    if (threadIdx.x == 0 && table.counts[0] != 0) atomicAdd(&job.value_counts[0], table.counts[0]);
}

/// Counts the keys of some consecutive tiles by value, in each block. Stops if some block has found
/// too many values.
/// @param sampled  a value of each thread that is likely to occur: it is inserted first
template <class Shape, class Bits = typename Shape::Bits>
__device__ void count_values(const Job<Shape>& job, Bits sampled) {
    using Table = ValueTable<Shape>;
    constexpr unsigned kItems = Table::Slots::kCount / (2 * kThreads), kKeys = kItems * kThreads;
    const Table table;
    const unsigned n = job.plan.n, tiles = (n + kKeys - 1) / kKeys;
    const unsigned share = tiles / gridDim.x, more = tiles % gridDim.x;
    unsigned t = blockIdx.x * share + min(blockIdx.x, more);
    const unsigned end = t + share + (blockIdx.x < more ? 1 : 0);
    const auto size_of = [&](unsigned tile) { return min(n - tile * kKeys, kKeys); };
    Bits next[kItems];
    const auto load = [&](unsigned tile) { load_keys(next, job.in + tile * kKeys, size_of(tile)); };

    if (t < end) load(t);
    table.clear();
    __syncthreads();
    const auto found = table.find(sampled);
    __syncthreads();
    table.add(sampled, found, true, 0);
    __syncthreads();
    bool is_in_vain = false;
    for (; t < end && !is_in_vain; ++t) {
        const unsigned size = size_of(t);
        Bits key[kItems];
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) key[i] = next[i];
        if (t + 1 < end) load(t + 1);
        const unsigned missed = Table::state().needs_whole == 0
                                    ? table.template count_at_home<typename Table::HalfVector>(key)
                                    : table.template count_at_home<typename Table::Vector>(key);
        const bool stops = threadIdx.x == 0 && are_too_many(job);
        if (__syncthreads_or(missed != 0 || stops))
            is_in_vain = __syncthreads_or(stops) != 0 || !table.count_or_insert(missed, key);
        // In the last tile, threads without a key have counted the last key repeatedly.
        if (threadIdx.x == 0 && size < kKeys && !is_in_vain)
            atomicSub(&table.counts[table.find(job.in[n - 1]).slot], kKeys - size);
    }
    __syncthreads();
    if (!is_in_vain)
        add_to_all(job);
    else if (threadIdx.x == 0)
        atomicOr(&job.progress->values, kTooManyValues);
}

/// Stores each value and its count at the value's rank, by all blocks. A warp ranks four values at
/// a time, so each number that it reads from shared memory is compared four times.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void rank_values(const Job<Shape>& job, unsigned all) {
    constexpr unsigned kAtOnce = 4;
    Bits* const numbers = simt::dynamic_shared<Bits>();
    const KeyMap<Bits> map = job.map;
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const bool has_zero = job.value_counts[0] != 0;  // which is the last of the unordered values
    const auto slot_of = [&](unsigned v) {
        return has_zero && v + 1 == all ? 0 : job.value_slots[v];
    };
    __syncthreads();
    for (unsigned v = threadIdx.x; v < all; v += kThreads)
        numbers[v] = map.number(job.values[slot_of(v)]);
    __syncthreads();
    for (unsigned v = kAtOnce * (blockIdx.x + gridDim.x * warp); v < all;
         v += kAtOnce * gridDim.x * kWarps) {
        Bits own[kAtOnce];
        unsigned rank[kAtOnce] = {};
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) own[i] = numbers[min(v + i, all - 1)];
#pragma unroll 4
        for (unsigned other = lane; other < all; other += kLanes)
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) rank[i] += numbers[other] < own[i] ? 1 : 0;
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            rank[i] = sum_of_lanes(rank[i]);
            if (lane != i || v + i >= all) continue;
            job.values_in_order[rank[i]] = map.key(own[i]);
            job.counts_in_order[rank[i]] = job.value_counts[slot_of(v + i)];
        }
    }
}

template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    count_few_values(const __grid_constant__ Job<Shape> job) {
    Progress& progress = *job.progress;
    if (progress.sorter != Sorter::few_values) return;
    const unsigned part = job.plan.n / kThreads;
    count_values(job, job.in[part * threadIdx.x]);
    progress.barrier.arrive_and_wait();
    if (are_too_many(job)) {
        if (blockIdx.x == 0 && threadIdx.x == 0) progress.for_onesweep = 1;
        return;
    }
    const unsigned all = progress.values + (job.value_counts[0] != 0 ? 1 : 0);
    rank_values(job, all);
    progress.barrier.arrive_and_wait();

    auto* const begins = simt::dynamic_shared<unsigned>();
    for (unsigned v = threadIdx.x; v < all; v += kThreads) begins[v] = job.counts_in_order[v];
    __syncthreads();
    scan_in_memory(begins, all, 0, [](unsigned, unsigned, unsigned offset) { return offset; });
    fill_all(job, begins, all, [&](unsigned v) { return job.values_in_order[v]; });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
