// One pass, tile by tile: ranks a tile's keys, counts them, stages them, looks back, and stores
// them.
#pragma once

#include "stream_compaction/onesweep/histogram.h"
#include "stream_compaction/onesweep/look_back.h"
#include "stream_compaction/onesweep/tile_items.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// A row of keys is crowded if some lane has this many lanes with its digit before it. On an H100,
/// a sort of words of letters takes 10 % longer with 4, and the same time with 10.
constexpr unsigned kCrowd = 7;

/// Zeroes a warp's part of an array.
__device__ inline void clear_by_warp(void* of_warp, unsigned bytes) {
    auto* const words = static_cast<uint4*>(of_warp);
    for (unsigned i = threadIdx.x % kLanes; i < bytes / sizeof(uint4); i += kLanes)
        words[i] = make_uint4(0, 0, 0, 0);
}

/// Converts keys to numbers, in the first pass. Items past the array's end become the largest
/// number: their tile is ranked stably, so they come after all keys and are not stored. They are
/// counted, which does no harm, because no tile follows the last one.
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

/// Ranks a row of 32 keys among the keys of the warp with the same digit, in their order, and
/// counts them. Each lane sets its bit in the mask of its digit, so the mask shows all lanes with
/// that digit; the highest of them adds their number to the counter, and clears the mask. If many
/// lanes have the same digit, they wait for each other at its mask. So after a crowded row the warp
/// compares digits instead, until a row is not crowded. That takes time proportional to the number
/// of distinct digits.
/// @param is_crowded whether the last row was crowded; the same for the whole warp
__device__ inline unsigned rank_row(unsigned digit, bool& is_crowded, unsigned* masks,
                                    unsigned* counters) {
    const unsigned own = 1u << threadIdx.x % kLanes, below = own - 1, above = ~(own | below);
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
        counters[digit] = rank + 1;
    }
    is_crowded = __any_sync(~0u, before >= kCrowd) != 0;
    __syncwarp();
    return rank;
}

/// Ranks a warp's keys, row by row.
template <unsigned kOfGroup, unsigned kItems, class Bits, class DigitOf>
__device__ void rank_stably(unsigned groups, DigitOf digit_of, bool& is_crowded,
                            const Bits (&key)[kItems], unsigned* masks, unsigned* counters,
                            HalfWords<kItems>& ranks) {
    for_each_item<kOfGroup, 0, kItems / kOfGroup>(groups, [&](unsigned i) {
        ranks.set(i, rank_row(digit_of(key[i]), is_crowded, masks, counters));
    });
}

/// The same, some rows at a time. If all of their keys have the same digit, the ranks follow from
/// one counter. Otherwise, if all of their keys agree in the bits `ordered`, they differ only in
/// bits by which this pass and later ones sort. Then the order of keys with the same digit does not
/// matter, and the rank of a key is the old value of its digit's counter.
template <class Shape, unsigned kItems, class Bits, class DigitOf>
__device__ void rank_alike(unsigned groups, DigitOf digit_of, Bits ordered, bool& is_crowded,
                           const Bits (&key)[kItems], unsigned* masks, unsigned* counters,
                           HalfWords<kItems>& ranks) {
    constexpr unsigned kOfGroup = Shape::kOfGroup;
    constexpr unsigned kRows = kOfGroup % 4 == 0 ? 4 : kOfGroup % 3 == 0 ? 3 : kOfGroup;
    const unsigned lane = threadIdx.x % kLanes;
    for_each_item<kOfGroup / kRows, 0, kItems / kOfGroup>(groups, [&](unsigned rows) {
        const unsigned first = rows * kRows;
        const Bits other = __shfl_sync(~0u, key[first], first % kLanes);
        unsigned digit[kRows];
        Bits differing = 0;
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            digit[r] = digit_of(key[first + r]);
            differing |= key[first + r] ^ other;
        }
        if (!Shape::kHasFewTiles && __all_sync(~0u, digit_of(differing) == 0) != 0) {
            unsigned& counter = counters[digit[0]];
            const unsigned before = counter;
            __syncwarp();
            if (lane == 0) counter = before + kRows * kLanes;
            __syncwarp();
#pragma unroll
            for (unsigned r = 0; r < kRows; ++r) ranks.set(first + r, before + r * kLanes + lane);
        } else if (!is_crowded && __all_sync(~0u, (differing & ordered) == 0) != 0) {
#pragma unroll
            for (unsigned r = 0; r < kRows; ++r) {
                ranks.set(first + r, atomicAdd(&counters[digit[r]], 1u));
                __syncwarp();  // rows must keep their order
            }
            const unsigned alike = __popc(__ballot_sync(~0u, digit[0] == digit_of(other)));
            is_crowded = alike > kCrowd;
        } else {
#pragma unroll
            for (unsigned r = 0; r < kRows; ++r)
                ranks.set(first + r, rank_row(digit[r], is_crowded, masks, counters));
        }
    });
}

/// How many keys with a digit value the warps have counted.
__device__ inline unsigned count_of_warps(const unsigned* counters, unsigned digit) {
    unsigned count = 0;
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) count += counters[w * kDigits + digit];
    return count;
}

/// Converts the warps' counts of a digit value to the positions in the tile where their keys begin,
/// the first at `begin`. May work in place.
template <class Begin>
__device__ void begin_digit_of_warps(const unsigned* counters, Begin* begins, unsigned digit,
                                     unsigned begin) {
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) {
        const unsigned of_warp = counters[w * kDigits + digit];
        begins[w * kDigits + digit] = static_cast<Begin>(begin);
        begin += of_warp;
    }
}

/// Counts the tile's keys for each digit value, and publishes the counts to the other blocks.
/// Computes where the warps' keys of each digit value begin in the tile, and initialises the
/// offsets with minus the begin of the digit value in the tile; the number of keys before the tile
/// is added later. Returns the number of keys with the thread's digit value, or 0 if the thread
/// does not count one. All threads call it.
template <class Shape, class Offset>
__device__ unsigned count_and_publish(const PassMemory<Shape, Offset>& memory, unsigned own_digit,
                                      bool counts, Ring& row) {
    unsigned count = 0;
    if (counts) {
        count = count_of_warps(memory.counters, own_digit);
        row.publish(count);
    }
    const unsigned first = scan_digits(count);
    if (counts) {
        begin_digit_of_warps(memory.counters, memory.begins, own_digit, first);
        memory.offsets[own_digit] = Offset{0} - first;
    }
    return count;
}

/// Converts the keys' ranks to positions in the tile, permutes these (staged_at), and stages the
/// keys there.
template <class Shape, class Offset, class Bits, unsigned kItems, class DigitOf>
__device__ void stage_keys(const TileItems<Shape, Offset>& items, const Bits (&key)[kItems],
                           DigitOf digit_of, const unsigned short* own_begins,
                           HalfWords<kItems>& positions, Bits* staged) {
    // Two at a time if the group size is even: a longer burst of stores delays the accesses of
    // other warps to shared memory (4 % of a sort at 2^26 on an H100).
    constexpr unsigned kAtOnce = Shape::kOfGroup % 2 == 0 ? 2 : 1;
    items.for_each([&](unsigned i) {
        positions.add(i, own_begins[digit_of(key[i])]);
        if ((i + 1) % kAtOnce != 0) return;
        positions.permute(i, kAtOnce == 2);
#pragma unroll
        for (unsigned j = i + 1 - kAtOnce; j <= i; ++j) staged[positions.get(j)] = key[j];
    });
}

/// A thread's part of the look-back. Each of the first kDigits threads adds up the keys with its
/// digit value in the earlier tiles of the tile's cohort. Each of the other threads adds up the
/// keys with its digit value in all earlier cohorts.
template <class Shape, class Offset>
struct LookBack {
    static_assert(kThreads == 2 * kDigits);
    static constexpr bool kTellsEarly = Shape::kHasFewTiles;
    static constexpr unsigned kRowsAtOnce = kTellsEarly ? 4 : 12,
                              kCohortsAtOnce = kTellsEarly ? 8 : 12;

    const Pass<Shape, Offset>& pass;
    unsigned own_digit = threadIdx.x % kDigits;
    bool counts = threadIdx.x < kDigits;
    unsigned cohorts_of_round = pass.blocks / pass.cohort;
    unsigned in_cohort = pass.block % pass.cohort;  // the same for all tiles of the block
    Ring row{pass.rows + own_digit, kRounds* pass.blocks, pass.first_lap, pass.block};
    Ring cohort{pass.cohorts + own_digit, kRounds* cohorts_of_round, pass.first_lap,
                pass.block / pass.cohort};
    /// Otherwise see reserve_positions.
    bool is_needed = !kMayReorder<Shape> || !pass.is_in_any_order;
    Offset cohort_begin = is_needed ? pass.begins[own_digit] : 0;
    unsigned before = 0;  ///< result of sum_of_cohort

    /// Loading all rows before they are published costs one retry per row. Blocks that start
    /// together publish at about the same time, so they wait for the last row first.
    __device__ bool starts_together(unsigned tile) const {
        return Shape::kStartsTogether && tile < pass.blocks;
    }

    /// The number of keys with the thread's digit value in the earlier tiles of the cohort.
    __device__ unsigned sum_of_cohort(unsigned tile) const {
        if (starts_together(tile) && in_cohort > 0) row.await_last();
        return row.template sum_before<kRowsAtOnce>(in_cohort);
    }
    __device__ bool ends_cohort() const { return in_cohort + 1 == pass.cohort; }

    /// If blocks have few tiles, all of them wait for a cohort's last tile. So this tile publishes
    /// the cohort's count of the thread's digit value early. With many tiles that would delay the
    /// tile itself.
    __device__ void tell_early(unsigned tile, unsigned count) {
        if (!kTellsEarly || !counts || !ends_cohort() || !is_needed) return;
        before = sum_of_cohort(tile);
        cohort.publish(before + count);
    }

    /// Adds the number of keys before the tile, which has `count`, to the offset of the thread's
    /// digit value.
    __device__ void add_keys_before(unsigned tile, unsigned count, Offset* offsets) {
        if (counts) {
            if (!kTellsEarly || !ends_cohort()) before = sum_of_cohort(tile);
            if (!kTellsEarly && ends_cohort()) cohort.publish(before + count);
            atomicAdd(&offsets[own_digit], Offset{before});
        } else {
            // All cohorts before the block's first tile; later those since its last tile.
            const unsigned cohorts = tile < pass.blocks ? cohort.index : cohorts_of_round;
            if (starts_together(tile) && cohorts > 0) cohort.await_last();
            cohort_begin += cohort.template sum_before<kCohortsAtOnce>(cohorts);
            atomicAdd(&offsets[own_digit], cohort_begin);
        }
    }

    /// If tiles may come in any order: reserves the next output positions of the thread's digit
    /// value for `count` keys, without waiting for another tile.
    __device__ void reserve_positions(unsigned count, Offset* offsets) const {
        if (counts) offsets[own_digit] += atomicAdd(&pass.begins[own_digit], Offset{count});
    }

    /// Advances to the block's next tile.
    __device__ void advance() {
        row.advance(pass.blocks);
        cohort.advance(cohorts_of_round);
    }
};

/// Loads groups kFirst to kLast of a tile's values; if there are none, their indices.
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

/// Stages groups kFirst to kLast of a tile's values at the positions of their keys.
template <unsigned kFirst, unsigned kLast, class Shape, class Offset, class Value,
          std::size_t kItems>
__device__ void stage_values(const TileItems<Shape, Offset>& items, const Value (&value)[kItems],
                             const HalfWords<Shape::kMaxItems>& positions, Value* staged) {
    for_each_item<Shape::kOfGroup, kFirst, kLast>(
        items.groups, [&](unsigned i) { staged[positions.get(i)] = value[i]; });
}

/// The same for the groups from kFirst on, which are loaded here.
template <unsigned kFirst, class Shape, class Offset, class Value, std::size_t kItems>
__device__ void load_and_stage_values(const TileItems<Shape, Offset>& items, Offset first,
                                      Value (&value)[kItems],
                                      const HalfWords<Shape::kMaxItems>& positions, Value* staged) {
    if constexpr (kFirst < Shape::kMaxGroups) {
        constexpr unsigned kLast = std::min(kFirst + Shape::kLateGroups, Shape::kMaxGroups);
        load_values<kFirst, kLast>(items, first, value);
        stage_values<kFirst, kLast>(items, value, positions, staged);
        load_and_stage_values<kLast>(items, first, value, positions, staged);
    }
}

/// Calls f(at, position, digits, i) for the items of a staged tile that the thread stores: they are
/// staged at `at`, which is staged_at(position). The i-th byte of `digits` is the item's digit. If
/// values are staged after the keys, the digits are kept for them.
/// @tparam kAreKept whether digits have been kept; otherwise they are zero
template <bool kAreKept, class Shape, class Offset, class F>
__device__ void for_each_staged(const PassMemory<Shape, Offset>& memory, unsigned groups, F f) {
    constexpr unsigned kOfGroup = Shape::kOfGroup;
    constexpr unsigned kWords = PassMemory<Shape, Offset>::kDigitWords;
    static_assert(kThreads == kLanes * kLanes / 2);
    const unsigned first_position = staged_at(threadIdx.x);
#pragma unroll 1  // nothing here must be in registers, and the code is already long
    for (unsigned group = 0; group < groups; ++group) {
        unsigned* const kept = memory.digits + group * kWords * kThreads;
        unsigned digits[kWords] = {};
        if constexpr (kAreKept) {
#pragma unroll
            for (unsigned w = 0; w < kWords; ++w) digits[w] = kept[w * kThreads];
        }
#pragma unroll
        for (unsigned i = 0; i < kOfGroup; ++i) {
            const unsigned round = group * kOfGroup + i, first = round * kThreads;
            f(first + threadIdx.x, first + (first_position ^ round % 2 * (kLanes / 2)),
              digits[i / 4], i % 4);
        }
        if constexpr (Shape::kTakesTurns && !kAreKept) {
#pragma unroll
            for (unsigned w = 0; w < kWords; ++w) kept[w * kThreads] = digits[w];
        }
    }
}

/// Stores the staged tile's first `size` keys at the positions given by their digits' offsets, and
/// the values that are staged with them. `__stcg` tells the compiler that the stores go to global
/// memory, so the next load from shared memory need not wait for them.
template <class Shape, class Offset, class DigitOf>
__device__ void store_tile(const Pass<Shape, Offset>& pass, const PassMemory<Shape, Offset>& memory,
                           unsigned groups, unsigned size, DigitOf digit_of) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    Bits* const keys_to = pass.to;
    Value* const values_to = pass.values_to;
    const auto store = [&](auto key_of) {
        for_each_staged<false>(memory, groups,
                               [&](unsigned at, unsigned position, unsigned& digits, unsigned i) {
                                   const Bits moved = memory.keys[at];
                                   const unsigned digit = digit_of(moved);
                                   const Offset to = memory.offsets[digit] + position;
                                   if (position < size) {
                                       __stcg(&keys_to[to], key_of(moved));
                                       if constexpr (Shape::kHasValues && !Shape::kTakesTurns)
                                           __stcg(&values_to[to], memory.values[at]);
                                   }
                                   digits |= digit << i * kDigitBits;
                               });
    };
    if (pass.leaves) {
        const KeyMap<Bits> map = pass.map;
        store([&](Bits number) { return map.key(number); });
    } else {
        store([](Bits number) { return number; });
    }
}

/// The same for values that are staged after the keys have been stored.
template <class Shape, class Offset>
__device__ void store_values(const Pass<Shape, Offset>& pass,
                             const PassMemory<Shape, Offset>& memory, unsigned groups,
                             unsigned size) {
    typename Shape::Value* const to = pass.values_to;
    for_each_staged<true>(memory, groups,
                          [&](unsigned at, unsigned position, unsigned digits, unsigned i) {
                              const unsigned digit = digits >> i * kDigitBits & (kDigits - 1);
                              if (position < size)
                                  __stcg(&to[memory.offsets[digit] + position], memory.values[at]);
                          });
}

/// Moves the keys of all of the block's tiles to the positions of current_pass(); equal digits keep
/// their order wherever it matters.
template <class Shape, class Offset>
__device__ void sort_by_digit() {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const Pass<Shape, Offset>& pass = current_pass<Shape, Offset>();
    constexpr unsigned kOfGroup = Shape::kOfGroup, kGroups = Shape::kMaxGroups;
    constexpr unsigned kItems = Shape::kMaxItems, kEarly = Shape::kEarlyGroups;
    constexpr bool kHasValues = Shape::kHasValues;
    const PassMemory<Shape, Offset> memory;
    const unsigned groups = pass.groups;
    const unsigned shift = pass.shift, mask = pass.digit_mask;
    const auto digit_of = [=](Bits key) { return static_cast<unsigned>(key >> shift) & mask; };
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    unsigned* const own_counters = memory.counters + warp * kDigits;
    unsigned* const own_masks = memory.masks + warp * kDigits;

    LookBack<Shape, Offset> look_back{pass};
    const unsigned keys_of_tile = Shape::tile_keys(groups);
    const auto tiles = static_cast<unsigned>((pass.n + keys_of_tile - 1) / keys_of_tile);
    const unsigned first_of_thread = warp * (keys_of_tile / kWarps) + lane;
    const TileItems<Shape, Offset> items{pass, groups, keys_of_tile, first_of_thread};

    if (pass.block >= pass.blocks) return;
    const bool is_staged = kStagesFirst<Shape> && pass.is_staged;
    bool is_crowded = false;
    Bits key[kItems];
    if (!is_staged)
        items.template load<0, kGroups>(pass.from, Offset{pass.block} * keys_of_tile, key);
    for (unsigned tile = pass.block; tile < tiles; tile += pass.blocks) {
        const Offset first_key = Offset{tile} * keys_of_tile;
        const unsigned size = items.size_from(first_key);
        if (is_staged) {
            if (look_back.counts) memory.offsets[look_back.own_digit] += look_back.cohort_begin;
        } else {
            clear_by_warp(own_counters, sizeof(unsigned) * kDigits);
            clear_by_warp(own_masks, sizeof(unsigned) * kDigits);
            __syncwarp();
            enter_keys(items, size, key);

            // 1. Rank the keys in the warp.
            HalfWords<kItems> positions;
            if constexpr (kMayReorder<Shape>)  // items past the array's end must stay last
                rank_alike<Shape>(groups, digit_of, size < keys_of_tile ? ~Bits{0} : pass.ordered,
                                  is_crowded, key, own_masks, own_counters, positions);
            else
                rank_stably<kOfGroup>(groups, digit_of, is_crowded, key, own_masks, own_counters,
                                      positions);
            __syncthreads();

            // 2. Count them in the tile, and publish the counts.
            const unsigned count =
                count_and_publish(memory, look_back.own_digit, look_back.counts, look_back.row);
            __syncthreads();

            look_back.tell_early(tile, count);

            // 3. Stage them in the order of their digits.
            stage_keys(items, key, digit_of, memory.begins + warp * kDigits, positions,
                       memory.keys);
            Value value[kHasValues ? kItems : 1];
            if constexpr (kHasValues) {
                load_values<0, kEarly>(items, first_key, value);
                if (pass.values_from != nullptr)
                    items.template prefetch_from<kEarly>(pass.values_from, first_key, size);
            }

            // 4. Look back, to find the output positions of the digits.
            if (look_back.is_needed) {
                look_back.add_keys_before(tile, count, memory.offsets);
            } else {
                const unsigned filling = look_back.own_digit == mask ? keys_of_tile - size : 0;
                look_back.reserve_positions(count - filling, memory.offsets);
            }
            if constexpr (Shape::kTakesTurns) {
                __syncthreads();
                store_tile(pass, memory, groups, size, digit_of);
                __syncthreads();
            }
            if constexpr (kHasValues) {
                stage_values<0, kEarly>(items, value, positions, memory.values);
                load_and_stage_values<kEarly>(items, first_key, value, positions, memory.values);
            }
            // A tile with fewer groups does not load all keys. Without this, their old values would
            // have to stay in registers.
#pragma unroll
            for (Bits& k : key) k = 0;
            if constexpr (!Shape::kStartsTogether)
                if (tile + pass.blocks < tiles)  // in flight while this tile's keys are stored
                    items.template load<0, kGroups>(
                        pass.from, first_key + Offset{pass.blocks} * keys_of_tile, key);
        }
        __syncthreads();

        // 5. Store them.
        if constexpr (Shape::kTakesTurns)
            store_values(pass, memory, groups, size);
        else
            store_tile(pass, memory, groups, size, digit_of);
        __syncthreads();
        look_back.advance();
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
