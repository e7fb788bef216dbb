// Segments, level by level: their digits are counted, planned and moved.
#pragma once

#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/hand_out.h"
#include "stream_compaction/hybrid_radix/scan_in_memory.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Tiles [first, end) of a level.
struct TileRange {
    unsigned first, end;
};

/// The block's share of so many tiles.
__device__ inline TileRange share_of(unsigned tiles) {
    const auto first = [=](unsigned b) {
        return static_cast<unsigned>(1ull * tiles * b / gridDim.x);
    };
    return {first(blockIdx.x), first(blockIdx.x + 1)};
}

template <class Shape, class Offset>
__device__ unsigned tiles_of_level(const Work<Shape, Offset>& work, unsigned level) {
    return static_cast<unsigned>(work.progress->segments[level]);
}

/// Goes through some of a level's tiles, one after the other. For each segment that has some of
/// them, run(segment, its first tile and the end of these).
template <class Shape, class Offset, class Bits = typename Shape::Bits, class Run>
__device__ void for_each_run(const Work<Shape, Offset>& work, unsigned level, TileRange tiles,
                             Run run) {
    const Segment<Bits, Offset>* const segments = work.segments[level];
    unsigned t = tiles.first;
    if (t == tiles.end) return;

    unsigned low = 0;  // the segment of tile t
    auto high = static_cast<unsigned>(work.progress->segments[level] / kOneSegment) - 1;
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (segments[middle].first_tile <= t)
            low = middle;
        else
            high = middle - 1;
    }
    for (; t < tiles.end; ++low) {
        const Segment<Bits, Offset> segment = segments[low];
        const unsigned end = min(tiles.end - segment.first_tile, work.tiles_of(segment.size));
        run(segment, t - segment.first_tile, end);
        t = segment.first_tile + end;
    }
}

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_segments(const Work<Shape, Offset>& work, unsigned level) {
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    const auto count = [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
        const unsigned digits = 1u << segment.digit_bits, shift = segment.bits - segment.digit_bits;
        for (unsigned i = threadIdx.x; i < digits; i += kThreads) counts[i] = 0;
        __syncthreads();
        const Bits* const keys = (segment.is_in_spare ? work.spare : work.out) + segment.first;
        for (; t < end; ++t) {
            const Offset first = Offset{t} * work.tile;
            const auto size = static_cast<unsigned>(min(segment.size - first, Offset{work.tile}));
            Bits key[Shape::kItems];
            load_keys(key, keys + first, size, {});
#pragma unroll
            for (unsigned i = 0; i < Shape::kItems; ++i)
                if (place_of(i) < size)
                    atomicAdd(&counts[static_cast<unsigned>(key[i] >> shift) & (digits - 1)], 1u);
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < digits; i += kThreads)
            if (counts[i] != 0) atomicAdd(&segment.counters[i], Offset{counts[i]});
    };
    for_each_run(work, level, share_of(tiles_of_level(work, level)), count);
}

/// Turns a level's counts into places, and hands the digits out to the next level.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void plan_segments(const Work<Shape, Offset>& work, unsigned level) {
    const auto segments = static_cast<unsigned>(work.progress->segments[level] / kOneSegment);
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        Segment<Bits, Offset>& segment = work.segments[level][s];
        const unsigned digits = 1u << segment.digit_bits;
        bool all_in_one = false;
        for (unsigned i = threadIdx.x; i < digits; i += kThreads)
            all_in_one |= segment.counters[i] == segment.size;
        all_in_one = __syncthreads_or(all_in_one);
        scan_in_memory(segment.counters, digits, segment.first, [](unsigned, Offset) {});
        if (segment.bits == segment.digit_bits) continue;  // the counts say it all
        if (threadIdx.x == 0) segment.stays = all_in_one;
        hand_out_digits(work, digits, 1, segment.counters, segment.first + segment.size,
                        segment.prefix, segment.bits - segment.digit_bits, 0,
                        all_in_one ? segment.is_in_spare : !segment.is_in_spare, 1 - level);
    }
}

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void move_segments(const Work<Shape, Offset>& work, unsigned level, Bits base,
                              Partition<Bits, Offset>& part) {
    Offset* const begins = simt::dynamic_shared<Offset>();
    const auto move = [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
        if (segment.bits == segment.digit_bits) {
            const unsigned digits = 1u << segment.digit_bits;
            stage(segment.counters, begins, digits);
            for (; t < end; ++t) {
                const Offset first = Offset{t} * work.tile;
                fill_tile(work.out, work.map, begins, digits,
                          static_cast<Bits>(base + segment.prefix), segment.first + first,
                          static_cast<unsigned>(min(segment.size - first, Offset{work.tile})));
            }
        } else if (!segment.stays) {
            __syncthreads();
            if (threadIdx.x == 0) {
                part.from = (segment.is_in_spare ? work.spare : work.out) + segment.first;
                part.to = segment.is_in_spare ? work.out : work.spare;
                part.size = segment.size;
                part.cursors = segment.counters;
                part.enters = false;
                part.shift = segment.bits - segment.digit_bits;
                part.digit_bits = segment.digit_bits;
                part.tile = work.tile;
                part.end = end;
                part.turns = nullptr, part.given = 0;
            }
            __syncthreads();
            move_tiles<Shape>(part, t);
        }
    };

    // Blocks that take the next few tiles write near each other; of few tiles, each has a share.
    constexpr unsigned kMany = 32, kAtOnce = 4;
    const unsigned tiles = tiles_of_level(work, level);
    const bool are_many = tiles / gridDim.x >= kMany;
    const auto range_at = [=](unsigned t) { return TileRange{t, min(t + kAtOnce, tiles)}; };
    __shared__ unsigned taken;
    TileRange range = are_many ? range_at(blockIdx.x * kAtOnce) : share_of(tiles);
    while (range.first < tiles) {
        for_each_run(work, level, range, move);
        if (!are_many) return;
        __syncthreads();
        if (threadIdx.x == 0)
            taken = kAtOnce * (gridDim.x + atomicAdd(&work.progress->next_run, 1u));
        __syncthreads();
        range = range_at(taken);
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
