// The kernel for as many keys as all blocks together hold in registers.
#pragma once

#include "stream_compaction/hybrid_radix/divide_once.h"
#include "stream_compaction/hybrid_radix/fit.h"
#include "stream_compaction/hybrid_radix/sort_on_grid.h"
#include "stream_compaction/onesweep/cluster_sort.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Says how the keys are: the first block does, as the others know it, too. That keys are uneven it
/// says when all blocks have come to the barrier: so all have read what they decide from.
template <class Shape>
__device__ void tell_cluster(const Work<Shape, unsigned>& work, Verdict verdict) {
    if (blockIdx.x == 0 && threadIdx.x < work.cluster)
        simt::DeviceAtomic<Verdict>(work.progress->verdicts[threadIdx.x])
            .store(verdict, simt::memory_order_release);
}

/// For the cluster: sorted keys are wanted if it is told that they are uneven. Where they are
/// probably even, it does not go on before it knows.
class WantedIfUneven {
  public:
    static constexpr bool kIsCertain = false;

    __device__ explicit WantedIfUneven(Progress& progress)
        : barrier_(progress.barrier), verdict_(progress.verdicts[simt::cluster_rank()]) {}

    __device__ void have_read() { barrier_.arrive(); }
    __device__ Verdict look() const { return verdict_.load(simt::memory_order_relaxed); }
    __device__ bool is_in_vain(Verdict seen) const {
        while (seen == Verdict::probably_even) simt::relax(), seen = look();
        return seen == Verdict::even;
    }
    __device__ void leave() {
        if (threadIdx.x == 0) take();
    }
    __device__ bool is_wanted() {
        return __syncthreads_or(threadIdx.x == 0 && take() == Verdict::uneven) != 0;
    }

  private:
    /// Waits for the verdict, and makes its place ready for the next launch.
    __device__ Verdict take() {
        Verdict told = Verdict::none;
        while ((told = verdict_.load(simt::memory_order_acquire)) < Verdict::even) simt::relax();
        verdict_.store(Verdict::none, simt::memory_order_relaxed);
        return told;
    }

    GridBarrier& barrier_;
    simt::DeviceAtomic<Verdict> verdict_;
};

/// Makes the other turn's histogram ready for the next launch.
template <class Shape>
__device__ void prepare_next_turn(const Work<Shape, unsigned>& work, unsigned turn,
                                  unsigned blocks) {
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kMaxDigits; i += blocks * kThreads)
        work.turns[(1 - turn) * kMaxDigits + i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        work.progress->is_missed[1 - turn] = 0, work.progress->turn = 1 - turn;
}

/// In a function of its own, so that it takes no registers from what calls it.
/// @param is_counted whether the turn's histogram has counts
/// @param on_device  as sort_by_one_partition has it
template <class Shape, class Bits, class... Known>
__device__ __attribute__((noinline)) void sort_uneven_keys_and_finish(
    const Work<Shape, unsigned>& given, Bits sampled, bool is_counted, Known... on_device) {
    constexpr bool kAllHaveKeys = sizeof...(on_device) == 0;
    __shared__ Partition<Shape, unsigned> part;
    if constexpr (kAllHaveKeys)
        take_plan(given);
    else
        plan_uneven_on_device(given, on_device...);
    const Work<Shape, unsigned>& work = copy_of(given);
    if (prefers_passes(work, sampled)) return sort_or_leave_to_passes(work);
    if (work.fit().is_divided_by_samples) {
        Division<Bits> division{SampledSplitters<Shape>::draw(sampled),
                                SampledSplitters<Shape>::kClassBits, work.counters[0]};
        unsigned turn = 0;
        if (is_counted) {
            for (unsigned c = blockIdx.x * kThreads + threadIdx.x;
                 c < SampledSplitters<Shape>::kClasses; c += gridDim.x * kThreads)
                division.counters[c] = 0;
            work.progress->barrier.arrive_and_wait();
        } else {
            turn = work.progress->turn;
            division.counters = work.turns + turn * kMaxDigits;
        }
        if (sort_by_one_division<kAllHaveKeys, true>(work, division)) {
            if (!is_counted) prepare_next_turn(work, turn, gridDim.x);
            return;
        }
    }
    const bool once = work.fit().tile <= Shape::kSplitTile;
    const Drawn drawn = draw_all(work, once);
    const bool is_divided_once = !drawn.by_passes && once &&
                                 sort_by_one_division<kAllHaveKeys, false>(
                                     work, Division<Bits>{work.splitters[drawn.are_most ? 0 : 1],
                                                          drawn.class_bits, work.counters[0]});
    if (drawn.by_passes) {
        sort_or_leave_to_passes(work);
    } else if (!is_divided_once) {
        partition_all(work, part, drawn);
        sort_buckets<true>(work, work.map);
    }
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

/// Sorts the digits that start in the block's share of the output, `most` keys at a time; first it
/// waits for all `blocks`.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_own_digits(const Work<Shape, unsigned>& work, const unsigned* begins,
                                unsigned digits, unsigned first, unsigned size, unsigned most,
                                KeyMap<Bits> map, unsigned blocks) {
    Progress& progress = *work.progress;
    const unsigned arrival = progress.barrier.arrive(blocks);
    const auto first_digit_from = [=](unsigned place) {
        return place == 0 ? 0 : digit_at(begins, place - 1, 0, digits) + 1;
    };
    unsigned digit = first_digit_from(first);
    const unsigned end = first_digit_from(first + size);
    const auto end_of_bucket = [&](unsigned digit) {
        return digit_at(begins, begins[digit] + most, digit + 1, end);
    };
    unsigned next = end_of_bucket(digit), bucket = 0;
    progress.barrier.wait(arrival);
    for (; digit < end; digit = next, next = end_of_bucket(digit)) {
        const unsigned begin = begins[digit], size = begins[next] - begin;
        if (size == 0) continue;
        bucket ^= 1;
        if (threadIdx.x == 0) destination<Shape>(bucket) = {work.out + begin, map};
        block_sort<Shape, false>(work.spare + begin, {}, size, bucket);
    }
}

/// Sorts as many keys as all blocks together hold in registers. Each block ranks its keys in its
/// tile, and adds its counts to the histogram: what atomicAdd returns is where the tile's keys come
/// among those of their digit. When all blocks have done so, each scans the histogram, moves its
/// keys, and sorts the digits that start in its share of the output. Where samples repeat too
/// often, a key is out of the range or a digit has too many keys for a block, the keys are uneven.
/// Then they are sorted from `in` again, or left to sort_by_passes_if_left. Or else, where one
/// cluster holds all keys, the launch has one more: it sorts them from the start, as if they were
/// uneven, and stops when it is told that they are not. (It has more registers to do so, since a
/// multiprocessor has one block then.)
/// @tparam kBesideCluster whether the last blocks are such a cluster
/// @param on_device nothing where the host knows n, or one OnDevice
template <class Shape, bool kBesideCluster, class... Known>
__global__ void __launch_bounds__(kThreads, kBesideCluster ? 1 : 2)
    sort_by_one_partition(const __grid_constant__ Work<Shape, unsigned> work, Known... on_device) {
    using Bits = typename Shape::Bits;
    constexpr bool kAllHaveKeys = sizeof...(on_device) == 0;  // all blocks
    const Fit<Shape, unsigned>& fit = kAllHaveKeys ? work.planned : work.fit();
    if constexpr (!kAllHaveKeys) {
        plan_tiles_on_device(work, on_device...);
        if (fit.n == 0) return;
    }
    const unsigned blocks = gridDim.x - (kBesideCluster ? work.cluster : 0);  // that partition
    if constexpr (kBesideCluster)
        if (blockIdx.x >= blocks)
            return onesweep::sort_in_cluster(fit.passes, Shape::Arrays::map_of_passes(work.map),
                                             WantedIfUneven(*work.progress));
    const TileMemory<Shape, unsigned> memory;
    unsigned* const begins = memory.begins_behind();
    const unsigned n = fit.n;
    Progress& progress = *work.progress;
    const unsigned turn = progress.turn;
    unsigned* const histogram = work.turns + turn * kMaxDigits;

    const unsigned first = first_of_block<kAllHaveKeys>(fit.tile, n),
                   size = min(fit.tile, n - first);
    const Bits sampled = sample(work, n);  // first: what is decided by it takes as long as keys do
    Bits key[Shape::kItems];
    for_each_group<Shape::kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) key[i] = work.in[first + min(place_of(i), size - 1)];
    });
    if constexpr (!kAllHaveKeys) plan_digits_on_device(work, on_device...);
    clear(memory.counts, kCounters);
    auto* const of_samples = reinterpret_cast<unsigned*>(memory.keys);
    clear(of_samples, kMaxDigits);
    Bits spread;
    const Range<Bits> range = guess_range<Shape>(sampled, spread);  // and waits for all threads
    const unsigned digit_bits =
        range.bits <= fit.digits.countable_bits
            ? range.bits
            : min(bits_to_fill(fit.digits.filled, fit.digits.bits, range.bits, spread),
                  min(kMaxDigitBits, range.bits));
    if (digit_bits < range.bits) {
        const auto digit =
            static_cast<unsigned>((sampled - range.base) >> (range.bits - digit_bits));
        const unsigned earlier = atomicAdd(&of_samples[digit], 1u);
        bool is_uneven = __syncthreads_or(earlier >= fit.digits.frequent) != 0;
        if constexpr (kBesideCluster)
            is_uneven |= __syncthreads_count(earlier == 0) < static_cast<int>(fit.digits.least);
        if (is_uneven) {
            if constexpr (kBesideCluster) {
                const unsigned arrival = progress.barrier.arrive();
                if (blockIdx.x > 0) return;
                progress.barrier.wait(arrival);
                tell_cluster(work, Verdict::uneven);
            } else if (work.leaves_at_once) {
                leave_to_passes(work);
            } else {
                sort_uneven_keys_and_finish(work, sampled, false, on_device...);
            }
            return;
        }
    }
    if constexpr (kBesideCluster) tell_cluster(work, Verdict::probably_even);
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

    prepare_next_turn(work, turn, blocks);
    const unsigned scanned = max(tile.digits, kCountsPerRow);
    for (unsigned d = threadIdx.x; d < scanned; d += kThreads)
        begins[d] = d < tile.digits ? histogram[d] : 0;
    __syncthreads();
    const unsigned most = scan_counts(begins, scanned);
    if (range.bits == digit_bits && progress.is_missed[turn] == 0) {
        if constexpr (kBesideCluster) tell_cluster(work, Verdict::even);
        fill_tile(work.out, begins, tile.digits, first, size, keys_from(work.map, range.base));
        return;
    }
    if (most > fit.digits.digit || progress.is_missed[turn] != 0) {
        if constexpr (kBesideCluster)
            tell_cluster(work, Verdict::uneven);
        else if (work.leaves_at_once)
            leave_to_passes(work);
        else
            sort_uneven_keys_and_finish(work, sample(work, n), true, on_device...);
        return;
    }
    if constexpr (kBesideCluster) tell_cluster(work, Verdict::even);
    if (threadIdx.x == 0) begins[tile.digits] = n;
    for_each_digit(tile, [&](unsigned i, unsigned d) {
        memory.places[d] = begins[d] + place[i] - tile.begin(memory.counts, d, size);
    });
    __syncthreads();
    store_digits(memory, tile, size, work.spare);

    sort_own_digits(work, begins, tile.digits, first, size, fit.digits.bucket, map, blocks);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
