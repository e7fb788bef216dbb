// One pass: ranks a tile's keys, counts them, stages them, looks back, stores them; tile by tile.
#pragma once

#include "stream_compaction/onesweep/look_back.h"
#include "stream_compaction/onesweep/tile_items.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Zeroes a warp's part of an array.
__device__ inline void clear_by_warp(void* of_warp, unsigned bytes) {
    auto* const words = static_cast<uint4*>(of_warp);
    for (unsigned i = threadIdx.x % kLanes; i < bytes / sizeof(uint4); i += kLanes)
        words[i] = make_uint4(0, 0, 0, 0);
}

/// Makes keys numbers, in the first pass. Past the array's end they become the largest number there
/// is: ranking is stable, so they come behind all keys, and are not stored. They are counted, which
/// does no harm: no tile follows the last.
template <class Shape, class Offset, class Bits, std::size_t kItems>
__device__ void enter_keys(const TileItems<Shape, Offset>& items, unsigned size,
                           Bits (&key)[kItems]) {
    if (items.pass.enters) {
        const KeyMap<Bits> map = items.pass.map;
        items.for_each([&](unsigned i) { key[i] = map.number(key[i]); });
    }
    if (size < items.keys_of_tile)
        items.for_each([&](unsigned i) {
            if (items.first_of_thread + i * kLanes >= size) key[i] = ~Bits{0};
        });
}

/// Ranks a warp's keys among those of the same digit, and counts them. Lanes find who has their
/// digit by setting their bits in its mask; the highest of them counts for all, and clears the
/// mask. Where many have one digit, they would wait for each other at its mask: then the warp
/// compares digits instead, which takes the longer the more of them differ, until a row of keys is
/// not crowded.
/// @param is_crowded whether the last row was; the same for the whole warp
template <unsigned kOfGroup, unsigned kItems, class Bits, class DigitOf>
__device__ void rank_stably(unsigned groups, DigitOf digit_of, bool& is_crowded,
                            const Bits (&key)[kItems], unsigned* masks, unsigned short* counters,
                            Places<kItems>& ranks) {
    constexpr unsigned kCrowd = 4;  // lanes that have another's digit, and are below it
    const unsigned own = 1u << threadIdx.x % kLanes, below = own - 1, above = ~(own | below);
    for_each_item<kOfGroup, 0, kItems / kOfGroup>(groups, [&](unsigned i) {
        const unsigned digit = digit_of(key[i]);
        unsigned peers;
        if (is_crowded) {
            peers = __match_any_sync(~0u, digit);
        } else {
            atomicOr(&masks[digit], own);
            __syncwarp();
            peers = masks[digit];
        }
        const unsigned before = __popc(peers & below), rank = counters[digit] + before;
        __syncwarp();
        if ((peers & above) == 0) {
            masks[digit] = 0;
            counters[digit] = static_cast<unsigned short>(rank + 1);
        }
        is_crowded = __any_sync(~0u, before >= kCrowd) != 0;
        __syncwarp();
        ranks.set(i, rank);
    });
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

/// How many keys of a digit the warps have counted.
__device__ inline unsigned count_of_warps(const unsigned short* counters, unsigned digit) {
    unsigned count = 0;
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) count += counters[w * kDigits + digit];
    return count;
}

/// Makes the warps' counters of a digit the places in the tile where their keys of it start; the
/// first at `begin`.
__device__ inline void begin_digit_of_warps(unsigned short* counters, unsigned digit,
                                            unsigned begin) {
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) {
        unsigned short& counter = counters[w * kDigits + digit];
        const unsigned of_warp = counter;
        counter = static_cast<unsigned short>(begin);
        begin += of_warp;
    }
}

/// Counts the tile's keys of each digit, and tells the other blocks. Makes the warps' counters the
/// places in the tile where their keys of a digit start, and begins the offsets: less where the
/// digit starts in the tile; what comes before the tile is added later. Returns how many keys there
/// are of the thread's digit, 0 where it does not count one. All threads call it.
template <class Offset>
__device__ unsigned count_and_publish(unsigned short* counters, Offset* offsets, unsigned own_digit,
                                      bool counts, Ring& row) {
    unsigned count = 0;
    if (counts) {
        count = count_of_warps(counters, own_digit);
        row.publish(count);
    }
    const unsigned first = scan_digits(count);
    if (counts) {
        begin_digit_of_warps(counters, own_digit, first);
        offsets[own_digit] = Offset{0} - first;
    }
    return count;
}

/// Makes the keys' ranks their places in the tile, and puts them there.
template <class Shape, class Offset, class Bits, unsigned kItems, class DigitOf>
__device__ void stage_keys(const TileItems<Shape, Offset>& items, const Bits (&key)[kItems],
                           DigitOf digit_of, const unsigned short* own_counters,
                           Places<kItems>& places, Bits* staged) {
    items.for_each([&](unsigned i) {
        places.add(i, own_counters[digit_of(key[i])]);
        staged[places.get(i)] = key[i];
    });
}

/// A thread's part of the look-back. The first kDigits threads count a digit each, and add up its
/// keys in the earlier tiles of the tile's cohort; the others add up, for a digit each, all keys in
/// earlier cohorts.
template <class Shape, class Offset>
struct LookBack {
    static_assert(kThreads == 2 * kDigits);

    const Pass<Shape, Offset>& pass;
    unsigned own_digit = threadIdx.x % kDigits;
    bool counts = threadIdx.x < kDigits;
    unsigned cohorts_of_round = pass.blocks / pass.cohort;
    unsigned in_cohort = pass.block % pass.cohort;  // the same for all of the block's tiles
    Ring row{pass.rows + own_digit, kRounds* pass.blocks, pass.first_lap, pass.block};
    Ring cohort{pass.cohorts + own_digit, kRounds* cohorts_of_round, pass.first_lap,
                pass.block / pass.cohort};
    Offset cohort_begin = pass.begins[own_digit];

    /// Adds the keys before a tile's to the offset of the thread's digit, of which it has `count`.
    __device__ void add_keys_before(unsigned tile, unsigned count, Offset* offsets) {
        // Who asks all rows before they are there has to ask each of them again, one after the
        // other. So blocks that start together wait for one first: the others come with it.
        const bool waits = Shape::kAwaits && tile < pass.blocks;
        if (counts) {
            if (waits && in_cohort > 0) row.await_last();
            const unsigned before = row.template sum_before<8>(in_cohort);
            if (in_cohort + 1 == pass.cohort) cohort.publish(before + count);
            atomicAdd(&offsets[own_digit], Offset{before});
        } else {
            // Before the block's first tile, all cohorts; then those since its last one.
            const unsigned cohorts = tile < pass.blocks ? cohort.index : cohorts_of_round;
            if (waits && cohorts > 0) cohort.await_last();
            cohort_begin += cohort.template sum_before<8>(cohorts);
            atomicAdd(&offsets[own_digit], cohort_begin);
        }
    }

    /// To the block's next tile.
    __device__ void advance() {
        row.advance(pass.blocks);
        cohort.advance(cohorts_of_round);
    }
};

/// Loads the groups from kFirst to kLast of a tile's values; where there are none, their places.
template <unsigned kFirst, unsigned kLast, class Shape, class Offset, class Value,
          std::size_t kItems>
__device__ void load_values(const TileItems<Shape, Offset>& items, Offset first,
                            Value (&value)[kItems]) {
    if (items.pass.values_from != nullptr)
        items.template load<kFirst, kLast>(items.pass.values_from, first, value);
    else
        for_each_item<Shape::kOfGroup, kFirst, kLast>(items.groups, [&](unsigned i) {
            value[i] = static_cast<Value>(first + items.first_of_thread + i * kLanes);
        });
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
    const unsigned groups = pass.groups;
    const unsigned shift = pass.shift, mask = pass.digit_mask;
    const auto digit_of = [=](Bits key) { return static_cast<unsigned>(key >> shift) & mask; };
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    unsigned short* const own_counters = memory.counters + warp * kDigits;
    unsigned* const own_masks = memory.masks + warp * kDigits;

    LookBack<Shape, Offset> look_back{pass};
    const unsigned keys_of_tile = Shape::tile_keys(groups);
    const auto tiles = static_cast<unsigned>((pass.n + keys_of_tile - 1) / keys_of_tile);
    const unsigned first_of_thread = warp * (keys_of_tile / kWarps) + lane;
    const TileItems<Shape, Offset> items{pass, groups, keys_of_tile, first_of_thread};

    if (pass.block >= pass.blocks) return;
    bool is_crowded = false;
    Bits key[kItems];
    items.template load<0, kGroups>(pass.from, Offset{pass.block} * keys_of_tile, key);
    for (unsigned tile = pass.block; tile < tiles; tile += pass.blocks) {
        const Offset first_key = Offset{tile} * keys_of_tile;
        const unsigned size = items.size_from(first_key);
        clear_by_warp(own_counters, sizeof(unsigned short) * kDigits);
        clear_by_warp(own_masks, sizeof(unsigned) * kDigits);
        __syncwarp();
        enter_keys(items, size, key);

        // 1. Rank the keys in the warp.
        Places<kItems> places;
        rank_stably<kOfGroup>(groups, digit_of, is_crowded, key, own_masks, own_counters, places);
        __syncthreads();

        // 2. Count them in the tile, and tell the other blocks.
        const unsigned count = count_and_publish(
            memory.counters, memory.offsets, look_back.own_digit, look_back.counts, look_back.row);
        __syncthreads();

        // 3. Stage them in the order of their digits.
        stage_keys(items, key, digit_of, own_counters, places, memory.keys);
        Value value[kHasValues ? kItems : 1];
        if constexpr (kHasValues) {
            load_values<0, kEarly>(items, first_key, value);
            if (pass.values_from != nullptr)
                items.template prefetch_from<kEarly>(pass.values_from, first_key, size);
        }

        // 4. Look back, for where the digits' keys go.
        look_back.add_keys_before(tile, count, memory.offsets);
        if constexpr (kHasValues) {
            load_values<kEarly, kGroups>(items, first_key, value);
            items.for_each([&](unsigned i) { memory.values[places.get(i)] = value[i]; });
        }
        // A tile of fewer groups leaves the other keys as they were: else registers would keep
        // them.
#pragma unroll
        for (Bits& k : key) k = 0;
        if (tile + pass.blocks < tiles)  // on their way while this tile's are stored
            items.template load<0, kGroups>(pass.from,
                                            first_key + Offset{pass.blocks} * keys_of_tile, key);
        __syncthreads();

        // 5. Store them.
        store_tile(pass, memory, groups, size, digit_of);
        __syncthreads();
        look_back.advance();
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
