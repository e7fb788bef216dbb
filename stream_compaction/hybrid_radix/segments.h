// Segments, level by level: they are divided, counted, planned and moved.
#pragma once

#include "stream_compaction/hybrid_radix/block/scan_in_memory.h"
#include "stream_compaction/hybrid_radix/classes.h"
#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/hand_out.h"

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
    return static_cast<unsigned>(work.progress->segments[level % 2]);
}
template <class Shape, class Offset>
__device__ unsigned segments_of_level(const Work<Shape, Offset>& work, unsigned level) {
    return static_cast<unsigned>(work.progress->segments[level % 2] / kOneSegment);
}

/// Goes through some of a level's tiles, one after the other. For each segment that has some of
/// them, run(segment, its first tile and the end of these).
template <class Shape, class Offset, class Bits = typename Shape::Bits, class Run>
__device__ void for_each_run(const Work<Shape, Offset>& work, unsigned level, unsigned tile,
                             TileRange tiles, Run run) {
    const Segment<Bits, Offset>* const segments = work.segments[level % 2];
    unsigned t = tiles.first;
    if (t == tiles.end) return;

    unsigned low = 0, high = segments_of_level(work, level) - 1;  // the segment of tile t
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (segments[middle].first_tile <= t)
            low = middle;
        else
            high = middle - 1;
    }
    for (; t < tiles.end; ++low) {
        const Segment<Bits, Offset> segment = segments[low];
        const unsigned end = min(tiles.end - segment.first_tile, tiles_of(segment.size, tile));
        run(segment, t - segment.first_tile, end);
        t = segment.first_tile + end;
    }
}

/// A block's next partition: what it reads and where to.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void set_partition(Partition<Shape, Offset>& part, const Work<Shape, Offset>& work,
                              const Segment<Bits, Offset>& segment, bool is_first, unsigned tile,
                              unsigned end) {
    __syncthreads();
    if (threadIdx.x == 0) {
        using From = typename Shape::Arrays::From;
        const Bits* const numbers = work.numbers(segment.is_in_spare);
        part = {is_first ? From(work.in) : From(numbers + segment.first),
                work.numbers(!segment.is_in_spare),
                segment.size,
                segment.counters,
                is_first ? work.map : KeyMap<Bits>{},
                is_first,
                segment.bits() - segment.class_bits,
                segment.class_bits,
                tile,
                end,
                nullptr,
                0};
    }
    __syncthreads();
}

template <class Shape, class Offset>
__device__ void divide_segments(const Work<Shape, Offset>& work, unsigned level) {
    const unsigned segments = segments_of_level(work, level);
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x)
        divide(work, work.segments[level % 2][s], level);
}

/// Counts the digits of level 0's segments.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_digits_of_segments(const Work<Shape, Offset>& work) {
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    GridBarrier& barrier = work.progress->barrier;
    const unsigned segments = segments_of_level(work, 0);
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        const Segment<Bits, Offset> segment = work.segments[0][s];
        for (unsigned i = threadIdx.x; i < 1u << segment.class_bits; i += kThreads)
            segment.counters[i] = 0;
    }
    barrier.arrive_and_wait();
    const auto count = [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
        const unsigned digits = 1u << segment.class_bits;
        const unsigned shift = segment.bits() - segment.class_bits;
        for (unsigned i = threadIdx.x; i < digits; i += kThreads) counts[i] = 0;
        __syncthreads();
        const Bits* const from = work.numbers(segment.is_in_spare) + segment.first;
        for (; t < end; ++t) {
            const Offset first = Offset{t} * work.fit().tile;
            const auto size =
                static_cast<unsigned>(min(segment.size - first, Offset{work.fit().tile}));
            Bits key[Shape::kItems];
            load_keys(key, from + first, size, {});
#pragma unroll
            for (unsigned i = 0; i < Shape::kItems; ++i)
                if (place_of(i) < size)
                    atomicAdd(&counts[static_cast<unsigned>(key[i] >> shift) & (digits - 1)], 1u);
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < digits; i += kThreads)
            if (counts[i] != 0) atomicAdd(&segment.counters[i], Offset{counts[i]});
    };
    for_each_run(work, 0, work.fit().tile, share_of(tiles_of_level(work, 0)), count);
    barrier.arrive_and_wait();
}

/// The same of even keys, whose digits are handed out to level 1.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_segments_by_digits(const Work<Shape, Offset>& work) {
    count_digits_of_segments(work);
    Offset* const begins = simt::dynamic_shared<Offset>();
    for (unsigned s = blockIdx.x; s < segments_of_level(work, 0); s += gridDim.x) {
        __syncthreads();
        const Segment<Bits, Offset> segment = work.segments[0][s];
        scan_in_memory(segment.counters, 1u << segment.class_bits, segment.first,
                       [&](unsigned c, Offset begin) { begins[c] = begin; });
        if (threadIdx.x == 0) begins[1u << segment.class_bits] = segment.first + segment.size;
        hand_out(work, 1u << segment.class_bits, begins,
                 digits_of(segment.least, segment.bits(), segment.class_bits), !segment.is_in_spare,
                 1);
    }
    work.progress->barrier.arrive_and_wait();
}

/// Level 0's segments, of which each digit is one number: counts them, and writes the sorted keys.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_and_fill_segments(const Work<Shape, Offset>& work, KeyMap<Bits> map) {
    count_digits_of_segments(work);
    for (unsigned s = blockIdx.x; s < segments_of_level(work, 0); s += gridDim.x) {
        __syncthreads();
        const Segment<Bits, Offset> segment = work.segments[0][s];
        scan_in_memory(segment.counters, 1u << segment.class_bits, Offset{0},
                       [](unsigned, Offset) {});
    }
    work.progress->barrier.arrive_and_wait();
    Offset* const begins = simt::dynamic_shared<Offset>();
    const auto fill = [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
        const unsigned digits = 1u << segment.class_bits;
        stage(segment.counters, begins, digits);
        for (; t < end; ++t) {
            const Offset first = Offset{t} * work.fit().tile;
            fill_tile(work.out + segment.first, begins, digits, first,
                      static_cast<unsigned>(min(segment.size - first, Offset{work.fit().tile})),
                      keys_from(map, segment.least));
        }
    };
    for_each_run(work, 0, work.fit().tile, share_of(tiles_of_level(work, 0)), fill);
}

/// Counts the whole array, the only segment of level 0: all blocks together go through it. The
/// splitters, and the partition, stay loaded.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_all(const Work<Shape, Offset>& work, const Drawn& drawn,
                          Partition<Shape, Offset>& part) {
    const Segment<Bits, Offset> segment{0,
                                        work.fit().n,
                                        work.counters[0],
                                        work.splitters[drawn.are_most ? 0 : 1],
                                        0,
                                        ~Bits{0},
                                        0,
                                        static_cast<unsigned char>(drawn.class_bits),
                                        false,
                                        false};
    const unsigned tiles = tiles_of(work.fit().n, work.fit().split_tile);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        work.segments[0][0] = segment;
        work.progress->segments[0] = kOneSegment + tiles;
    }
    set_partition(part, work, segment, true, work.fit().split_tile, tiles);
    if (blockIdx.x >= tiles) return;
    Splitters<Shape, Offset>::load(segment.splitters, segment.class_bits);
    count_between_splitters<Shape>(part, blockIdx.x, gridDim.x);
}

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_segments(const Work<Shape, Offset>& work, unsigned level,
                               Partition<Shape, Offset>& part) {
    const auto count = [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
        set_partition(part, work, segment, false, work.fit().split_tile, end);
        Splitters<Shape, Offset>::load(segment.splitters, segment.class_bits);
        count_between_splitters<Shape>(part, t, 1);
    };
    for_each_run(work, level, work.fit().split_tile, share_of(tiles_of_level(work, level)), count);
}

/// Turns a level's counts into places, and hands the classes out to the next level.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void plan_segments(const Work<Shape, Offset>& work, unsigned level) {
    Offset* const begins = simt::dynamic_shared<Offset>();
    auto* const splitters =
        reinterpret_cast<Bits*>(begins + (std::size_t{2} << Shape::kMaxClassBits));
    const unsigned segments = segments_of_level(work, level);
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        __syncthreads();
        const Segment<Bits, Offset> segment = work.segments[level % 2][s];
        const unsigned classes = 1u << segment.class_bits;
        for (unsigned c = threadIdx.x; c + 1 < classes; c += kThreads)
            splitters[c] = segment.splitters[c];
        scan_in_memory(segment.counters, classes, segment.first,
                       [&](unsigned c, Offset begin) { begins[c] = begin; });
        if (threadIdx.x == 0) begins[classes] = segment.first + segment.size;
        const bool to_spare = !segment.is_in_spare;
        const auto range_of = [&](unsigned c) {
            return ClassRange<Bits>(splitters, classes, c, segment.least, segment.largest);
        };
        hand_out(work, classes, begins, range_of, to_spare, level + 1);
        bool moves = false;
        for (unsigned c = threadIdx.x; c < classes; c += kThreads)
            moves |= begins[c + 1] != begins[c] && !range_of(c).is_one_key();
        if (!__syncthreads_or(moves) && threadIdx.x == 0)
            work.segments[level % 2][s].is_counted = true;
    }
}

/// Moves a level's tiles. For each segment that a block has some of, move(segment, its first tile
/// and the end of these).
template <class Shape, class Offset, class Move>
__device__ void for_all_tiles(const Work<Shape, Offset>& work, unsigned level, unsigned tile,
                              Move move) {
    // Blocks that take the next few tiles write near each other; of few tiles, each has a share.
    constexpr unsigned kMany = 32, kAtOnce = 4;
    const unsigned tiles = tiles_of_level(work, level);
    const bool are_many = tiles / gridDim.x >= kMany;
    const auto range_at = [=](unsigned t) { return TileRange{t, min(t + kAtOnce, tiles)}; };
    __shared__ unsigned taken;
    TileRange range = are_many ? range_at(blockIdx.x * kAtOnce) : share_of(tiles);
    while (range.first < tiles) {
        for_each_run(work, level, tile, range, move);
        if (!are_many) return;
        __syncthreads();
        if (threadIdx.x == 0)
            taken = kAtOnce * (gridDim.x + atomicAdd(&work.progress->next_run, 1u));
        __syncthreads();
        range = range_at(taken);
    }
}

/// Ends a level: its lists are empty again.
template <class Shape, class Offset>
__device__ void end_level(const Work<Shape, Offset>& work, unsigned level) {
    Progress& progress = *work.progress;
    progress.barrier.arrive_and_wait([&] {
        if (threadIdx.x > 0) return;
        progress.segments[level % 2] = progress.counters[level % 2] = 0;
        progress.next_run = 0;
    });
}

/// Moves the segments of level 0, whose digits have been counted.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void move_counted_segments(const Work<Shape, Offset>& work,
                                      Partition<Shape, Offset>& part) {
    for_all_tiles(work, 0, work.fit().tile,
                  [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
                      set_partition(part, work, segment, false, work.fit().tile, end);
                      move_tiles<Shape>(part, t);
                  });
    end_level(work, 0);
}

/// Moves the whole array: each block goes on with the next tile that is left.
template <class Shape, class Offset>
__device__ void move_all(const Work<Shape, Offset>& work, Partition<Shape, Offset>& part) {
    if (work.segments[0][0].is_counted || blockIdx.x >= part.end) return;
    if (threadIdx.x == 0) part.turns = &work.progress->next_run, part.given = gridDim.x;
    __syncthreads();
    move_between_splitters<Shape>(part, blockIdx.x);
}

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void move_segments(const Work<Shape, Offset>& work, unsigned level,
                              Partition<Shape, Offset>& part) {
    for_all_tiles(work, level, work.fit().split_tile,
                  [&](const Segment<Bits, Offset>& segment, unsigned t, unsigned end) {
                      if (segment.is_counted) return;
                      set_partition(part, work, segment, false, work.fit().split_tile, end);
                      Splitters<Shape, Offset>::load(segment.splitters, segment.class_bits);
                      move_between_splitters<Shape>(part, t);
                  });
}

/// Partitions segments until all that is left are buckets: those of a level, and what becomes of
/// them.
template <class Shape, class Offset>
__device__ void partition_segments(const Work<Shape, Offset>& work, Partition<Shape, Offset>& part,
                                   unsigned level) {
    Progress& progress = *work.progress;
#pragma unroll 1
    for (; progress.segments[level % 2] != 0; ++level) {
        divide_segments(work, level);
        progress.barrier.arrive_and_wait();
        count_segments(work, level, part);
        progress.barrier.arrive_and_wait();
        plan_segments(work, level);
        progress.barrier.arrive_and_wait();
        move_segments(work, level, part);
        end_level(work, level);
    }
}

/// The same for the whole array, by splitters that have been drawn.
template <class Shape, class Offset>
__device__ void partition_all(const Work<Shape, Offset>& work, Partition<Shape, Offset>& part,
                              const Drawn& drawn) {
    Progress& progress = *work.progress;
    count_all(work, drawn, part);
    progress.barrier.arrive_and_wait();
    plan_segments(work, 0);
    progress.barrier.arrive_and_wait();
    move_all(work, part);
    end_level(work, 0);
    partition_segments(work, part, 1);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
