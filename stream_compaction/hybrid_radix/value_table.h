// The hash table in which a block counts its keys by value.
//
// Source: Knuth, "The Art of Computer Programming", volume 3, section 6.4 (linear probing,
// multiplicative hashing).
#pragma once

#include "stream_compaction/hybrid_radix/segments.h"
#include "stream_compaction/parts/bit_width.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Where a value is in a hash table: in the first slot from its home on that was empty when it
/// came. A value is a key as it is given. An empty slot has 0. The value 0 has slot 0, its home,
/// and no other value has that: so there it is found, too.
template <class Bits, unsigned kSlots>
struct ValueSlots {
    static constexpr unsigned kCount = kSlots;
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
    static constexpr std::size_t kBytes = BlockMemory<Shape>::kBytes;
    static constexpr std::size_t kSlotBytes = sizeof(Bits) + sizeof(unsigned);
    using Slots = ValueSlots<Bits, std::bit_floor(static_cast<unsigned>(
                                       4 * kBytes / (4 * kSlotBytes + 3 * sizeof(short))))>;
    /// A quarter of the slots stays empty, but for the one that each thread may take before it
    /// knows that there are so many.
    static constexpr unsigned kMost = Slots::kCount - std::max(Slots::kCount / 4, kThreads + 2);
    static_assert(Slots::kCount * kSlotBytes + sizeof(unsigned) +
                      (kMost + kThreads) * sizeof(short) <=
                  kBytes);
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
        unsigned entered;      ///< used slots whose values all blocks know
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

    /// Where a value is, or else the empty slot where it belongs. Meanwhile nobody adds one.
    struct Place {
        unsigned slot;
        bool has_value;
    };
    __device__ Place find(Bits value) const {
        constexpr unsigned kRows = Slots::kCount / Slots::kOfRow;
#pragma unroll 1
        for (unsigned r = Slots::home_of(value) / Slots::kOfRow;; r = (r + 1) % kRows) {
            const Row row = rows[r];
            Place place{Slots::kCount, false};
#pragma unroll
            for (unsigned s = Slots::kOfRow; s-- > 0;) {
                const bool has_value = row.values[s] == value;
                if (has_value || (row.values[s] == 0 && r + s > 0))
                    place = {r * Slots::kOfRow + s, has_value};
            }
            if (place.slot != Slots::kCount) return place;
        }
    }

    /// Where a value is now, which gets that slot, or the next that is empty, if it has none.
    __device__ unsigned insert(Bits value, unsigned slot, bool& is_new) const {
#pragma unroll 1
        while (true) {
            const Bits there = atomicCAS(&values[slot], Bits{0}, value);
            is_new = there == 0;
            if (is_new || there == value) return slot;
            slot = Slots::behind(slot);
        }
    }

    /// By a warp: counts each lane's value so many times; those that are new are added. Returns
    /// false if these are too many. Of neighbours with the same value, the first adds it.
    /// @param is_wanted whether the lane has a value
    __device__ bool add(Bits value, Place place, bool is_wanted, unsigned times) const {
        const unsigned lane = threadIdx.x % kLanes;
        if (is_wanted && place.has_value) atomicAdd(&counts[place.slot], times);
        const bool is_missing = is_wanted && !place.has_value;
        const unsigned missing = __ballot_sync(~0u, is_missing);
        if (missing == 0) return true;
        const Bits left = __shfl_up_sync(~0u, value, 1);
        const bool is_first =
            is_missing && (lane == 0 || left != value || (missing >> (lane - 1) & 1) == 0);
        const unsigned firsts = __ballot_sync(~0u, is_first), up_to_lane = (2u << lane) - 1;
        bool is_new = false;
        unsigned slot = is_first ? insert(value, place.slot, is_new) : 0;
        slot = __shfl_sync(
            ~0u, slot,
            is_missing ? kLanes - 1 - __clz(static_cast<int>(firsts & up_to_lane)) : lane);
        if (is_missing) atomicAdd(&counts[slot], times);

        const unsigned added = __ballot_sync(~0u, is_new);
        if (added == 0) return true;
        const auto count = static_cast<unsigned>(__popc(added));
        unsigned entry = lane == 0 ? atomicAdd(&size().used, count) : 0;
        entry = __shfl_sync(~0u, entry, 0);
        const bool has_room = entry + count <= kMost;
        entry += static_cast<unsigned>(__popc(added & up_to_lane >> 1));
        if (is_new) used[entry] = static_cast<unsigned short>(slot);
        if (is_new && slot % Slots::kOfRow >= Slots::kOfRow / 2)
            atomicExch(&size().needs_whole, 1u);
        return has_room;
    }

    /// One of a thread's values, and which others are equal to it.
    struct Picked {
        Bits value;
        unsigned equal;
        __device__ unsigned times() const { return static_cast<unsigned>(__popc(equal)); }
    };
    /// Of those that have a bit in `which`, if there is one.
    template <unsigned kItems>
    static __device__ Picked pick(unsigned which, const Bits (&value)[kItems]) {
        const unsigned last = bit_width(which) - 1;
        Picked picked{};
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i)
            if (i == last) picked.value = value[i];
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i)
            picked.equal |= value[i] == picked.value ? which & 1u << i : 0;
        return picked;
    }

    /// By the block: counts those of a thread's values that have a bit in `missed`, and adds new
    /// ones. One after the other, so that there is little code: what runs for the first time comes
    /// from far away. All look for theirs before any is added. Returns those for which there was no
    /// room.
    template <unsigned kItems>
    __device__ unsigned count_or_add(unsigned missed, const Bits (&value)[kItems]) const {
        bool has_room = true;
#pragma unroll 1
        do {
            const Picked picked = pick(missed, value);
            const Place place = picked.equal != 0 ? find(picked.value) : Place{};
            __syncthreads();
            if (has_room) {
                has_room = add(picked.value, place, picked.equal != 0, picked.times());
                missed &= ~picked.equal;
            }
        } while (__syncthreads_or(missed != 0 && has_room));
        return missed;
    }
};

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
