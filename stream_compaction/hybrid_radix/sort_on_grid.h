// The kernels for many keys: all blocks count, partition as often as it takes, and sort buckets; or
// make passes.
#pragma once

#include "stream_compaction/hybrid_radix/block_sort.h"
#include "stream_compaction/hybrid_radix/count.h"
#include "stream_compaction/hybrid_radix/segments.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void sort_buckets(const Work<Shape, Offset>& work, KeyMap<Bits> map) {
    __shared__ unsigned taken[2];
    const unsigned buckets = work.progress->buckets;
    unsigned turn = 0;
    for (unsigned b = blockIdx.x; b < buckets; b = taken[turn]) {
        turn ^= 1;
        const Bucket<Offset> bucket = work.buckets[b];
        if (threadIdx.x == 0) {
            taken[turn] = gridDim.x + atomicAdd(&work.progress->next_bucket, 1u);
            destination<Bits>(turn) = {work.out + bucket.first, map};
        }
        const Bits* const from = bucket.is_in_spare ? work.spare : work.out;
        sort_block<Shape>(from + bucket.first, {}, bucket.size, turn);
    }
}

/// The last block to come here leaves everything as the next launch must find it.
template <class Shape, class Offset>
__device__ void finish(const Work<Shape, Offset>& work, unsigned digits) {
    __shared__ bool is_last;
    Progress& progress = *work.progress;
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = simt::DeviceAtomic<unsigned>(progress.finished)
                      .fetch_add(1, simt::memory_order_acq_rel) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) work.histogram[i] = 0;
    if (threadIdx.x > 0) return;
    progress.out_of_range = progress.too_many = 0;
    progress.segments[0] = progress.segments[1] = 0;
    progress.counters[0] = progress.counters[1] = 0;
    progress.buckets = progress.next_bucket = progress.next_tile = 0;
    progress.finished = 0;
}

template <class Shape, class Offset>
__device__ __attribute__((noinline)) void count_digits() {
    onesweep::count_digits<typename Shape::Passes, Offset>();
}
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void sort_by_digit() {
    onesweep::sort_by_digit<typename Shape::Passes, Offset>();
}

/// With functions of their own, so that what else a kernel does takes no registers from them.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void sort_by_passes(const Work<Shape, Offset>& work, Bits base) {
    KeyMap<Bits> map = work.map;
    map.base = base;
    onesweep::sort_by_passes(
        work.passes, map, work.progress->barrier, [] { count_digits<Shape, Offset>(); },
        [] { sort_by_digit<Shape, Offset>(); });
}

/// Of many keys, sort_uneven_keys does it.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void leave_to_passes(const Work<Shape, Offset>& work, Bits base) {
    Progress& progress = *work.progress;
    if (work.passes_follow) {
        if (blockIdx.x == 0 && threadIdx.x == 0) progress.step = kLeave, progress.base = base;
    } else {
        sort_by_passes(work, base);
    }
}

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__global__ void __launch_bounds__(kThreads, 2)
    sort_on_grid(const __grid_constant__ Work<Shape, Offset> work) {
    constexpr unsigned kCountedBits = Shape::kMaxCountedBits;
    Progress& progress = *work.progress;

    // How many digits there are, and where each of them starts.
    const Bits sampled = sample(work);
    Range<Bits> range = guess_range(sampled);
    unsigned first_bits, both_bits, most_bits = work.digit_bits[0] + work.digit_bits[1];
    for (bool is_first = true;; is_first = false) {
        const unsigned countable = min(kCountedBits - (sizeof(Offset) > sizeof(unsigned)),
                                       bit_width(work.n / kKeysPerCounter<Offset>));
        first_bits = min(work.digit_bits[0], range.bits);
        both_bits = min(most_bits, range.bits);
        // Where each number is there so often, the second digit is counted, and no block has to
        // sort.
        constexpr unsigned kOfNumber = 1024, kFirstOfTwo = 8;
        if (range.bits <= countable)
            first_bits = both_bits = range.bits;
        else if (both_bits > first_bits && range.bits <= kFirstOfTwo + kMaxDigitBits &&
                 work.n >> range.bits >= kOfNumber)
            first_bits = both_bits = kFirstOfTwo;
        __syncthreads();
        clear(simt::dynamic_shared<unsigned>(), 1u << kCountedBits);
        __syncthreads();
        const unsigned judged = work.is_split_again ? range.bits : both_bits;
        if (is_first && work.looks && both_bits < range.bits &&
            looks_uneven(work, range, min(judged, kCountedBits), sampled)) {
            leave_to_passes(work, Bits{0});
            return;
        }
        if (both_bits > kCountedBits + 1)
            count_first_digits<4>(work, range, both_bits);
        else if (both_bits > kCountedBits)
            count_first_digits<2>(work, range, both_bits);
        else
            count_first_digits<1>(work, range, both_bits);
        progress.barrier.arrive_and_wait([&] {
            const bool is_missed = progress.out_of_range != 0 && range.bits < 8 * sizeof(Bits);
            const bool is_overflown = progress.too_many != 0 && both_bits > kCountedBits;
            const bool leaves =
                is_missed ? work.uneven > 1 : !is_overflown && is_uneven(work, range, both_bits);
            if (threadIdx.x == 0)
                progress.step = leaves         ? kLeave
                                : is_missed    ? kCountWiderRange
                                : is_overflown ? kCountFewerDigits
                                               : kPartition;
            if (!leaves && !is_missed && !is_overflown) {
                const unsigned stride = 1u << (both_bits - first_bits);
                scan_in_memory(work.histogram, 1u << both_bits, Offset{0},
                               [&](unsigned i, Offset begin) {
                                   if (i % stride == 0 && i / stride < kMaxDigits)
                                       work.cursors[i / stride] = begin;
                               });
            } else {
                for (unsigned i = threadIdx.x; i < 1u << both_bits; i += kThreads)
                    work.histogram[i] = 0;
            }
        });
        if (progress.step == kPartition) break;
        if (progress.step == kLeave) {
            const Bits base = progress.out_of_range != 0 ? 0 : range.base;
            finish(work, 0);
            leave_to_passes(work, base);
            return;
        }
        if (progress.step == kCountWiderRange)
            range = {0, 8 * sizeof(Bits)};
        else
            most_bits = work.digit_bits[0];
    }
    const unsigned digits = 1u << both_bits;

    if (range.bits == both_bits) {  // a counting sort
        Offset* const begins = simt::dynamic_shared<Offset>();
        stage(work.histogram, begins, digits);
        constexpr Offset kTile = Shape::kBlockKeys;
        for (Offset first = blockIdx.x * kTile; first < work.n; first += gridDim.x * kTile)
            fill_tile(work.out, work.map, begins, digits, range.base, first,
                      static_cast<unsigned>(min(work.n - first, kTile)));
        finish(work, digits);
        return;
    }

    KeyMap<Bits> map = work.map;
    map.base = range.base;

    // The first partition. Meanwhile the digits, and the pairs of digits, are handed out.
    const unsigned second_bits = both_bits - first_bits, stride = 1u << (both_bits - first_bits);
    const unsigned movers = max(gridDim.x - 1, 1u);  // the last block has no time for tiles
    if (blockIdx.x == gridDim.x - 1)
        hand_out_digits(work, 1u << first_bits, stride, work.histogram, work.n, Bits{0},
                        range.bits - first_bits, second_bits, true, 0);
    for (unsigned d = blockIdx.x; second_bits > 0 && d < 1u << first_bits; d += gridDim.x) {
        const Offset first = work.histogram[d * stride];
        const Offset end = d + 1 < 1u << first_bits ? work.histogram[(d + 1) * stride] : work.n;
        if (end - first > work.bucket)
            hand_out_digits(work, stride, 1, work.histogram + d * stride, end,
                            static_cast<Bits>(static_cast<Bits>(d) << (range.bits - first_bits)),
                            range.bits - both_bits, 0, false, 1);
    }
    __shared__ Partition<Bits, Offset> part;
    const unsigned tiles = work.tiles_of(work.n);
    __syncthreads();
    if (threadIdx.x == 0)
        part = {work.in,
                work.spare,
                work.n,
                work.cursors,
                map,
                true,
                range.bits - first_bits,
                first_bits,
                work.tile,
                tiles,
                &progress.next_tile,
                movers};
    __syncthreads();
    if (blockIdx.x < min(movers, tiles)) move_tiles<Shape>(part, blockIdx.x);
    progress.barrier.arrive_and_wait();

    // What does not fit into a block is partitioned again.
    bool is_planned = second_bits > 0;
    for (unsigned level = 0; progress.segments[level] != 0; level = 1 - level) {
        if (!is_planned) {
            count_segments(work, level);
            progress.barrier.arrive_and_wait();
            plan_segments(work, level);
            progress.barrier.arrive_and_wait();
        }
        is_planned = false;
        move_segments(work, level, range.base, part);
        progress.barrier.arrive_and_wait([&] {
            if (threadIdx.x > 0) return;
            progress.segments[level] = progress.counters[level] = 0;
            progress.next_run = 0;
        });
    }

    sort_buckets(work, map);
    finish(work, digits);
}

/// Sorts what sort_on_grid has left.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__global__ void __launch_bounds__(kThreads, 2)
    sort_uneven_keys(const __grid_constant__ Work<Shape, Offset> work) {
    if (work.progress->step != kLeave) return;
    KeyMap<Bits> map = work.map;
    map.base = static_cast<Bits>(work.progress->base);
    onesweep::sort_by_passes(work.passes, map, work.progress->barrier);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
