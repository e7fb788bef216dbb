// A partition: moves keys behind the others of the same digit, tile by tile.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/hybrid_radix/block/rank.h"
#include "stream_compaction/hybrid_radix/plan.h"
#include "stream_compaction/parts/key_map.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kCounterBits = 11, kCounters = 1u << kCounterBits;  ///< of a tile

/// Where a partition's tile is in shared memory.
template <class Shape, class Offset>
struct TileMemory {
    using Bits = typename Shape::Bits;
    static constexpr std::size_t kBytes = Shape::kBlockKeys * sizeof(Bits) +
                                          kMaxDigits * sizeof(Offset) +
                                          (kCounters + kLanes) * sizeof(unsigned);
    Bits* keys;
    Offset* places;    ///< of each digit, less where it starts in the tile
    unsigned* counts;  ///< and one more for each lane

    __device__ TileMemory()
        : keys(simt::dynamic_shared<Bits>()),
          places(reinterpret_cast<Offset*>(keys + Shape::kBlockKeys)),
          counts(reinterpret_cast<unsigned*>(places + kMaxDigits)) {}

    /// Room for the begins of digits, which neither a tile's partition nor block_sort touches.
    static constexpr std::size_t kFirstBegin =
        kBytes > BlockMemory<Shape>::kBytes ? kBytes : BlockMemory<Shape>::kBytes;
    static constexpr std::size_t kBytesWithBegins =
        kFirstBegin + (kMaxDigits + kCountsPerRow) * sizeof(unsigned);
    __device__ unsigned* begins_behind() const {
        return reinterpret_cast<unsigned*>(simt::dynamic_shared<unsigned char>() + kFirstBegin);
    }
};

/// A tile's digits and their counters. Each digit has several, for the lanes to share: where all
/// keys have the same digit, they would wait for each other at one.
template <class Bits>
struct TileDigits {
    static constexpr unsigned kMaxSharesLog2 = 3;
    unsigned shift, digits, shares_log2, counters, share_byte;

    __device__ TileDigits(unsigned shift, unsigned digit_bits)
        : shift(shift),
          digits(1u << digit_bits),
          shares_log2(min(kMaxSharesLog2, kCounterBits - digit_bits)),
          counters(max(digits << shares_log2, kCountsPerRow)),
          share_byte((threadIdx.x & ((1u << shares_log2) - 1)) *
                     static_cast<unsigned>(sizeof(unsigned))) {}

    /// Turned so that the digit times a counter's or a place's bytes needs no more than a mask.
    __device__ unsigned digit_times(Bits key, unsigned log2) const {
        constexpr unsigned kBits = 8 * sizeof(Bits);
        const unsigned right = (shift - log2) % kBits, left = (log2 - shift) % kBits;
        return static_cast<unsigned>(key >> right | key << left) & (digits - 1) << log2;
    }
    __device__ unsigned counter_byte(Bits key) const {
        return digit_times(key, shares_log2 + 2) | share_byte;
    }

    /// Where a digit starts in the tile, of which the counters are scanned.
    __device__ unsigned begin(const unsigned* counts, unsigned digit, unsigned size) const {
        return digit < digits ? counts[digit << shares_log2] : size;
    }
};

constexpr unsigned kDigitsOfThread = kMaxDigits / kThreads;

/// Calls f for each of the thread's digits: the i-th, and which it is.
template <class Bits, class F>
__device__ void for_each_digit(const TileDigits<Bits>& tile, F f) {
#pragma unroll
    for (unsigned i = 0; i < kDigitsOfThread; ++i)
        if (place_of(i) < tile.digits) f(i, place_of(i));
}

/// For each of the thread's digits, takes places behind its cursor for the tile's keys. The
/// counters are scanned. Nothing here waits for the places.
template <class Bits, class Offset>
__device__ void take_places(const TileDigits<Bits>& tile, const unsigned* counts, unsigned size,
                            Offset* cursors, Offset (&place)[kDigitsOfThread]) {
    for_each_digit(tile, [&](unsigned i, unsigned d) {
        const unsigned keys = tile.begin(counts, d + 1, size) - tile.begin(counts, d, size);
        place[i] = keys > 0 ? atomicAdd(&cursors[d], Offset{keys}) : Offset{0};
    });
}

/// Stores a tile's keys, which are in the order of their digits, where these belong.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void store_digits(const TileMemory<Shape, Offset>& memory, const TileDigits<Bits>& tile,
                             unsigned size, Bits* to) {
    constexpr unsigned kPlaceLog2 = sizeof(Offset) == 4 ? 2 : 3;
    for_each_group<Shape::kItems>(size, [&](unsigned first, unsigned last, auto is_full) {
#pragma unroll
        for (unsigned i = first; i < last; ++i) {
            const Bits moved = memory.keys[place_of(i)];
            const auto& place = *reinterpret_cast<const Offset*>(
                reinterpret_cast<const char*>(memory.places) + tile.digit_times(moved, kPlaceLog2));
            if (decltype(is_full)::value || place_of(i) < size) to[place + place_of(i)] = moved;
        }
    });
}

/// Keys to move behind the cursors of their digits, by tiles. In shared memory, so that what is
/// seldom needed takes no registers.
template <class Shape, class Offset>
struct Partition {
    using Bits = typename Shape::Bits;
    typename Shape::Arrays::From from;
    Bits* to;
    Offset size;
    Offset* cursors;
    KeyMap<Bits> map;
    bool enters;  ///< whether keys become numbers
    unsigned shift, digit_bits;
    unsigned tile;    ///< keys of one
    unsigned end;     ///< of the block's tiles
    unsigned* turns;  ///< where the blocks take their next tiles, or null: they are the next ones
    unsigned given;   ///< tiles that are not taken there
};

/// By a block: moves tile t, and the next ones. Keys of one digit get places one after the other,
/// in no order: a rank in the tile is what atomicAdd in shared memory returns, and one atomicAdd
/// for each digit takes the tile's places.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void move_tiles(const Partition<Shape, Offset>& part,
                                                     unsigned t) {
    __shared__ unsigned taken[2];
    const TileMemory<Shape, Offset> memory;
    const TileDigits<Bits> tile(part.shift, part.digit_bits);
    unsigned* const counts = memory.counts;
    const auto byte_of = [=](Bits key) { return tile.counter_byte(key); };
    const auto size_of = [&](unsigned t) {
        return static_cast<unsigned>(min(part.size - Offset{t} * part.tile, Offset{part.tile}));
    };
    Bits key[Shape::kItems];
    const auto load = [&](unsigned t) {
        with_array(part.from, [&](auto from) {
            load_keys(key, from + Offset{t} * part.tile, size_of(t), KeyMap<Bits>{});
        });
    };

    load(t);
    for (unsigned turn = 0; t < part.end; turn ^= 1) {
        unsigned size = size_of(t);
        unsigned next = t + 1;
        if (threadIdx.x == 0 && part.turns != nullptr) next = atomicAdd(part.turns, 1u);
        clear(counts, tile.counters);
        if (part.enters) {
            const KeyMap<Bits> map = part.map;
            for (Bits& k : key) k = map.number(k);
        }
        __syncthreads();
        forget(size);
        Ranks<Shape::kItems> ranks;
        rank_keys(key, size, counts, tile.counters * sizeof(unsigned), ranks, byte_of);
        __syncthreads();
        scan_counts<false>(counts, tile.counters);
        for (Bits& k : key) forget(k);
        forget(size);

        Offset* const cursors = part.cursors;
        Offset place[kDigitsOfThread];
        take_places(tile, counts, size, cursors, place);
        scatter_keys(key, size, counts, ranks, memory.keys, byte_of);
        for_each_digit(tile, [&](unsigned i, unsigned d) {
            memory.places[d] = place[i] - tile.begin(counts, d, size);
        });
        if (threadIdx.x == 0) taken[turn] = part.given + next;
        __syncthreads();
        t = taken[turn];
        if (t < part.end) load(t);  // on their way while this tile's are stored
        store_digits(memory, tile, size, part.to);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
