// The kernel for as many keys as all blocks together hold in registers.
#pragma once

#include "stream_compaction/hybrid_radix/divide_once.h"
#include "stream_compaction/hybrid_radix/fit.h"
#include "stream_compaction/hybrid_radix/sort_on_grid.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// By the first cluster of blocks; the others leave. What is decided is decided from `in`, which
/// may be `out`: so nothing is written before all blocks have come here.
template <class Shape>
__device__ __attribute__((noinline)) void sort_in_first_cluster(const Work<Shape, unsigned>& work) {
    GridBarrier& barrier = work.progress->barrier;
    const unsigned arrival = barrier.arrive();
    if (blockIdx.x < work.cluster)
        onesweep::sort_in_cluster(work.passes, Shape::Arrays::map_of_passes(work.map),
                                  [&] { barrier.wait(arrival); });
}

/// In a function of its own, so that it takes no registers from what calls it.
template <bool kAllHaveKeys, class Shape>
__device__ __attribute__((noinline)) void sort_uneven_keys_and_finish(
    const Work<Shape, unsigned>& given, typename Shape::Bits sampled) {
    __shared__ Partition<Shape, unsigned> part;
    const Work<Shape, unsigned>& work = copy_of(given);
    if (work.cluster > 0) return sort_in_first_cluster(work);
    if (prefers_passes(work, sampled)) return sort_by_passes(work);
    const Drawn drawn = draw_all(work);
    const bool is_divided_once = !drawn.by_passes && work.tile <= Shape::kSplitTile &&
                                 sort_by_one_division<kAllHaveKeys>(work, drawn);
    if (!is_divided_once && divide_uneven_keys(work, part, drawn))
        sort_buckets<true>(work, work.map);
    finish(work, 0);
}

/// Makes keys numbers. Whether one is larger than the range's largest.
template <unsigned kItems, class Bits>
__device__ bool make_numbers(Bits (&key)[kItems], unsigned size, KeyMap<Bits> map, Bits largest) {
    bool is_missed = false;
    for_each_group<kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) {
            key[i] = map.number(key[i]);
            is_missed |= key[i] > largest;
        }
    });
    return is_missed;
}

/// Makes the other turn's histogram ready for the next launch.
template <class Shape>
__device__ void prepare_next_turn(const Work<Shape, unsigned>& work, unsigned turn) {
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kMaxDigits;
         i += gridDim.x * kThreads)
        work.turns[(1 - turn) * kMaxDigits + i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        work.progress->is_missed[1 - turn] = 0, work.progress->turn = 1 - turn;
}

/// Sorts the digits that start in the block's share of the output; first it waits for all blocks.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_own_digits(const Work<Shape, unsigned>& work, const unsigned* begins,
                                unsigned digits, unsigned first, unsigned size, KeyMap<Bits> map) {
    Progress& progress = *work.progress;
    const unsigned arrival = progress.barrier.arrive();
    const auto first_digit_from = [=](unsigned place) {
        return place == 0 ? 0 : digit_at(begins, place - 1, 0, digits) + 1;
    };
    unsigned digit = first_digit_from(first);
    const unsigned end = first_digit_from(first + size);
    const auto end_of_bucket = [&](unsigned digit) {
        return digit_at(begins, begins[digit] + work.bucket, digit + 1, end);
    };
    unsigned next = end_of_bucket(digit), bucket = 0;
    progress.barrier.wait(arrival);
    for (; digit < end; digit = next, next = end_of_bucket(digit)) {
        const unsigned begin = begins[digit], size = begins[next] - begin;
        if (size == 0) continue;
        bucket ^= 1;
        if (threadIdx.x == 0) destination<Shape>(bucket) = {work.out + begin, map};
        sort_block<Shape, false>(work.spare + begin, {}, size, bucket);
    }
}

/// Sorts as many keys as all blocks together hold in registers. Each block ranks its keys in its
/// tile, and adds its counts to the histogram: what atomicAdd returns is where the tile's keys come
/// among those of their digit. When all blocks have done so, each scans the histogram, moves its
/// keys, and sorts the digits that start in its share of the output. Where samples repeat too
/// often, a key is out of the range or a digit has too many keys for a block, the keys are uneven,
/// and sorted from `in` again.
/// @param on_device nothing where the host knows n, or one OnDevice
template <class Shape, class... Known>
__global__ void __launch_bounds__(kThreads, 2)
    sort_by_one_partition(const __grid_constant__ Work<Shape, unsigned> given, Known... on_device) {
    using Bits = typename Shape::Bits;
    constexpr bool kAllHaveKeys = sizeof...(on_device) == 0;  // all blocks
    const Work<Shape, unsigned>* own = &given;
    if constexpr (!kAllHaveKeys) {
        own = &work_of_one_partition(given, on_device...);
        if (own->n == 0) return;
    }
    const Work<Shape, unsigned>& work = *own;
    const TileMemory<Shape, unsigned> memory;
    unsigned* const begins = memory.begins_behind();
    const unsigned n = work.n;
    Progress& progress = *work.progress;
    const unsigned turn = progress.turn;
    unsigned* const histogram = work.turns + turn * kMaxDigits;

    const unsigned first = first_of_block<kAllHaveKeys>(work), size = min(work.tile, n - first);
    Bits key[Shape::kItems];
    for_each_group<Shape::kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) key[i] = work.in[first + min(place_of(i), size - 1)];
    });
    clear(memory.counts, kCounters);
    auto* const of_samples = reinterpret_cast<unsigned*>(memory.keys);
    clear(of_samples, kMaxDigits);
    const Bits sampled = sample(work);
    const Range<Bits> range = guess_range<Shape>(sampled);  // and waits for all threads
    const unsigned digit_bits =
        range.bits <= work.countable_bits ? range.bits : min(work.digit_bits[0], range.bits);
    if (digit_bits < range.bits) {
        const auto digit =
            static_cast<unsigned>((sampled - range.base) >> (range.bits - digit_bits));
        if (__syncthreads_or(atomicAdd(&of_samples[digit], 1u) >= work.frequent)) {
            sort_uneven_keys_and_finish<kAllHaveKeys>(work, sampled);
            return;
        }
    }
    KeyMap<Bits> map = work.map;
    map.base = range.base;
    const bool is_missed = make_numbers(key, size, map, range.largest());
    const TileDigits<Bits> tile(range.bits - digit_bits, digit_bits);
    const auto byte_of = [=](Bits k) { return tile.counter_byte(k); };
    Ranks<Shape::kItems> ranks;
    rank_keys(key, size, memory.counts, kCounters * sizeof(unsigned), ranks, byte_of);
    if (__syncthreads_or(is_missed) && threadIdx.x == 0) atomicOr(&progress.is_missed[turn], 1u);
    scan_counts<false>(memory.counts, tile.counters);
    unsigned place[kDigitsOfThread];
    take_places(tile, memory.counts, size, histogram, place);
    scatter_keys(key, size, memory.counts, ranks, memory.keys, byte_of);
    progress.barrier.arrive_and_wait();

    prepare_next_turn(work, turn);
    const unsigned scanned = max(tile.digits, kCountsPerRow);
    for (unsigned d = threadIdx.x; d < scanned; d += kThreads)
        begins[d] = d < tile.digits ? histogram[d] : 0;
    __syncthreads();
    const unsigned most = scan_counts(begins, scanned);
    if (range.bits == digit_bits && progress.is_missed[turn] == 0) {
        fill_tile(work.out, work.map, begins, tile.digits, range.base, first, size);
        return;
    }
    if (most > work.bucket || progress.is_missed[turn] != 0) {
        sort_uneven_keys_and_finish<kAllHaveKeys>(work, sample(work));
        return;
    }
    if (threadIdx.x == 0) begins[tile.digits] = n;
    for_each_digit(tile, [&](unsigned i, unsigned d) {
        memory.places[d] = begins[d] + place[i] - tile.begin(memory.counts, d, size);
    });
    __syncthreads();
    store_digits(memory, tile, size, work.spare);

    sort_own_digits(work, begins, tile.digits, first, size, map);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
