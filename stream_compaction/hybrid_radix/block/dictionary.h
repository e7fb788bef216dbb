// Sorts a block's keys of few different values: each value is counted in a hash table, and written
// as often as it is there.
#pragma once

#include "stream_compaction/hybrid_radix/block/rank.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Where a block's dictionary is in its shared memory.
template <class Shape>
struct DictionaryMemory {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kSlotsLog2 = Shape::kMaxBucketBits < 13 ? 11 : 12;
    static constexpr unsigned kSlots = 1u << kSlotsLog2;
    static constexpr unsigned kMostValues = kSlots / 4;
    static_assert(kSlots % kThreads == 0);
    static constexpr Bits kEmpty = ~Bits{0};
    static constexpr unsigned kOfRow = 16 / sizeof(Bits);  ///< values that are loaded together
    Bits* slots;  ///< open addressing; kEmpty where there is none
    unsigned* counts;
    Bits* values;
    unsigned* of_values;  ///< how often each is there
    Bits* sorted;
    unsigned* begins;

    __device__ DictionaryMemory()
        : slots(simt::dynamic_shared<Bits>()),
          counts(reinterpret_cast<unsigned*>(slots + kSlots)),
          values(reinterpret_cast<Bits*>(counts + kSlots)),
          of_values(reinterpret_cast<unsigned*>(values + kMostValues + kOfRow)),
          sorted(reinterpret_cast<Bits*>(of_values + kMostValues)),
          begins(reinterpret_cast<unsigned*>(sorted + kMostValues)) {}
    static_assert((kSlots + 2 * kMostValues) * (sizeof(Bits) + sizeof(unsigned)) + 16 <=
                  BlockMemory<Shape>::kBytes);
};

/// Each thread's place among `count` of all: an exclusive scan, and the sum.
__device__ inline unsigned scan_block(unsigned count, unsigned& sum) {
    __shared__ unsigned sums[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned up_to = sum_up_to_lane(count);
    __syncthreads();
    if (lane == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    sum = sum_of_lanes(lane < kWarps ? sums[lane] : 0u);
    return up_to - count + sum_of_lanes(lane < warp ? sums[lane] : 0u);
}

/// Counts how often each value is there; or tells that there are too many of them.
template <class Shape, class Array, class Bits = typename Shape::Bits>
__device__ bool count_values(const DictionaryMemory<Shape>& memory, Array from,
                             KeyMap<Bits> entering, unsigned count) {
    using Memory = DictionaryMemory<Shape>;
    constexpr unsigned kMostProbes = 32;
    constexpr Bits kEmpty = Memory::kEmpty;
    __syncthreads();  // whoever used the memory before is done with it
    for (unsigned s = threadIdx.x; s < Memory::kSlots; s += kThreads)
        memory.slots[s] = kEmpty, memory.counts[s] = 0;
    __syncthreads();

    bool fits = true;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += kThreads) {
        const Bits key = entering.number(from[i]);
        fits &= key != kEmpty;
        const auto mixed = static_cast<unsigned>(key ^ key >> (4 * sizeof(Bits))) * 0x9e3779b1u;
        unsigned slot = mixed >> (32 - Memory::kSlotsLog2), probes = 0;
        for (; fits; slot = (slot + 1) % Memory::kSlots) {
            Bits there =
                simt::BlockAtomic<Bits>(memory.slots[slot]).load(simt::memory_order_relaxed);
            if (there == kEmpty) there = atomicCAS(&memory.slots[slot], kEmpty, key);
            if (there == kEmpty || there == key) break;
            fits = ++probes < kMostProbes;
        }
        if (fits) atomicAdd(&memory.counts[slot], 1u);
    }
    return __syncthreads_and(fits) != 0;
}

/// Makes memory.values the values that were counted, in no order. How many there are: where it is
/// more than kMostValues, they stay where they were.
template <class Shape>
__device__ unsigned gather_values(const DictionaryMemory<Shape>& memory) {
    using Memory = DictionaryMemory<Shape>;
    constexpr unsigned kOfThread = Memory::kSlots / kThreads;
    unsigned own = 0, values;
#pragma unroll
    for (unsigned i = 0; i < kOfThread; ++i) own += memory.counts[place_of(i)] != 0 ? 1 : 0;
    unsigned place = scan_block(own, values);
    if (values > Memory::kMostValues) return values;
#pragma unroll
    for (unsigned i = 0; i < kOfThread; ++i)
        if (const unsigned c = memory.counts[place_of(i)]; c != 0) {
            memory.values[place] = memory.slots[place_of(i)];
            memory.of_values[place++] = c;
        }
    __syncthreads();
    return values;
}

/// A value's rank is how many are less. Behind the last there are some that are not.
template <class Shape>
__device__ void sort_values(const DictionaryMemory<Shape>& memory, unsigned values) {
    using Memory = DictionaryMemory<Shape>;
    using Bits = typename Shape::Bits;
    struct alignas(16) Row {
        Bits values[Memory::kOfRow];
    };
    if (threadIdx.x < Memory::kOfRow) memory.values[values + threadIdx.x] = Memory::kEmpty;
    __syncthreads();
    const auto* const rows = reinterpret_cast<const Row*>(memory.values);
    for (unsigned v = threadIdx.x; v < values; v += kThreads) {
        const Bits value = memory.values[v];
        unsigned rank = 0;
#pragma unroll 4
        for (unsigned r = 0; r * Memory::kOfRow < values; ++r) {
            const Row row = rows[r];
#pragma unroll
            for (const Bits other : row.values) rank += other < value ? 1 : 0;
        }
        memory.sorted[rank] = value;
        memory.begins[rank] = memory.of_values[v];
    }
    __syncthreads();
}

/// Sorts from[0, count) into `to`; or tells that there are too many values, and does nothing.
template <class Shape, class Array, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) bool sort_by_dictionary(Array from, KeyMap<Bits> entering,
                                                             unsigned count, typename Shape::Out to,
                                                             KeyMap<Bits> leaving) {
    using Memory = DictionaryMemory<Shape>;
    const Memory memory;
    if (!count_values(memory, from, entering, count)) return false;
    const unsigned values = gather_values(memory);
    if (values > Memory::kMostValues) return false;
    sort_values(memory, values);

    unsigned before = 0;
    for (unsigned first = 0; first < values; first += kThreads) {
        const unsigned v = first + threadIdx.x, c = v < values ? memory.begins[v] : 0;
        unsigned sum;
        const unsigned begin = before + scan_block(c, sum);
        if (v < values) memory.begins[v] = begin;
        before += sum;
    }
    __syncthreads();
    for (unsigned v = threadIdx.x / kLanes; v < values; v += kWarps) {
        const unsigned end = v + 1 < values ? memory.begins[v + 1] : count;
        const Bits key = leaving.key(memory.sorted[v]);
        for (unsigned i = memory.begins[v] + threadIdx.x % kLanes; i < end; i += kLanes)
            to[i] = key;
    }
    return true;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
