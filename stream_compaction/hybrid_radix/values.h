// Keys of few different values, wherever these lie: counted in a hash table, and written from the
// counts. No key is moved. Each block has a table of its own; which values there are, all blocks
// find out together, and early, since that may be too many.
//
// Source: Knuth, "The Art of Computer Programming", volume 3, section 6.4 (linear probing,
// multiplicative hashing).
#pragma once

#include "stream_compaction/hybrid_radix/block/scan_in_memory.h"
#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/segments.h"
#include "stream_compaction/hybrid_radix/work.h"

#include <bit>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Where a value is in a hash table: in the first slot from its home on that was empty when it
/// came. A value is a key as it is given. An empty slot has 0. The value 0 has slot 0, its home,
/// and no other value has that: so there it is found, too.
template <class Shape>
struct ValueSlots {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kCount = 2 * kMostValues<Shape>;
    static constexpr unsigned kOfRow = 16 / sizeof(Bits);  ///< a home is the first slot of a row
    static constexpr unsigned kNone = ~0u;

    static __device__ unsigned home_of(Bits value) {
        constexpr unsigned kBits = 8 * sizeof(Bits), kSlotBits = std::countr_zero(kCount);
        constexpr auto kGolden = static_cast<Bits>(0x9e3779b97f4a7c15ull >> (64 - kBits) | 1);
        return static_cast<unsigned>(value * kGolden >> (kBits - kSlotBits)) & ~(kOfRow - 1);
    }
    static __device__ unsigned first_for(Bits value) { return max(home_of(value), 1u); }
    static __device__ unsigned behind(unsigned slot) { return slot + 1 < kCount ? slot + 1 : 1; }
};

/// A block's table, in shared memory.
template <class Shape>
struct ValueTable {
    using Bits = typename Shape::Bits;
    using Slots = ValueSlots<Shape>;
    /// What one load brings: a row, or its first half.
    template <unsigned kSlots>
    struct alignas(kSlots * sizeof(Bits)) Loaded {
        Bits values[kSlots];
    };
    using Row = Loaded<Slots::kOfRow>;
    using HalfRow = Loaded<Slots::kOfRow / 2>;
    struct Size {
        unsigned used;         ///< slots, but for the one of 0
        unsigned needs_whole;  ///< rows: a value is not in the first half of its own
    };

    Row* rows = simt::dynamic_shared<Row>();
    Bits* values = rows->values;
    unsigned* counts = reinterpret_cast<unsigned*>(values + Slots::kCount);  ///< and one more
    unsigned short* used =
        reinterpret_cast<unsigned short*>(counts + Slots::kCount + 1);  ///< slots

    static __device__ Size& size() {
        __shared__ Size size;
        return size;
    }

    /// Behind it, the block has to meet.
    __device__ void clear() const {
        for (unsigned r = threadIdx.x; r < Slots::kCount / Slots::kOfRow; r += kThreads)
            rows[r] = {};
        hybrid_radix::clear(counts, Slots::kCount);
        if (threadIdx.x == 0) size() = {};
    }

    /// Counts a thread's values that are where they are expected: at home, in a row or its first
    /// half. The others have a bit in what it returns.
    template <class Load, unsigned kItems>
    __device__ unsigned count_at_home(const Bits (&value)[kItems]) const {
        constexpr unsigned kAtOnce = kItems < kSearchedAtOnce ? kItems : kSearchedAtOnce;
        unsigned missed = 0;
#pragma unroll
        for (unsigned first = 0; first < kItems; first += kAtOnce) {
            unsigned home[kAtOnce];
            Load load[kAtOnce];
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                home[i] = Slots::home_of(value[first + i]);
                load[i] = *reinterpret_cast<const Load*>(&values[home[i]]);
            }
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                constexpr unsigned kSlots = sizeof(Load) / sizeof(Bits);
                unsigned slot = Slots::kCount;  // whose count nobody needs
#pragma unroll
                for (unsigned s = kSlots; s-- > 0;)
                    if (load[i].values[s] == value[first + i]) slot = home[i] + s;
                atomicAdd(&counts[slot], 1u);
                if (slot == Slots::kCount) missed |= 1u << (first + i);
            }
        }
        return missed;
    }

    /// The slot of a value, or kNone. Meanwhile nobody adds one.
    __device__ unsigned find(Bits value) const {
        unsigned slot = value == 0 ? 0 : Slots::first_for(value);
        while (values[slot] != value && values[slot] != 0) slot = Slots::behind(slot);
        return values[slot] == value ? slot : Slots::kNone;
    }

    /// Counts a value, which is added if it is a new one. Some slot is empty.
    /// @param times 0 to add it alone
    __device__ void add(Bits value, unsigned times) const {
        const unsigned home = Slots::home_of(value);
        unsigned slot = value == 0 ? 0 : max(home, 1u);
#pragma unroll 1
        while (value != 0) {
            const Bits there = atomicCAS(&values[slot], Bits{0}, value);
            if (there == 0) {
                const unsigned place = atomicAdd(&size().used, 1u);
                if (place < kMostValues<Shape>) used[place] = static_cast<unsigned short>(slot);
                if (slot - home >= Slots::kOfRow / 2) atomicExch(&size().needs_whole, 1u);
            }
            if (there == 0 || there == value) break;
            slot = Slots::behind(slot);
        }
        if (times != 0) atomicAdd(&counts[slot], times);
    }
};

/// Calls use(value) for those of a thread's values that have a bit in `which`, which are few
/// mostly; those for which it returns true keep their bits. One after the other, so that there is
/// little code: what runs for the first time comes from far away.
template <unsigned kItems, class Bits, class Use>
__device__ unsigned for_each_of(unsigned which, Bits (&value)[kItems], Use use) {
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned i = 0; i < kItems; ++i) {
        if ((which >> i & 1) != 0 && use(value[0])) kept |= 1u << i;
        const Bits first = value[0];
#pragma unroll
        for (unsigned k = 0; k + 1 < kItems; ++k) value[k] = value[k + 1];
        value[kItems - 1] = first;
    }
    return kept;
}

/// Whether the list of all has too many values: with 0, which is not in it, more than kMostValues.
template <class Shape, class Offset>
__device__ bool are_too_many(const Work<Shape, Offset>& work) {
    return simt::DeviceAtomic<unsigned>(work.progress->values).load(simt::memory_order_relaxed) >=
           kMostValues<Shape>;
}
constexpr unsigned kTooManyValues = 1u << 31;  ///< a bit of Progress::values, for the same

/// The slot of a value other than 0 in the table of all, which has it then; or none, where there
/// are too many. That may be before these are counted, so nobody searches for long.
/// @param is_new whether it had not
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ unsigned enter(const Work<Shape, Offset>& work, Bits value, bool& is_new) {
    using Slots = ValueSlots<Shape>;
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

/// By a block: enters its values from the first-th on into the table of all, and into the list
/// those that are new. With their counts if these are complete.
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void enter_values(const Work<Shape, Offset>& work,
                                                       unsigned first, bool are_complete) {
    const ValueTable<Shape> table;
    const unsigned lane = threadIdx.x % kLanes, size = table.size().used;
#pragma unroll 1
    for (unsigned v = first + threadIdx.x; v - lane < size; v += kThreads) {
        const unsigned slot = v < size ? table.used[v] : 0;
        bool is_new = false;
        unsigned to = ValueSlots<Shape>::kNone;
        if (v < size) to = enter(work, table.values[slot], is_new);
        const unsigned added = __ballot_sync(~0u, is_new);
        unsigned place = 0;
        if (lane == 0 && added != 0)
            place = atomicAdd(&work.progress->values, static_cast<unsigned>(__popc(added)));
        place =
            __shfl_sync(~0u, place, 0) + static_cast<unsigned>(__popc(added & ((1u << lane) - 1)));
        if (is_new && place < kMostValues<Shape>) work.value_slots[place] = to;
        if (are_complete && to != ValueSlots<Shape>::kNone)
            if (const unsigned keys = table.counts[slot]; keys != 0)
                atomicAdd(&work.value_counts[to], Offset{keys});
        if (__all_sync(~0u, to == ValueSlots<Shape>::kNone)) break;
    }
}

/// By all blocks: each counts its keys by value, and adds its counts to those of all. Ends early
/// where that is in vain: Progress::values is more than kMostValues then.
/// @param sampled a value that is likely to come, for each thread
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void count_values(const Work<Shape, Offset>& work,
                                                       Bits sampled) {
    using Table = ValueTable<Shape>;
    using Slots = typename Table::Slots;
    constexpr unsigned kMost = kMostValues<Shape>;
    constexpr unsigned kItems = kMost / kThreads;  // all of a tile's values have room, if new
    constexpr unsigned kKeys = kItems * kThreads;
    // Of so many blocks one enters the samples, which are the same in all. New values are entered
    // after the first tile, and after so many times as many each time.
    constexpr unsigned kBlocksOfOne = 8, kLater = 4;
    const Table table;
    const TileRange tiles = share_of(tiles_of(work.fit().n, kKeys));
    Bits next[kItems];
    const auto load = [&](unsigned t) {  // behind the last key, that comes again
        const Offset first = Offset{t} * kKeys, left = work.fit().n - first;
        const auto from = work.in + first;
        if (left >= kKeys) {
#pragma unroll
            for (unsigned i = 0; i < kItems; ++i) next[i] = from[place_of(i)];
        } else {
#pragma unroll
            for (unsigned i = 0; i < kItems; ++i)
                next[i] = from[min(Offset{place_of(i)}, left - 1)];
        }
    };
    if (tiles.first < tiles.end) load(tiles.first);
    __syncthreads();  // whoever used the memory before is done with it
    table.clear();
    __syncthreads();
    table.add(sampled, 0);
    __syncthreads();
    unsigned entered = blockIdx.x % kBlocksOfOne == 0 ? 0 : Table::size().used, next_entry = 1;
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
        if (missed != 0 && t != tiles.first)  // then most of them are new
            missed = for_each_of(missed, key, [&](Bits value) {
                const unsigned slot = table.find(value);
                if (slot != Slots::kNone) atomicAdd(&table.counts[slot], 1u);
                return slot == Slots::kNone;
            });
        if (__syncthreads_or(missed != 0 || are_over)) {
            for_each_of(missed, key, [&](Bits value) { return table.add(value, 1), false; });
            is_in_vain = __syncthreads_or(are_over) != 0 || Table::size().used >= kMost;
        }
        if (t + 1 - tiles.first == next_entry && !is_in_vain) {
            next_entry *= kLater;
            if (entered == Table::size().used) continue;
            enter_values(work, entered, false);
            entered = Table::size().used;
            is_in_vain = __syncthreads_or(threadIdx.x == 0 && are_too_many(work)) != 0;
        }
    }
    __syncthreads();
    if (is_in_vain) {
        if (threadIdx.x == 0) atomicOr(&work.progress->values, kTooManyValues);
        return;
    }
    const Offset end = Offset{tiles.end} * kKeys;
    if (threadIdx.x == 0 && tiles.first < tiles.end && end > work.fit().n)  // what came again
        atomicSub(&table.counts[table.find(work.in[work.fit().n - 1])],
                  static_cast<unsigned>(end - work.fit().n));
    __syncthreads();
    enter_values(work, 0, true);
    if (threadIdx.x == 0 && table.counts[0] != 0)
        atomicAdd(&work.value_counts[0], Offset{table.counts[0]});
}

/// By all blocks: writes the sorted keys. Each value is ranked among all: of few values by each
/// block for itself, of more by one warp, and then all blocks meet.
/// @param values other than 0 that are there
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void write_values(const Work<Shape, Offset>& work,
                                                       unsigned values) {
    constexpr unsigned kMost = kMostValues<Shape>, kFew = kThreads / 2;
    Bits* const numbers = simt::dynamic_shared<Bits>();
    Bits* const sorted = numbers + kMost;
    auto* const begins = reinterpret_cast<Offset*>(sorted + kMost);
    unsigned* const slots_in_order = work.value_slots + kMost;
    const KeyMap<Bits> map = work.map;
    const unsigned all = values + (work.value_counts[0] != 0 ? 1 : 0);
    const auto slot_of = [&](unsigned v) { return v < values ? work.value_slots[v] : 0; };
    __syncthreads();  // whoever used the memory before is done with it
    for (unsigned v = threadIdx.x; v < all; v += kThreads)
        numbers[v] = map.number(work.values[slot_of(v)]);
    __syncthreads();
    if (all <= kFew) {
        if (threadIdx.x < all) {
            const Bits own = numbers[threadIdx.x];
            unsigned rank = 0;
#pragma unroll 8
            for (unsigned v = 0; v < all; ++v) rank += numbers[v] < own ? 1 : 0;
            sorted[rank] = own, begins[rank] = work.value_counts[slot_of(threadIdx.x)];
        }
    } else {
        const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
        for (unsigned v = blockIdx.x + gridDim.x * warp; v < all; v += gridDim.x * kWarps) {
            unsigned rank = 0;
#pragma unroll 4
            for (unsigned other = lane; other < all; other += kLanes)
                rank += numbers[other] < numbers[v] ? 1 : 0;
            rank = sum_of_lanes(rank);
            if (lane == 0) slots_in_order[rank] = slot_of(v);
        }
        work.progress->barrier.arrive_and_wait();
        for (unsigned v = threadIdx.x; v < all; v += kThreads) {
            const unsigned slot = slots_in_order[v];
            sorted[v] = map.number(work.values[slot]), begins[v] = work.value_counts[slot];
        }
    }
    __syncthreads();
    scan_in_memory(begins, all, Offset{0}, [](unsigned, Offset) {});
    fill_by_all<Shape>(work.out, begins, all, work.fit().n,
                       [=](unsigned v) { return map.key(sorted[v]); });
}

/// By all blocks: whether the keys have few enough different values, and are sorted.
/// @param sampled a number for each thread, the same in all blocks
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool sort_few_values(const Work<Shape, Offset>& work, Bits sampled) {
    count_values(work, work.map.key(sampled));
    work.progress->barrier.arrive_and_wait();
    if (are_too_many(work)) return false;
    write_values(work, work.progress->values);
    return true;
}

/// By the last block: leaves the table of all as the next launch must find it.
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void forget_values(const Work<Shape, Offset>& work) {
    const bool are_listed = !are_too_many(work);
    const unsigned count = are_listed ? work.progress->values : ValueSlots<Shape>::kCount;
    __syncthreads();
    for (unsigned v = threadIdx.x; v < count; v += kThreads) {
        const unsigned slot = are_listed ? work.value_slots[v] : v;
        work.values[slot] = 0, work.value_counts[slot] = 0;
    }
    if (threadIdx.x > 0) return;
    work.value_counts[0] = 0;
    work.progress->values = 0;
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
