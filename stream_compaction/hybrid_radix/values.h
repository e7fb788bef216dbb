// Keys of few different values, wherever these lie: counted in a hash table, and written from the
// counts. No key is moved. Each block has a table of its own; which values there are, all blocks
// find out together, and early, since that may be too many.
#pragma once

#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix/block/scan_in_memory.h"
#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/value_table.h"
#include "stream_compaction/hybrid_radix/work.h"

#include <bit>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// What all blocks know of the values, where keys would be that are moved.
template <class Shape, class Offset>
struct ValueLists {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kKeysOfValue = 8;  ///< that take no less memory than its entries
    static_assert(2 * sizeof(Bits) + sizeof(Offset) + sizeof(unsigned) <=
                  kKeysOfValue * sizeof(Bits));
    unsigned most;    ///< values. 0 is not among those that are entered
    Bits* values;     ///< as they are entered,
    Bits* in_order;   ///< and all in order,
    Offset* counts;   ///< each of which there is so often
    unsigned* slots;  ///< of entered ones, in the table of all

    __device__ explicit ValueLists(const Work<Shape, Offset>& work)
        : most(static_cast<unsigned>(
              min(Offset{min(kMostValues<Shape, Offset>, 2 * work.fit().few_values)},
                  work.fit().n / kKeysOfValue))),
          values(work.spare),
          in_order(values + most),
          counts(reinterpret_cast<Offset*>(in_order + most)),
          slots(reinterpret_cast<unsigned*>(counts + most)) {}
};

/// Whether the list of all has too many values.
template <class Shape, class Offset>
__device__ bool are_too_many(const Work<Shape, Offset>& work) {
    return simt::DeviceAtomic<unsigned>(work.progress->values).load(simt::memory_order_relaxed) >=
           ValueLists(work).most;
}
constexpr unsigned kTooManyValues = 1u << 31;  ///< a bit of Progress::values, for the same

/// The slot of a value other than 0 in the table of all, which has it then; or none, where there
/// are too many. That may be before these are counted, so nobody searches for long.
/// @param is_new whether it had not
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ unsigned enter(const Work<Shape, Offset>& work, Bits value, bool& is_new) {
    using Slots = ValueSlots<Bits, 2 * kMostValues<Shape, Offset>>;
    constexpr unsigned kTries = 4, kMostTries = 64;
    unsigned slot = Slots::first_for(value);
#pragma unroll 1
    for (unsigned tries = 1; tries <= kMostTries; ++tries) {
        Bits there = simt::DeviceAtomic<Bits>(work.values[slot]).load(simt::memory_order_relaxed);
        if (there == 0) {
            there = atomicCAS(&work.values[slot], Bits{0}, value);
            is_new = there == 0;
        }
        if (there == 0 || there == value) return slot;
        if (tries % kTries == 0 && are_too_many(work)) return Slots::kNone;
        slot = Slots::behind(slot);
    }
    atomicOr(&work.progress->values, kTooManyValues);
    return Slots::kNone;
}

constexpr unsigned kLastRound = ~0u;  ///< when a block has counted all its keys

/// By a block: enters its values from the first-th on into the table of all, and into the list
/// those that are new. With their counts, in the last round.
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void enter_values(const Work<Shape, Offset>& work,
                                                       unsigned first, unsigned round) {
    constexpr unsigned kNone = ValueTable<Shape>::Slots::kNone;
    const ValueTable<Shape> table;
    const ValueLists lists(work);
    const unsigned lane = threadIdx.x % kLanes, size = table.size().used;
#pragma unroll 1
    for (unsigned v = first + threadIdx.x; v - lane < size; v += kThreads) {
        const unsigned slot = v < size ? table.used[v] : 0;
        bool is_new = false;
        unsigned to = kNone;
        if (v < size) to = enter(work, table.values[slot], is_new);
        const unsigned added = __ballot_sync(~0u, is_new);
        unsigned first_place = 0;
        if (lane == 0 && added != 0)
            first_place = atomicAdd(&work.progress->values, static_cast<unsigned>(__popc(added)));
        first_place = __shfl_sync(~0u, first_place, 0);
        if (first_place >= lists.most) break;
        if (lane == 0 && added != 0 && round < kValueRounds)
            atomicAdd(&work.progress->new_of_round[round], static_cast<unsigned>(__popc(added)));
        const unsigned place =
            first_place + static_cast<unsigned>(__popc(added & ((1u << lane) - 1)));
        if (is_new && place < lists.most)
            lists.values[place] = table.values[slot], lists.slots[place] = to;
        if (round == kLastRound && to != kNone)
            if (const unsigned keys = table.counts[slot]; keys != 0)
                atomicAdd(&work.value_counts[to], Offset{keys});
        if (__all_sync(~0u, to == kNone)) break;
    }
}

/// Of so many blocks one enters its values after the first tile, and the samples, which are the
/// same in all. All enter those that are new after so many times as many tiles each time.
constexpr unsigned kBlocksOfFirstRound = 8, kTilesOfNextRound = 4;

__device__ inline unsigned blocks_of_first_round() {
    return ceil_div(gridDim.x, kBlocksOfFirstRound);
}
__device__ inline unsigned tiles_of_round(unsigned round) {
    return 1u << round * std::countr_zero(kTilesOfNextRound);
}

/// How many values there will be after so many times as many keys, if they go on to come as a power
/// of the keys (Heaps' law): `now`, and `before` that where the keys were a `more`-th.
__device__ inline float values_to_come(unsigned before, unsigned now, unsigned more, float times) {
    const float growth = log2f(static_cast<float>(now) / static_cast<float>(before)) /
                         log2f(static_cast<float>(more));
    return static_cast<float>(now) * exp2f(min(growth, 1.0f) * log2f(times));
}
constexpr float kSurelyTooMany = 1.25f;  ///< times what there is room for

/// By one thread of each block that has entered the values of a round. The last to come knows how
/// many they have found together, and gives up where there will be too many if they go on like
/// that. (Not what the list has by then: some blocks may be far ahead.)
/// @param tiles     of the block so far
/// @param all_tiles of it
template <class Shape, class Offset>
__device__ void judge_growth(const Work<Shape, Offset>& work, unsigned round, unsigned tiles,
                             unsigned all_tiles) {
    constexpr unsigned kBits = 10, kMask = (1u << kBits) - 1;
    Progress& progress = *work.progress;
    if (round == 0 || round >= kValueRounds || gridDim.x > kMask) return;
    const unsigned rounds = atomicAdd(&progress.rounds, 1u << round * kBits);
    if ((rounds >> round * kBits & kMask) != gridDim.x - 1) return;
    unsigned before = 0;
    for (unsigned r = 0; r < round; ++r) before += atomicAdd(&progress.new_of_round[r], 0u);
    const unsigned now = before + atomicAdd(&progress.new_of_round[round], 0u);
    if (before == 0) return;
    const unsigned more =
        kTilesOfNextRound * (round == 1 ? gridDim.x / blocks_of_first_round() : 1);
    const float times = static_cast<float>(all_tiles) / static_cast<float>(tiles);
    if (values_to_come(before, now, more, times) >
        kSurelyTooMany * static_cast<float>(ValueLists(work).most))
        atomicOr(&progress.values, kTooManyValues);
}

/// By a block: adds its counts to those of all.
template <class Shape, class Offset>
__device__ void hand_in_values(const Work<Shape, Offset>& work) {
    const ValueTable<Shape> table;
    enter_values(work, 0, kLastRound);
    if (threadIdx.x == 0 && table.counts[0] != 0)
        atomicAdd(&work.value_counts[0], Offset{table.counts[0]});
}

/// By all blocks: each counts its keys by value, and adds its counts to those of all. Ends early
/// where that is in vain: Progress::values is too many then.
/// @param sampled a value that is likely to come, for each thread
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void count_values(const Work<Shape, Offset>& work,
                                                       Bits sampled) {
    using Table = ValueTable<Shape>;
    using Slots = typename Table::Slots;
    constexpr unsigned kItems = Slots::kCount / (2 * kThreads);
    constexpr unsigned kKeys = kItems * kThreads;
    constexpr unsigned kFewTiles = 16;  // fill no table: else it would be handed in too often
    constexpr unsigned kSurelyFew = kThreads / 4;
    const Table table;
    const TileRange tiles = share_of(tiles_of(work.fit().n, kKeys));
    Bits next[kItems];
    const auto is_ragged = [&](unsigned t) { return work.fit().n - Offset{t} * kKeys < kKeys; };
    const auto load = [&](unsigned t) {  // behind the last key, that comes again
        const auto from = work.in + Offset{t} * kKeys;
        if (!is_ragged(t)) {
#pragma unroll
            for (unsigned i = 0; i < kItems; ++i) next[i] = from[place_of(i)];
        } else {
            const Offset last = work.fit().n - Offset{t} * kKeys - 1;
#pragma unroll
            for (unsigned i = 0; i < kItems; ++i) next[i] = from[min(Offset{place_of(i)}, last)];
        }
    };
    if (tiles.first < tiles.end) load(tiles.first);
    // What the block goes by is in shared memory, where it takes no registers.
    __shared__ unsigned round, emptied;
    const bool is_of_first_round = blockIdx.x % kBlocksOfFirstRound == 0;
    __syncthreads();  // whoever used the memory before is done with it
    table.clear();
    if (threadIdx.x == 0) round = 0, emptied = tiles.first;
    __syncthreads();
    const auto place = table.find(sampled);
    __syncthreads();
    table.add(sampled, place, true, 0);
    __syncthreads();
    if (threadIdx.x == 0 && !is_of_first_round) Table::size().entered = Table::size().used;
    bool is_in_vain = false;
    for (unsigned t = tiles.first; t < tiles.end && !is_in_vain; ++t) {
        const bool are_over = threadIdx.x == 0 && are_too_many(work);
        Bits key[kItems];
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) key[i] = next[i];
        if (t + 1 < tiles.end) load(t + 1);

        unsigned missed = Table::size().needs_whole == 0
                              ? table.template count_at_home<typename Table::HalfRow>(key)
                              : table.template count_at_home<typename Table::Row>(key);
        if (__syncthreads_or(missed != 0 || are_over)) {
            is_in_vain = __syncthreads_or(are_over) != 0;
            if (!is_in_vain) missed = table.count_or_add(missed, key);
            if (!is_in_vain && Table::size().used >= Table::kMost) {
                is_in_vain = t < emptied + kFewTiles || is_ragged(t);
                if (!is_in_vain) {
                    hand_in_values(work);
                    __syncthreads();
                    table.clear();
                    if (threadIdx.x == 0) emptied = t;
                    __syncthreads();
                    table.count_or_add(missed, key);
                }
            }
        }
        const unsigned done = t + 1 - tiles.first;
        if (done != tiles_of_round(round) || is_in_vain) continue;
        const bool enters = is_of_first_round || round > 0;
        if (enters && Table::size().entered != Table::size().used)
            enter_values(work, Table::size().entered, round);
        __syncthreads();
        if (threadIdx.x > 0) continue;
        // The block's own table, too, may have no room for what comes.
        if (is_of_first_round && round == 1 &&
            kTilesOfNextRound * Table::size().used > Table::kMost &&
            values_to_come(Table::size().entered, Table::size().used, kTilesOfNextRound,
                           static_cast<float>(min(tiles.end - tiles.first, kFewTiles)) /
                               static_cast<float>(done)) >
                kSurelyTooMany * static_cast<float>(Table::kMost))
            atomicOr(&work.progress->values, kTooManyValues);
        if (enters) Table::size().entered = Table::size().used;
        if (enters && Table::size().used >= kSurelyFew)
            judge_growth(work, round, done, tiles.end - tiles.first);
        ++round;
    }
    __syncthreads();
    if (is_in_vain) {
        if (threadIdx.x == 0) atomicOr(&work.progress->values, kTooManyValues);
        return;
    }
    if (tiles.first < tiles.end && is_ragged(tiles.end - 1) && threadIdx.x == 0)
        atomicSub(&table.counts[table.find(work.in[work.fit().n - 1]).slot],  // what came again
                  static_cast<unsigned>(Offset{tiles.end} * kKeys - work.fit().n));
    __syncthreads();
    hand_in_values(work);
}

/// By all blocks: each warp finds the ranks of a few values at a time, and writes these in order.
/// @param all     of them
/// @param numbers theirs, in shared memory
/// @param slot_of the slot of a value in the table of all
template <class Shape, class Offset, class Bits, class SlotOf>
__device__ void order_values(const Work<Shape, Offset>& work, unsigned all, const Bits* numbers,
                             SlotOf slot_of) {
    constexpr unsigned kAtOnce = 4;  // each number that is read is compared with so many
    const ValueLists lists(work);
    const KeyMap<Bits> map = work.map;
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
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
            lists.in_order[rank[i]] = map.key(own[i]);
            lists.counts[rank[i]] = work.value_counts[slot_of(v + i)];
        }
    }
}

/// By all blocks: writes the sorted keys. Each value is ranked among all: of few values by each
/// block for itself, of more by one warp, and then all blocks meet.
/// @param values other than 0 that are there
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void write_values(const Work<Shape, Offset>& work,
                                                       unsigned values) {
    constexpr unsigned kFew = kThreads / 2;
    const ValueLists lists(work);
    const KeyMap<Bits> map = work.map;
    const unsigned all = values + (work.value_counts[0] != 0 ? 1 : 0);
    const auto slot_of = [&](unsigned v) { return v < values ? lists.slots[v] : 0; };
    Bits* const numbers = simt::dynamic_shared<Bits>();
    __syncthreads();  // whoever used the memory before is done with it
#pragma unroll 8
    for (unsigned v = threadIdx.x; v < all; v += kThreads)
        numbers[v] = map.number(v < values ? lists.values[v] : Bits{0});
    __syncthreads();
    if (all <= kFew) {
        Bits* const sorted = numbers + kFew;
        auto* const begins = reinterpret_cast<Offset*>(sorted + kFew);
        if (threadIdx.x < all) {
            const Bits own = numbers[threadIdx.x];
            unsigned rank = 0;
#pragma unroll 8
            for (unsigned v = 0; v < all; ++v) rank += numbers[v] < own ? 1 : 0;
            sorted[rank] = own, begins[rank] = work.value_counts[slot_of(threadIdx.x)];
        }
        __syncthreads();
        scan_in_memory(begins, all, Offset{0}, [](unsigned, Offset) {});
        fill_by_all<Shape>(work.out, begins, all, work.fit().n,
                           [=](unsigned v) { return map.key(sorted[v]); });
    } else {
        order_values(work, all, numbers, slot_of);
        work.progress->barrier.arrive_and_wait();
        auto* const begins = reinterpret_cast<Offset*>(numbers);
#pragma unroll 8
        for (unsigned v = threadIdx.x; v < all; v += kThreads) begins[v] = lists.counts[v];
        __syncthreads();
        scan_in_memory(begins, all, Offset{0}, [](unsigned, Offset) {});
        fill_by_all<Shape>(work.out, begins, all, work.fit().n,
                           [in_order = lists.in_order](unsigned v) { return in_order[v]; });
    }
}

/// By all blocks: whether the keys have few enough different values, and are sorted.
/// @param sampled a number for each thread, the same in all blocks
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool sort_few_values(const Work<Shape, Offset>& work, Bits sampled) {
    count_values(work, work.map.key(sampled));
    work.progress->barrier.arrive_and_wait();
    if (!are_too_many(work)) {
        write_values(work, work.progress->values);
        return true;
    }
    constexpr unsigned kSlots = 2 * kMostValues<Shape, Offset>;
    for (unsigned s = blockIdx.x * kThreads + threadIdx.x; s < kSlots; s += gridDim.x * kThreads)
        work.values[s] = 0, work.value_counts[s] = 0;
    return false;
}

/// By the last block: leaves what was counted as the next launch must find it.
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void forget_values(const Work<Shape, Offset>& work) {
    const ValueLists lists(work);
    const unsigned count = are_too_many(work) ? 0 : work.progress->values;
    __syncthreads();
    for (unsigned v = threadIdx.x; v < count; v += kThreads)
        work.values[lists.slots[v]] = 0, work.value_counts[lists.slots[v]] = 0;
    if (threadIdx.x > 0) return;
    work.value_counts[0] = 0;
    work.progress->values = work.progress->rounds = 0;
    for (unsigned& values : work.progress->new_of_round) values = 0;
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
