// Counts the classes of keys between splitters, and moves the keys there.
#pragma once

#include "stream_compaction/hybrid_radix/splitters.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kSearchedAtOnce = 4;  ///< keys of a thread, so that loads overlap

/// Calls use(i, class, is_equal) for the thread's keys of a tile of `size` keys.
template <unsigned kItems, class Shape, class Offset, class Bits, class Use>
__device__ void classify_tile(const Splitters<Shape, Offset>& splitters, const Bits (&key)[kItems],
                              unsigned size, Use use) {
    constexpr unsigned kAtOnce = kItems < kSearchedAtOnce ? kItems : kSearchedAtOnce;
    static_assert(kItems % kAtOnce == 0);
#pragma unroll
    for (unsigned first = 0; first < kItems; first += kAtOnce) {
        if (first * kThreads >= size) break;
        Bits some[kAtOnce];
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) some[i] = key[first + i];
        splitters.classify(
            some, [&](unsigned i, unsigned c, bool is_equal) { use(first + i, c, is_equal); });
    }
}

/// By a block: counts by class the keys of the tiles t, t + step, ... before part.end, and adds the
/// counts to the cursors.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void count_between_splitters(
    const Partition<Shape, Offset>& part, unsigned t, unsigned step) {
    constexpr unsigned kItems = Shape::kSplitItems < 8 ? Shape::kSplitItems : 8;
    constexpr unsigned kKeys = kItems * kThreads;
    const SplitMemory<Shape, Offset> memory;
    const KeyMap<Bits> map = part.map;
    const Splitters<Shape, Offset> splitters;
    Bits key[kItems];
    const auto load = [&](Offset first, unsigned size) {
        with_array(part.from, [&](auto array) {
            const auto from = array + first;
            if (size == kKeys) {
#pragma unroll
                for (unsigned i = 0; i < kItems; ++i) key[i] = from[place_of(i)];
            } else {
                load_keys(key, from, size, KeyMap<Bits>{});
            }
        });
    };
    // A tile is read in pieces of at most kKeys keys.
    Offset first = Offset{t} * part.tile;
    const auto end_of_tile = [&](unsigned t) {
        return min(part.size, (Offset{t} + 1) * part.tile);
    };
    const auto size_of = [&] {
        return static_cast<unsigned>(min(end_of_tile(t) - first, Offset{kKeys}));
    };
    if (t < part.end) load(first, size_of());
    for (unsigned c = threadIdx.x; c < splitters.loaded.classes; c += kThreads)
        memory.counts[c] = 0;
    __syncthreads();
    while (t < part.end) {
        Bits number[kItems];
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) number[i] = map.number(key[i]);
        const unsigned size = size_of();
        first += size;
        if (first == end_of_tile(t)) t += step, first = Offset{t} * part.tile;
        if (t < part.end) load(first, size_of());
        classify_tile(splitters, number, size, [&](unsigned i, unsigned c, bool) {
            if (place_of(i) < size) atomicAdd(&memory.counts[c], 1u);
        });
    }
    __syncthreads();
    for (unsigned c = threadIdx.x; c < splitters.loaded.classes; c += kThreads)
        if (memory.counts[c] != 0) atomicAdd(&part.cursors[c], Offset{memory.counts[c]});
}

/// The `info` of a key that does not move: the byte of the lanes' counters, behind the classes'.
constexpr unsigned kUnused = kCounters * sizeof(unsigned);

/// `info` of a key that moves: its class's counter, as a byte offset, in the low 16 bits, and its
/// rank above. Returns how many of the thread's keys move: those of a class of equal ones do not,
/// unless all are ranked.
template <bool kRanksAll, unsigned kItems, class Shape, class Offset, class Bits>
__device__ unsigned rank_in_classes(const Splitters<Shape, Offset>& splitters,
                                    const Bits (&key)[kItems], unsigned size, unsigned class_shift,
                                    unsigned share_byte, unsigned* counts,
                                    unsigned (&info)[kItems]) {
    unsigned own = 0;
    for (unsigned& i : info) i = kUnused;
    classify_tile(splitters, key, size, [&](unsigned i, unsigned c, bool is_equal) {
        const bool moves = (kRanksAll || !is_equal) && place_of(i) < size;
        info[i] = moves ? c << class_shift | share_byte : kUnused;
        own += moves ? 1 : 0;
    });
    // Keys that do not move have counters of their lanes, so that nothing branches.
    const unsigned unused = kUnused + threadIdx.x % kLanes * sizeof(unsigned);
    for_each_group<kItems>(size, [&](unsigned first, unsigned last, auto) {
        unsigned rank[kGroup];
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            rank[i - first] = atomicAdd(&at(counts, info[i] != kUnused ? info[i] : unused), 1u);
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            if (info[i] != kUnused) info[i] |= rank[i - first] << 16;
    });
    return own;
}

/// Puts the keys that move to their places in the tile, and their classes.
template <unsigned kItems, class Shape, class Offset, class Bits>
__device__ void stage_classes(const SplitMemory<Shape, Offset>& memory, const Bits (&key)[kItems],
                              unsigned size, unsigned class_shift, const unsigned (&info)[kItems]) {
    for_each_group<kItems>(size, [&](unsigned first, unsigned last, auto) {
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            if (info[i] != kUnused) {
                const unsigned byte = info[i] & 0xffffu;
                const unsigned to = at(memory.counts, byte) + (info[i] >> 16);
                memory.keys[to] = key[i];
                memory.class_of[to] = static_cast<unsigned short>(byte >> class_shift);
            }
    });
}

/// By a block: moves tile t, and the next ones, behind the cursors of their classes, as move_tiles
/// does. Keys of a class of equal ones stay where they are: they are counted, and need no more.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void move_between_splitters(
    const Partition<Shape, Offset>& part, unsigned t) {
    constexpr unsigned kItems = Shape::kSplitItems;
    __shared__ unsigned taken[2], moved[2];
    const SplitMemory<Shape, Offset> memory;
    unsigned* const counts = memory.counts;
    const auto size_of = [&](unsigned t) {
        return static_cast<unsigned>(min(part.size - Offset{t} * part.tile, Offset{part.tile}));
    };
    Bits key[kItems];
    const auto load = [&](unsigned t) {
        with_array(part.from, [&](auto array) {
            const auto from = array + Offset{t} * part.tile;
            const unsigned size = size_of(t);
            for_each_group<kItems>(size, [&](unsigned first, unsigned last, auto) {
#pragma unroll
                for (unsigned i = first; i < last; ++i) key[i] = from[min(place_of(i), size - 1)];
            });
        });
    };

    load(t);
    const Splitters<Shape, Offset> splitters;
    const TileDigits<Bits> tile(0, part.digit_bits);
    const unsigned class_shift = tile.shares_log2 + 2;
    for (unsigned turn = 0; t < part.end; turn ^= 1) {
        const unsigned size = size_of(t);
        unsigned next = t + 1;
        if (threadIdx.x == 0) {
            if (part.turns != nullptr) next = atomicAdd(part.turns, 1u);
            moved[turn] = 0;
        }
        clear(counts, tile.counters);
        const KeyMap<Bits> map = part.map;
#pragma unroll
        for (Bits& k : key) k = map.number(k);
        __syncthreads();

        unsigned info[kItems];
        unsigned own = rank_in_classes<false>(splitters, key, size, class_shift, tile.share_byte,
                                              counts, info);
        own = sum_of_lanes(own);
        if (threadIdx.x % kLanes == 0) atomicAdd(&moved[turn], own);
        __syncthreads();
        scan_counts<false>(counts, tile.counters);
        const unsigned count = moved[turn];

        Offset place[kDigitsOfThread];
        take_places(tile, counts, count, part.cursors, place);
        stage_classes(memory, key, size, class_shift, info);
        for_each_digit(tile, [&](unsigned i, unsigned d) {
            memory.places[d] = place[i] - tile.begin(counts, d, count);
        });
        if (threadIdx.x == 0) taken[turn] = part.given + next;
        __syncthreads();
        t = taken[turn];
        if (t < part.end) load(t);  // on their way while this tile's are stored
        Bits* const to = part.to;
        for_each_group<kItems>(count, [&](unsigned first, unsigned last, auto is_full) {
#pragma unroll
            for (unsigned i = first; i < last; ++i)
                if (decltype(is_full)::value || place_of(i) < count)
                    to[memory.places[memory.class_of[place_of(i)]] + place_of(i)] =
                        memory.keys[place_of(i)];
        });
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
