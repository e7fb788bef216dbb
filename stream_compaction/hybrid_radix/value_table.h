// The hash table in which a block counts its keys by value.
//
// Source: Knuth, "The Art of Computer Programming", volume 3, section 6.4 (linear probing,
// multiplicative hashing).
#pragma once

#include "stream_compaction/hybrid_radix/block_rank.h"
#include "stream_compaction/hybrid_radix/job.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// The slots of a table. A value is a key in its original bits. An empty slot holds 0. The value 0
/// has slot 0, which no other value may use, so it is always found. No slot is emptied while the
/// table is in use. A value is therefore in the first slot, from its home on, that was empty when
/// it was inserted: it has exactly one slot, and every search for it visits the same slots.
template <class Bits, unsigned kSlots>
struct ValueSlots {
    static constexpr unsigned kCount = kSlots;
    /// Slots of a vector of 16 bytes. A home is the first slot of a vector.
    static constexpr unsigned kOfVector = 16 / sizeof(Bits);
    static constexpr unsigned kNone = ~0u;

    static __device__ unsigned home_of(Bits value) {
        constexpr unsigned kBits = 8 * sizeof(Bits), kSlotBits = std::countr_zero(kCount);
        constexpr auto kGolden = static_cast<Bits>(0x9e3779b97f4a7c15ull >> (64 - kBits) | 1);
        return static_cast<unsigned>(value * kGolden >> (kBits - kSlotBits)) & ~(kOfVector - 1);
    }
    static __device__ unsigned first_for(Bits value) { return max(home_of(value), 1u); }
    static __device__ unsigned after(unsigned slot) { return slot + 1 < kCount ? slot + 1 : 1; }
};

/// A block's table, in shared memory. Between two barriers slots are either only read or only
/// changed, by atomicCAS.
template <class Shape>
struct ValueTable {
    using Bits = typename Shape::Bits;
    static constexpr std::size_t kBytes = BlockMemory<Shape>::kBytes;
    static constexpr std::size_t kSlotBytes = sizeof(Bits) + sizeof(unsigned);
    using Slots = ValueSlots<Bits, std::bit_floor(static_cast<unsigned>(
                                       4 * kBytes / (4 * kSlotBytes + 3 * sizeof(short))))>;
    /// Capacity in values. A quarter of the slots stays empty, minus one per thread, which the
    /// thread may use before it sees that there are too many values. So every search ends.
    static constexpr unsigned kMost =
        std::min(Slots::kCount - std::max(Slots::kCount / 4, kThreads + 2), kMostValues<Shape> - 1);
    static_assert(Slots::kCount * kSlotBytes + sizeof(unsigned) +
                      (kMost + kThreads) * sizeof(short) <=
                  kBytes);
    /// The part of a vector that a single load reads: the vector, or its first half.
    template <unsigned kSlots>
    struct alignas(kSlots * sizeof(Bits)) Loaded {
        Bits values[kSlots];
    };
    using Vector = Loaded<Slots::kOfVector>;
    using HalfVector = Loaded<Slots::kOfVector / 2>;
    struct State {
        unsigned used;         ///< slots, without the slot of 0
        unsigned needs_whole;  ///< 1 if a vector has a value outside its first half
    };

    Vector* vectors = simt::dynamic_shared<Vector>();
    Bits* values = vectors->values;
    unsigned* counts = reinterpret_cast<unsigned*>(values + Slots::kCount);  ///< and one more
    unsigned short* used =
        reinterpret_cast<unsigned short*>(counts + Slots::kCount + 1);  ///< slots

    static __device__ State& state() {
        __shared__ State state;
        return state;
    }

    /// The block must synchronise afterwards.
    __device__ void clear() const {
        for (unsigned v = threadIdx.x; v < Slots::kCount / Slots::kOfVector; v += kThreads)
            vectors[v] = {};
        hybrid_radix::clear(counts, Slots::kCount);
        if (threadIdx.x == 0) state() = {};
    }

    /// Counts those of a thread's values that are in their home vector, or in its first half.
    /// Returns a bit for each other value.
    template <class Load, unsigned kItems>
    __device__ unsigned count_at_home(const Bits (&value)[kItems]) const {
        constexpr unsigned kAtOnce = std::min(kItems, 4u);
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
                constexpr unsigned kLoaded = sizeof(Load) / sizeof(Bits);
                unsigned slot = Slots::kCount;  // its count is not used
#pragma unroll
                for (unsigned s = kLoaded; s-- > 0;)
                    if (load[i].values[s] == value[first + i]) slot = home[i] + s;
                atomicAdd(&counts[slot], 1u);
                if (slot == Slots::kCount) missed |= 1u << (first + i);
            }
        }
        return missed;
    }

    struct Found {
        unsigned slot;
        bool has_value;  ///< else the slot is empty
    };
    /// Returns the slot of a value, or the empty slot where it belongs.
    __device__ Found find(Bits value) const {
        constexpr unsigned kVectors = Slots::kCount / Slots::kOfVector;
#pragma unroll 1
        for (unsigned v = Slots::home_of(value) / Slots::kOfVector;; v = (v + 1) % kVectors) {
            const Vector vector = vectors[v];
            Found found{Slots::kCount, false};
#pragma unroll
            for (unsigned s = Slots::kOfVector; s-- > 0;) {
                const bool has_value = vector.values[s] == value;
                if (has_value || (vector.values[s] == 0 && v + s > 0))
                    found = {v * Slots::kOfVector + s, has_value};
            }
            if (found.slot != Slots::kCount) return found;
        }
    }

    /// Inserts a value at a slot or after it, unless another thread has inserted it. Returns its
    /// slot.
    __device__ unsigned insert(Bits value, unsigned slot, bool& is_new) const {
#pragma unroll 1
        while (true) {
            const Bits there = atomicCAS(&values[slot], Bits{0}, value);
            is_new = there == 0;
            if (is_new || there == value) return slot;
            slot = Slots::after(slot);
        }
    }

    /// Called by a warp: counts each lane's value `times` times, and inserts it if it is new. If
    /// neighbouring lanes have the same value, the first of them inserts it. Returns false if there
    /// are too many values.
    /// @param is_wanted  whether the lane has a value
    __device__ bool add(Bits value, Found found, bool is_wanted, unsigned times) const {
        const unsigned lane = threadIdx.x % kLanes;
        if (is_wanted && found.has_value) atomicAdd(&counts[found.slot], times);
        const bool is_missing = is_wanted && !found.has_value;
        const unsigned missing = __ballot_sync(kAllLanes, is_missing);
        if (missing == 0) return true;
        const Bits left = __shfl_up_sync(kAllLanes, value, 1);
        const bool is_first =
            is_missing && (lane == 0 || left != value || (missing >> (lane - 1) & 1) == 0);
        const unsigned firsts = __ballot_sync(kAllLanes, is_first), up_to_lane = (2u << lane) - 1;
        bool is_new = false;
        unsigned slot = is_first ? insert(value, found.slot, is_new) : 0;
        slot = __shfl_sync(
            kAllLanes, slot,
            is_missing ? kLanes - 1 - __clz(static_cast<int>(firsts & up_to_lane)) : lane);
        if (is_missing) atomicAdd(&counts[slot], times);

        const unsigned added = __ballot_sync(kAllLanes, is_new);
        if (added == 0) return true;
        const auto count = static_cast<unsigned>(__popc(added));
        unsigned entry = lane == 0 ? atomicAdd(&state().used, count) : 0;
        entry = __shfl_sync(kAllLanes, entry, 0);
        const bool has_room = entry + count <= kMost;
        entry += static_cast<unsigned>(__popc(added & up_to_lane >> 1));
        if (is_new) used[entry] = static_cast<unsigned short>(slot);
        if (is_new && slot % Slots::kOfVector >= Slots::kOfVector / 2)
            atomicExch(&state().needs_whole, 1u);
        return has_room;
    }

    /// Called by a block: counts those of a thread's values that have a bit in `missed`, and
    /// inserts new ones. All threads search before any of them inserts. Not unrolled, because it
    /// rarely runs and its code would have to be loaded from memory. Returns whether all values had
    /// room.
    template <unsigned kItems>
    __device__ bool count_or_insert(unsigned missed, const Bits (&value)[kItems]) const {
        bool has_room = true;
#pragma unroll 1
        do {
            const unsigned last = bit_width(missed) - 1;
            Bits picked{};
            unsigned equal = 0;
#pragma unroll
            for (unsigned i = 0; i < kItems; ++i)
                if (i == last) picked = value[i];
#pragma unroll
            for (unsigned i = 0; i < kItems; ++i)
                equal |= value[i] == picked ? missed & 1u << i : 0;
            const Found found = equal != 0 ? find(picked) : Found{};
            __syncthreads();
            if (has_room) {
                has_room = add(picked, found, equal != 0, static_cast<unsigned>(__popc(equal)));
                missed &= ~equal;
            }
        } while (__syncthreads_or(missed != 0 && has_room));
        return __syncthreads_and(has_room) != 0;
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
