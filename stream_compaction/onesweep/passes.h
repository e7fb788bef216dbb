// A stable sort by the least significant digit first, as device functions for the blocks of one
// cooperative launch: one read of the keys counts the digits of all passes, then each pass reads
// and writes keys and values once. Digits that all keys share cost no pass.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022. What is different here: since all blocks are resident, tiles are dealt out in turn and the
// words of the look-back are a ring, of a size that does not grow with n.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/parts/arrays.h"
#include "stream_compaction/parts/grid_barrier.h"
#include "stream_compaction/parts/key_map.h"
#include "stream_compaction/parts/warp.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

constexpr unsigned kDigitBits = 8, kDigits = 1u << kDigitBits;
constexpr unsigned kThreads = 512, kWarps = kThreads / kLanes;

template <class Bits>
constexpr unsigned kPositions = 8 * sizeof(Bits) / kDigitBits;  ///< of digits in a key

/// Instead of values, NoValue takes no memory.
template <class Value>
constexpr std::size_t kValueBytes = std::is_same_v<Value, NoValue> ? 0 : sizeof(Value);

/// What a block takes of a multiprocessor, of which two are to fit into one.
/// @tparam kItemsOfGroup, kGroups  a thread takes its keys in groups. Where there are few keys,
/// tiles
///                                 have fewer groups
/// @tparam kCounterWords           of all positions, for the digits that are counted first
template <class KeyBits, class ValueBits, unsigned kItemsOfGroup, unsigned kGroups,
          unsigned kCounterWords>
struct Shape {
    using Bits = KeyBits;
    using Value = ValueBits;
    static constexpr unsigned kOfGroup = kItemsOfGroup, kMaxGroups = kGroups;
    static constexpr unsigned kMaxItems = kOfGroup * kMaxGroups;
    /// Groups of values that are under way during the look-back, for which there are registers.
    /// Those of the others wait in the L2 cache.
    static constexpr unsigned kEarlyGroups = kMaxGroups < 2 ? kMaxGroups : 2;

    static constexpr unsigned kAllDigits = kPositions<Bits> * kDigits;
    /// Each digit has several counters, for the lanes to share: where all keys have the same digit,
    /// they would wait for each other at one.
    static constexpr unsigned kShares = kCounterWords / kAllDigits;
    static constexpr std::size_t kCountBytes = kCounterWords * sizeof(unsigned);

    __host__ __device__ static constexpr unsigned tile_keys(unsigned groups) {
        return groups * kOfGroup * kThreads;
    }
};

template <class Bits, class Value>
constexpr std::size_t kItemBytes = sizeof(Bits) + kValueBytes<Value>;

template <class Bits, class Value>
constexpr bool kIsSmallPair = sizeof(Bits) == 4 && kValueBytes<Value> == 4;

/// For multiprocessors with 160 KB of shared memory or more: compute capabilities 8.0, 9.0, 10.0.
template <class Bits, class Value>
using LargeShape = Shape<Bits, Value, kIsSmallPair<Bits, Value> ? 6 : 7,
                         kItemBytes<Bits, Value> <= 4 || kIsSmallPair<Bits, Value> ? 3
                         : kItemBytes<Bits, Value> <= 8                            ? 2
                                                                                   : 1,
                         16384>;

/// For 100 KB, and one block for the 64 KB of 7.5. 72 bytes of a thread.
template <class Bits, class Value>
using SmallShape = Shape<Bits, Value,
                         kItemBytes<Bits, Value> <= 4    ? 6
                         : kItemBytes<Bits, Value> <= 12 ? 3
                                                         : 4,
                         kItemBytes<Bits, Value> <= 8    ? 3
                         : kItemBytes<Bits, Value> <= 12 ? 2
                                                         : 1,
                         8192>;

constexpr unsigned kLeastTile = 3 * kThreads;  ///< the smallest, of all shapes

// ---- The words of the look-back ---------------------------------------------------------------
//
// Block b has the tiles b, b + B, b + 2B, ... in this order, B blocks taking part. A tile has a
// row, with a word for each digit: how many keys of that digit the tile has. Tiles are in cohorts,
// of which B is a multiple; who has the last tile of a cohort publishes the cohort's sums likewise.
// So a tile's places are found in two steps that wait for no other tile's places: the sums of the
// cohorts since its block's last tile, and the rows of its own cohort.
//
// Both kinds of rows are rings, three rounds of all blocks long; a tag tells the rounds apart. Who
// publishes for tile t has finished with t - B, so the tiles before t - B are published, and their
// threads have finished with the tiles before t - 2B: nobody looks at what tile t overwrites, the
// words of t - 3B.
//
// Forward progress: all blocks are resident, and tile t waits only for tiles before it, which are
// published before their blocks wait for anything but tiles before these.

constexpr unsigned kRounds = 3;
constexpr unsigned kValueBits = 24, kTags = 1u << (32 - kValueBits);

/// So many blocks at most, for the size of the rings. A cohort's sum fits into a word.
constexpr unsigned kMaxBlocks = 320;
static_assert(kMaxBlocks * LargeShape<unsigned, NoValue>::tile_keys(3) < 1u << kValueBits);

/// About half as many tiles to a cohort as there are cohorts in a round.
constexpr unsigned cohort_of(unsigned blocks) {
    unsigned tiles = 1;
    while (2 * tiles * tiles < blocks) ++tiles;
    return tiles;
}

constexpr unsigned kMaxCohorts = 26;  ///< blocks / cohort_of(blocks) is at most sqrt(2 * blocks)
static_assert(kMaxCohorts * kMaxCohorts > 2 * kMaxBlocks);

/// A ring of rows. Rounds through it are counted from pass to pass; words are zero before the
/// first, number 1.
struct Ring {
    unsigned* column;  ///< of the thread's digit
    unsigned rows;
    unsigned lap, index;  ///< of the block's tile

    __device__ void advance(unsigned by) {
        index += by;
        if (index >= rows) index -= rows, ++lap;
    }

    __device__ void publish(unsigned value) const {
        simt::DeviceAtomic<unsigned>(column[index * kDigits])
            .store(lap % kTags << kValueBits | value, simt::memory_order_relaxed);
    }

    /// The sum of the `count` rows before this one, so many of them loaded at once.
    template <unsigned kBatch>
    __device__ unsigned sum_before(unsigned count) const {
        unsigned sum = 0;
        for (unsigned first = 1; first <= count; first += kBatch) {
            unsigned word[kBatch];
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b) word[b] = load(min(first + b, count));
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b) {
                if (first + b > count) break;
                const unsigned tag = (index >= first + b ? lap : lap - 1) % kTags;
                while (word[b] >> kValueBits != tag) {
                    simt::relax();
                    word[b] = load(first + b);
                }
                sum += word[b] % (1u << kValueBits);
            }
        }
        return sum;
    }

  private:
    __device__ unsigned load(unsigned before) const {
        const unsigned at = index >= before ? index - before : index + rows - before;
        return simt::DeviceAtomic<unsigned>(column[at * kDigits]).load(simt::memory_order_relaxed);
    }
};

// ---- One pass ---------------------------------------------------------------------------------

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

        // How many keys each digit has; then where they start in the tile, for each warp.
        unsigned count = 0;
        if (counts) {
#pragma unroll
            for (unsigned w = 0; w < kWarps; ++w) count += memory.counters[w * kDigits + own_digit];
            row.publish(count);
        }
        const unsigned first = scan_digits(count);
        if (counts) {
            unsigned begin = first;
#pragma unroll
            for (unsigned w = 0; w < kWarps; ++w) {
                unsigned short& counter = memory.counters[w * kDigits + own_digit];
                const unsigned of_warp = counter;
                counter = static_cast<unsigned short>(begin);
                begin += of_warp;
            }
            memory.offsets[own_digit] = Offset{0} - first;
        }
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

        Bits* const keys_to = pass.to;
        Value* const values_to = pass.values_to;
        const auto store = [&](auto key_of) {
            for_each_of_thread([&](unsigned i) {
                const unsigned place = i * kThreads + threadIdx.x;
                const Bits moved = memory.keys[place];
                const Offset to = memory.offsets[digit_of(moved)] + place;
                if (place >= size) return;
                store_global(&keys_to[to], key_of(moved));
                if constexpr (kHasValues) store_global(&values_to[to], memory.values[place]);
            });
        };
        if (pass.leaves) {
            const KeyMap<Bits> map = pass.map;
            store([&](Bits number) { return map.key(number); });
        } else {
            store([](Bits number) { return number; });
        }
        __syncthreads();
        row.advance(pass.blocks);
        cohort.advance(cohorts_of_round);
    }
}

// ---- The digits of all passes -----------------------------------------------------------------

/// What the blocks share. The histograms are zero before a launch, and after it.
template <class Offset>
struct Shared {
    Offset* histograms;        ///< kDigits for each position
    Offset* begins;            ///< of each digit
    unsigned* varies;          ///< for each position, whether keys differ there
    unsigned* frequent;        ///< for each position, a digit of many keys, or kDigits
    unsigned *rows, *cohorts;  ///< of the look-back, kRounds rounds
};

template <class Bits>
constexpr std::size_t kHistogramSize = kPositions<Bits>* kDigits;

/// Takes them for n keys, but for the histograms: the others need not last from launch to launch.
template <class Bits, class Offset>
void lay_out(Shared<Offset>& shared, std::size_t n, Arrays& arrays) {
    const std::size_t blocks = std::min<std::size_t>(kMaxBlocks, ceil_div(n, kLeastTile));
    shared.begins = arrays.take<Offset>(kHistogramSize<Bits>);
    shared.varies = arrays.take<unsigned>(kPositions<Bits>);
    shared.frequent = arrays.take<unsigned>(kPositions<Bits>);
    shared.rows = arrays.take<unsigned>(kRounds * blocks * kDigits);
    shared.cohorts = arrays.take<unsigned>(kRounds * kMaxCohorts * kDigits);
}

template <class Shape, class Offset>
struct Job {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const Bits* in;
    Bits *out, *spare;
    const Value* values_in;
    Value *values_out, *values_spare;
    Offset n;
    Shared<Offset> shared;
    unsigned groups;  ///< of a tile
    unsigned blocks;  ///< that take part: a multiple of the cohort, or one for each tile
    unsigned cohort;  ///< tiles of one

    /// For a launch of so many blocks. Tiles are the smallest of which no block has more than one,
    /// or the largest.
    void choose_tiles(unsigned launched) {
        launched = std::min(launched, kMaxBlocks);
        groups = static_cast<unsigned>(std::min<std::size_t>(
            Shape::kMaxGroups, ceil_div(n, std::size_t{launched} * Shape::tile_keys(1))));
        const std::size_t tiles = ceil_div(n, Shape::tile_keys(groups));
        blocks = static_cast<unsigned>(std::min<std::size_t>(launched, tiles));
        cohort = cohort_of(blocks);
        if (blocks < tiles) blocks = blocks / cohort * cohort;
    }
};

/// Adds the digits of all positions to current_pass().histograms.
template <class Shape, class Offset>
__device__ void count_digits() {
    using Bits = typename Shape::Bits;
    const Pass<Shape, Offset>& pass = current_pass<Shape, Offset>();
    const KeyMap<Bits> map = pass.map;
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    constexpr unsigned kOfGroup = Shape::kOfGroup, kGroups = Shape::kMaxGroups;
    constexpr unsigned kAll = Shape::kAllDigits, kShares = Shape::kShares;
    for (unsigned i = threadIdx.x; i < kAll * kShares / 4; i += kThreads)
        reinterpret_cast<uint4*>(counts)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    unsigned* const own = counts + threadIdx.x % kShares;
    const auto count = [&](Bits key) {
        const Bits number = map.number(key);
#pragma unroll
        for (unsigned p = 0; p < kPositions<Bits>; ++p) {
            const unsigned digit = static_cast<unsigned>(number >> p * kDigitBits) % kDigits;
            atomicAdd(&own[(p * kDigits + digit) * kShares], 1u);
        }
    };
    const unsigned tile = Shape::tile_keys(pass.groups);
    for (Offset first = Offset{blockIdx.x} * tile; first < pass.n;
         first += Offset{gridDim.x} * tile) {
        const Bits* const from = pass.from + first;
        if (pass.n - first >= tile) {
            Bits key[Shape::kMaxItems];
            for_each_item<kOfGroup, 0, kGroups>(
                pass.groups, [&](unsigned i) { key[i] = from[i * kThreads + threadIdx.x]; });
            for_each_item<kOfGroup, 0, kGroups>(pass.groups, [&](unsigned i) { count(key[i]); });
        } else {
            for (unsigned i = threadIdx.x; i < pass.n - first; i += kThreads) count(from[i]);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kAll; i += kThreads) {
        unsigned sum = 0;
#pragma unroll
        for (unsigned s = 0; s < kShares; ++s)  // threads begin with different ones: no conflicts
            sum += counts[i * kShares + (s + i) % kShares];
        if (sum > 0) atomicAdd(&pass.histograms[i], Offset{sum});
    }
}

/// By one block: turns the histograms into the digits' begins, a warp for each.
template <class Bits, class Offset>
__device__ void scan_histograms(const Shared<Offset>& shared, Offset n) {
    constexpr unsigned kOfLane = kDigits / kLanes, kFrequentShare = 12;
    const unsigned lane = threadIdx.x % kLanes, position = threadIdx.x / kLanes;
    if (position >= kPositions<Bits>) return;
    const unsigned first = position * kDigits + lane * kOfLane;
    Offset count[kOfLane], sum = 0;
    bool has_all = false;
    unsigned frequent = kDigits;
#pragma unroll
    for (unsigned i = 0; i < kOfLane; ++i) {
        count[i] = shared.histograms[first + i];
        shared.histograms[first + i] = 0;
        sum += count[i];
        has_all |= count[i] == n;
        if (count[i] > n / kFrequentShare) frequent = lane * kOfLane + i;
    }
    Offset begin = sum;
    for (unsigned d = 1; d < kLanes; d *= 2) {
        const Offset left = __shfl_up_sync(~0u, begin, d);
        if (lane >= d) begin += left;
    }
    begin -= sum;
#pragma unroll
    for (unsigned i = 0; i < kOfLane; ++i) {
        shared.begins[first + i] = begin;
        begin += count[i];
    }
    const bool is_constant = __any_sync(~0u, has_all) != 0;
    frequent = min_of_lanes(frequent);
    if (lane == 0) {
        shared.varies[position] = is_constant ? 0 : 1;
        shared.frequent[position] = frequent;
    }
}

template <class T, class Offset>
__device__ void copy_array(const T* from, T* to, Offset n) {
    const Offset step = Offset{gridDim.x} * kThreads;
    for (Offset i = Offset{blockIdx.x} * kThreads + threadIdx.x; i < n; i += step) to[i] = from[i];
}

/// Sorts, by all blocks of the launch; each of them calls it. `count` is to call count_digits, and
/// `move` sort_by_digit: they may be functions of their own.
template <class Shape, class Offset, class Count, class Move>
__device__ void sort_by_passes(const Job<Shape, Offset>& job, KeyMap<typename Shape::Bits> map,
                               GridBarrier& barrier, Count count, Move move) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const Shared<Offset>& shared = job.shared;
    const auto clear_rows = [](unsigned* rows, unsigned count) {
        for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count * kDigits;
             i += gridDim.x * kThreads)
            rows[i] = 0;
    };
    const unsigned rows = kRounds * job.blocks;
    clear_rows(shared.rows, rows);
    clear_rows(shared.cohorts, rows / job.cohort);

    Pass<Shape, Offset>& pass = current_pass<Shape, Offset>();
    if (threadIdx.x == 0) {
        pass.from = job.in;
        pass.n = job.n;
        pass.histograms = shared.histograms;
        pass.map = map;
        pass.rows = shared.rows;
        pass.cohorts = shared.cohorts;
        pass.blocks = job.blocks;
        pass.cohort = job.cohort;
        pass.groups = job.groups;
        pass.first_lap = 1;
        pass.enters = true;
    }
    __syncthreads();
    count();
    barrier.arrive_and_wait([&] { scan_histograms<Bits>(shared, job.n); });

    unsigned passes = 0;
    for (unsigned p = 0; p < kPositions<Bits>; ++p) passes += shared.varies[p];

    const Bits* from = job.in;
    const Value* values_from = job.values_in;
    const bool copies = passes == 0 ? job.in != job.out : passes % 2 == 1 && job.in == job.out;
    if (copies) {  // what a pass reads, it does not write
        Bits* const copy = passes == 0 ? job.out : job.spare;
        copy_array(job.in, copy, job.n);
        from = copy;
    }
    if constexpr (kValueBytes<Value> != 0) {
        const bool copies_values = passes == 0 ? job.values_in != job.values_out
                                               : passes % 2 == 1 && job.values_in == job.values_out;
        if (copies_values) {
            Value* const copy = passes == 0 ? job.values_out : job.values_spare;
            copy_array(job.values_in, copy, job.n);
            values_from = copy;
        }
    }
    if (passes == 0) return;
    if (from != job.in || values_from != job.values_in) barrier.arrive_and_wait();

    if (threadIdx.x == 0) pass.from = from, pass.values_from = values_from;
    const Offset keys_of_tile = Shape::tile_keys(job.groups);
    const auto tiles = static_cast<unsigned>((job.n + keys_of_tile - 1) / keys_of_tile);
    for (unsigned p = 0; p < kPositions<Bits>; ++p) {
        if (shared.varies[p] == 0) continue;
        --passes;
        if (threadIdx.x == 0) {
            pass.to = passes % 2 == 0 ? job.out : job.spare;
            pass.values_to = passes % 2 == 0 ? job.values_out : job.values_spare;
            pass.leaves = passes == 0;
            pass.shift = p * kDigitBits;
            pass.frequent = shared.frequent[p];
            pass.begins = shared.begins + p * kDigits;
        }
        __syncthreads();
        move();
        if (passes == 0) return;
        barrier.arrive_and_wait();
        if (threadIdx.x == 0) {
            pass.enters = false;
            pass.first_lap += (tiles + rows - 1) / rows;
            pass.from = pass.to;
            pass.values_from = pass.values_to;
        }
    }
}

template <class Shape, class Offset>
__device__ void sort_by_passes(const Job<Shape, Offset>& job, KeyMap<typename Shape::Bits> map,
                               GridBarrier& barrier) {
    sort_by_passes(
        job, map, barrier, [] { count_digits<Shape, Offset>(); },
        [] { sort_by_digit<Shape, Offset>(); });
}

template <class Shape, class Offset>
constexpr std::size_t kPassBytes = std::max(PassMemory<Shape, Offset>::kBytes, Shape::kCountBytes);

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
