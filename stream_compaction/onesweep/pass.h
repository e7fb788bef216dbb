// One pass: moves all keys, and values, to where one digit says.
#pragma once

#include "stream_compaction/grid.h"
#include "stream_compaction/onesweep/look_back.h"
#include "stream_compaction/parts/key_map.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

template <class Shape, class Offset>
struct Pass {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const Bits* from;
    Bits* to;
    const Value* values_from;
    Value* values_to;
    Offset n;
    KeyMap<Bits> map;
    Offset* histograms;        ///< of all passes
    const Offset* begins;      ///< of each digit
    unsigned *rows, *cohorts;  ///< of the look-back
    unsigned blocks;           ///< that take part
    unsigned cohort;           ///< tiles of one
    unsigned first_lap;        ///< this pass's number for its first lap
    unsigned shift;
    unsigned frequent;    ///< a digit of many keys, or kDigits
    unsigned groups;      ///< a tile's
    bool enters, leaves;  ///< whether keys become numbers in this pass, or again keys
};

/// In shared memory, so that what is seldom needed takes no registers.
template <class Shape, class Offset>
__device__ Pass<Shape, Offset>& current_pass() {
    __shared__ Pass<Shape, Offset> pass;
    return pass;
}

/// Where a pass's tile is in shared memory. The warps' masks are there until keys are staged.
template <class Shape, class Offset>
struct PassMemory {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    static constexpr std::size_t kTile = Shape::tile_keys(Shape::kMaxGroups);
    static constexpr std::size_t kBytes = kTile * kItemBytes<Bits, Value> +
                                          kDigits * sizeof(Offset) +
                                          kWarps * kDigits * sizeof(unsigned short);

    Value* values;
    Bits* keys;
    Offset* offsets;
    unsigned short* counters;
    unsigned* masks;

    __device__ PassMemory()
        : values(simt::dynamic_shared<Value>()),
          keys(reinterpret_cast<Bits*>(simt::dynamic_shared<unsigned char>() +
                                       kTile * kValueBytes<Value>)),
          offsets(reinterpret_cast<Offset*>(keys + kTile)),
          counters(reinterpret_cast<unsigned short*>(offsets + kDigits)),
          masks(simt::dynamic_shared<unsigned>()) {}
};

/// Calls f for each of the thread's keys, in groups: the i-th, so that all are known at compile
/// time.
template <unsigned kOfGroup, unsigned kFirst, unsigned kLast, class F>
__device__ void for_each_item(unsigned groups, F f) {
#pragma unroll
    for (unsigned g = kFirst; g < kLast; ++g)
        if (g == 0 || g < groups)  // there is one at least
#pragma unroll
            for (unsigned i = g * kOfGroup; i < (g + 1) * kOfGroup; ++i) f(i);
}

/// Stores to what the compiler is told is global memory: what is loaded from shared memory next
/// need not wait for it.
template <class T>
__device__ void store_global(T* to, T item) {
#if defined(SIMT_EMULATED)
    *to = item;
#else
    __stcg(to, item);
#endif
}

/// Asks for an item to be in the L2 cache soon.
template <class T>
__device__ void prefetch([[maybe_unused]] const T* item) {
#if !defined(SIMT_EMULATED)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(item)));
#endif
}

/// A number below 2^16 for each of a thread's keys, two to a word.
template <unsigned kItems>
class Places {
  public:
    __device__ void set(unsigned i, unsigned place) {
        words_[i / 2] = i % 2 == 0 ? place : words_[i / 2] | place << 16;
    }
    __device__ void add(unsigned i, unsigned more) {
        words_[i / 2] += i % 2 == 0 ? more : more << 16;
    }
    __device__ unsigned get(unsigned i) const {
        return i % 2 == 0 ? words_[i / 2] & 0xffffu : words_[i / 2] >> 16;
    }

  private:
    unsigned words_[(kItems + 1) / 2];
};

/// Ranks a warp's keys among those of the same digit, and counts them. Lanes find who has their
/// digit by setting their bits in its mask; the highest of them counts for all, and clears the
/// mask. Those with a digit that is frequent in all keys would wait for each other at its mask:
/// they vote.
template <unsigned kOfGroup, unsigned kItems, class Bits, class DigitOf>
__device__ void rank_stably(unsigned groups, DigitOf digit_of, unsigned frequent,
                            const Bits (&key)[kItems], unsigned* masks, unsigned short* counters,
                            Places<kItems>& ranks) {
    const unsigned own = 1u << threadIdx.x % kLanes, below = own - 1, above = ~(own | below);
    for_each_item<kOfGroup, 0, kItems / kOfGroup>(groups, [&](unsigned i) {
        const unsigned digit = digit_of(key[i]);
        const bool is_frequent = digit == frequent;
        if (!is_frequent) atomicOr(&masks[digit], own);
        __syncwarp();
        const unsigned voters = __ballot_sync(~0u, is_frequent);
        const unsigned peers = is_frequent ? voters : masks[digit];
        const unsigned rank = counters[digit] + __popc(peers & below);
        __syncwarp();
        if ((peers & above) == 0) {
            masks[digit] = 0;
            counters[digit] = static_cast<unsigned short>(rank + 1);
        }
        __syncwarp();
        ranks.set(i, rank);
    });
}

/// Zeroes a warp's part of an array.
__device__ inline void clear_by_warp(void* of_warp, unsigned bytes) {
    auto* const words = static_cast<uint4*>(of_warp);
    for (unsigned i = threadIdx.x % kLanes; i < bytes / sizeof(uint4); i += kLanes)
        words[i] = make_uint4(0, 0, 0, 0);
}

/// Exclusive scan over the first kDigits threads. All threads call it.
__device__ inline unsigned scan_digits(unsigned count) {
    constexpr unsigned kScanning = kDigits / kLanes;
    __shared__ unsigned sums[kScanning];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned up_to = sum_up_to_lane(count);
    if (lane == kLanes - 1 && warp < kScanning) sums[warp] = up_to;
    __syncthreads();
    return up_to - count + sum_of_lanes(lane < min(warp, kScanning) ? sums[lane] : 0u);
}

/// Counts the tile's keys of each digit, tells the other blocks, and makes the warps' counters the
/// places in the tile where their keys of a digit start. How many keys there are of the thread's
/// digit, where it `counts` one. All threads call it.
template <class Offset>
__device__ unsigned count_and_publish(unsigned short* counters, Offset* offsets, unsigned own_digit,
                                      bool counts, Ring& row) {
    unsigned count = 0;
    if (counts) {
#pragma unroll
        for (unsigned w = 0; w < kWarps; ++w) count += counters[w * kDigits + own_digit];
        row.publish(count);
    }
    const unsigned first = scan_digits(count);
    if (counts) {
        unsigned begin = first;
#pragma unroll
        for (unsigned w = 0; w < kWarps; ++w) {
            unsigned short& counter = counters[w * kDigits + own_digit];
            const unsigned of_warp = counter;
            counter = static_cast<unsigned short>(begin);
            begin += of_warp;
        }
        offsets[own_digit] = Offset{0} - first;
    }
    return count;
}

/// Stores the staged tile's first `size` items to where their digits' offsets say.
template <class Shape, class Offset, class DigitOf>
__device__ void store_tile(const Pass<Shape, Offset>& pass, const PassMemory<Shape, Offset>& memory,
                           unsigned groups, unsigned size, DigitOf digit_of) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    Bits* const keys_to = pass.to;
    Value* const values_to = pass.values_to;
    const auto store = [&](auto key_of) {
        for_each_item<Shape::kOfGroup, 0, Shape::kMaxGroups>(groups, [&](unsigned i) {
            const unsigned place = i * kThreads + threadIdx.x;
            const Bits moved = memory.keys[place];
            const Offset to = memory.offsets[digit_of(moved)] + place;
            if (place >= size) return;
            store_global(&keys_to[to], key_of(moved));
            if constexpr (kValueBytes<Value> != 0)
                store_global(&values_to[to], memory.values[place]);
        });
    };
    if (pass.leaves) {
        const KeyMap<Bits> map = pass.map;
        store([&](Bits number) { return map.key(number); });
    } else {
        store([](Bits number) { return number; });
    }
}

/// Moves all of the block's tiles of current_pass() to where their digits say, keeping the order of
/// equal ones.
template <class Shape, class Offset>
__device__ void sort_by_digit() {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const Pass<Shape, Offset>& pass = current_pass<Shape, Offset>();
    constexpr unsigned kOfGroup = Shape::kOfGroup, kGroups = Shape::kMaxGroups;
    constexpr unsigned kItems = Shape::kMaxItems, kEarly = Shape::kEarlyGroups;
    constexpr bool kHasValues = kValueBytes<Value> != 0;
    const PassMemory<Shape, Offset> memory;
    const unsigned groups = pass.groups, shift = pass.shift, frequent = pass.frequent;
    const auto digit_of = [=](Bits key) { return static_cast<unsigned>(key >> shift) % kDigits; };
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    unsigned short* const own_counters = memory.counters + warp * kDigits;
    unsigned* const own_masks = memory.masks + warp * kDigits;

    // Half of the threads count a digit each, and know its places in the cohort; the other half
    // knows where the cohort's begin.
    static_assert(kThreads == 2 * kDigits);
    const unsigned own_digit = threadIdx.x % kDigits;
    const bool counts = threadIdx.x < kDigits;
    const unsigned cohorts_of_round = pass.blocks / pass.cohort;
    const unsigned in_cohort = blockIdx.x % pass.cohort;  // the same for all of the block's tiles
    Ring row{pass.rows + own_digit, kRounds * pass.blocks, pass.first_lap, blockIdx.x};
    Ring cohort{pass.cohorts + own_digit, kRounds * cohorts_of_round, pass.first_lap,
                blockIdx.x / pass.cohort};
    Offset cohort_begin = pass.begins[own_digit];

    const unsigned keys_of_tile = Shape::tile_keys(groups);
    const auto tiles = static_cast<unsigned>((pass.n + keys_of_tile - 1) / keys_of_tile);
    const unsigned first_of_thread = warp * (keys_of_tile / kWarps) + lane;
    const auto size_of = [&](Offset first) {
        return static_cast<unsigned>(min(pass.n - first, static_cast<Offset>(keys_of_tile)));
    };
    const auto load_groups = [&]<unsigned kFirst, unsigned kLast>(auto* from, Offset first,
                                                                  auto& item) {
        const unsigned size = size_of(first);
        const auto* const own = from + first + first_of_thread;
        if (size == keys_of_tile)
            for_each_item<kOfGroup, kFirst, kLast>(groups,
                                                   [&](unsigned i) { item[i] = own[i * kLanes]; });
        else
            for_each_item<kOfGroup, kFirst, kLast>(groups, [&](unsigned i) {
                item[i] = from[first + min(first_of_thread + i * kLanes, size - 1)];
            });
    };
    const auto load_keys = [&](Offset first, auto& key) {
        load_groups.template operator()<0, kGroups>(pass.from, first, key);
    };
    const auto for_each_of_thread = [&](auto f) { for_each_item<kOfGroup, 0, kGroups>(groups, f); };

    if (blockIdx.x >= pass.blocks) return;
    Bits key[kItems];
    load_keys(Offset{blockIdx.x} * keys_of_tile, key);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += pass.blocks) {
        const Offset first_key = Offset{tile} * keys_of_tile;
        const unsigned size = size_of(first_key);
        clear_by_warp(own_counters, sizeof(unsigned short) * kDigits);
        clear_by_warp(own_masks, sizeof(unsigned) * kDigits);
        __syncwarp();
        if (pass.enters) {
            const KeyMap<Bits> map = pass.map;
            for_each_of_thread([&](unsigned i) { key[i] = map.number(key[i]); });
        }
        // Keys past the end are the largest that there are: they stay behind all others, and
        // nothing comes after the last tile, which counts them.
        if (size < keys_of_tile)
            for_each_of_thread([&](unsigned i) {
                if (first_of_thread + i * kLanes >= size) key[i] = ~Bits{0};
            });

        Places<kItems> places;
        rank_stably<kOfGroup>(groups, digit_of, frequent, key, own_masks, own_counters, places);
        __syncthreads();

        const unsigned count =
            count_and_publish(memory.counters, memory.offsets, own_digit, counts, row);
        __syncthreads();

        for_each_of_thread([&](unsigned i) {
            places.add(i, own_counters[digit_of(key[i])]);
            memory.keys[places.get(i)] = key[i];
        });
        Value value[kHasValues ? kItems : 1];
        if constexpr (kHasValues) {
            load_groups.template operator()<0, kEarly>(pass.values_from, first_key, value);
            if constexpr (kEarly < kGroups) {  // a lane asks for what the warp loads at once
                const unsigned i = kEarly * kOfGroup + lane;
                if (i < groups * kOfGroup && size == keys_of_tile)
                    prefetch(pass.values_from + first_key + (first_of_thread - lane) + i * kLanes);
            }
        }

        if (counts) {
            const unsigned before = row.template sum_before<8>(in_cohort);
            if (in_cohort + 1 == pass.cohort) cohort.publish(before + count);
            atomicAdd(&memory.offsets[own_digit], Offset{before});
        } else {
            cohort_begin +=
                cohort.template sum_before<8>(tile < pass.blocks ? cohort.index : cohorts_of_round);
            atomicAdd(&memory.offsets[own_digit], cohort_begin);
        }
        if constexpr (kHasValues) {
            load_groups.template operator()<kEarly, kGroups>(pass.values_from, first_key, value);
            for_each_of_thread([&](unsigned i) { memory.values[places.get(i)] = value[i]; });
        }
        // Where a tile has fewer groups, the other keys would else be kept in registers until here.
#pragma unroll
        for (Bits& k : key) k = 0;
        if (tile + pass.blocks < tiles)  // on their way while this tile's are stored
            load_keys(first_key + Offset{pass.blocks} * keys_of_tile, key);
        __syncthreads();

        store_tile(pass, memory, groups, size, digit_of);
        __syncthreads();
        row.advance(pass.blocks);
        cohort.advance(cohorts_of_round);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
