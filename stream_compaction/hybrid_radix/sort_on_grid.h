// The kernels for many keys. sort_on_grid counts, partitions by digits and sorts buckets; what is
// uneven, or still too much for a block, sort_the_rest counts, where its values are few, or divides
// by splitters, or leaves to sort_by_passes_if_left (passes.h).
#pragma once

#include "stream_compaction/hybrid_radix/block/block_sort.h"
#include "stream_compaction/hybrid_radix/count.h"
#include "stream_compaction/hybrid_radix/fit.h"
#include "stream_compaction/hybrid_radix/passes.h"
#include "stream_compaction/hybrid_radix/segments.h"
#include "stream_compaction/hybrid_radix/uneven.h"
#include "stream_compaction/hybrid_radix/values.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Sorts the buckets.
/// @tparam kMayRepeat of block_sort
template <bool kMayRepeat, class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void sort_buckets(const Work<Shape, Offset>& work, KeyMap<Bits> map) {
    __shared__ unsigned taken[2];
    Progress& progress = *work.progress;
    const unsigned buckets = progress.buckets;
    unsigned turn = 0;
    for (unsigned b = blockIdx.x; b < buckets; b = taken[turn]) {
        turn ^= 1;
        const Bucket<Offset> bucket = work.buckets[b];
        if (threadIdx.x == 0) {
            taken[turn] = gridDim.x + atomicAdd(&progress.next_bucket, 1u);
            destination<Shape>(turn) = {work.out + bucket.first, map};
        }
        const Bits* const from = work.numbers(bucket.is_in_spare) + bucket.first;
        if (bucket.is_equal) {
            const Bits key = map.key(*from);
            __syncthreads();
            fill_with(work.out + bucket.first, bucket.size, key);
        } else {
            block_sort<Shape, kMayRepeat>(from, {}, bucket.size, turn);
        }
    }
}

/// The last block to come here leaves everything as the next launch must find it.
/// @param digits     of the histogram that have been counted
/// @param has_values whether values have been counted
template <class Shape, class Offset>
__device__ void finish(const Work<Shape, Offset>& work, unsigned digits, bool has_values = false) {
    __shared__ bool is_last;
    Progress& progress = *work.progress;
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = simt::DeviceAtomic<unsigned>(progress.finished)
                      .fetch_add(1, simt::memory_order_acq_rel) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) work.histogram[i] = 0;
    if constexpr (kCountsValues<Shape>)
        if (has_values) forget_values(work);
    if (threadIdx.x > 0) return;
    progress.out_of_range = progress.too_many = 0;
    progress.segments[0] = progress.segments[1] = 0;
    progress.counters[0] = progress.counters[1] = 0;
    progress.next_bucket = progress.next_tile = progress.repeats = 0;
    progress.buckets = progress.finished = 0;
}

/// The first partition. Meanwhile hand_out makes buckets and segments of the digits, and of pairs
/// of them.
/// @param second_bits of the digit that is counted together with the first; 0 if there is none
/// @param next_bits   of the digit that comes next, if it is not to be divided by splitters
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void partition_by_digits(const Work<Shape, Offset>& work, Range<Bits> range,
                                    const KeyMap<Bits>& map, unsigned first_bits,
                                    unsigned second_bits, unsigned next_bits,
                                    Partition<Shape, Offset>& part) {
    Progress& progress = *work.progress;
    Offset* const begins = simt::dynamic_shared<Offset>();
    const unsigned digits = 1u << first_bits, stride = 1u << second_bits;
    const auto stage_begins = [&](unsigned count, unsigned stride_of_them, unsigned first) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i <= count; i += kThreads) {
            const unsigned at = first + i * stride_of_them;
            begins[i] = at < digits * stride ? work.histogram[at] : work.fit().n;
        }
        __syncthreads();
    };
    if (blockIdx.x == gridDim.x - 1) {
        stage_begins(digits, stride, 0);
        hand_out(work, digits, begins, digits_of(Bits{0}, range.bits, first_bits), true, 0,
                 {next_bits, second_bits > 0 ? work.histogram : nullptr});
    }
    for (unsigned d = blockIdx.x; second_bits > 0 && d < digits; d += gridDim.x) {
        stage_begins(stride, 1, d * stride);
        const unsigned bits = range.bits - first_bits;
        if (begins[stride] - begins[0] > work.fit().bucket)
            hand_out(work, stride, begins,
                     digits_of(static_cast<Bits>(static_cast<Bits>(d) << bits), bits, second_bits),
                     false, 1);
    }
    const unsigned movers = max(gridDim.x - 1, 1u);  // the last block hands out meanwhile
    const unsigned tiles = tiles_of(work.fit().n, work.fit().tile);
    __syncthreads();
    if (threadIdx.x == 0)
        part = {work.in,
                work.spare,
                work.fit().n,
                work.cursors,
                map,
                true,
                range.bits - first_bits,
                first_bits,
                work.fit().tile,
                tiles,
                &progress.next_tile,
                movers};
    __syncthreads();
    if (blockIdx.x < min(movers, tiles)) move_tiles<Shape>(part, blockIdx.x);
    progress.barrier.arrive_and_wait();
}

/// Counts the digits, and finds where each of them starts. Returns false, and clears the histogram,
/// where the counts are of no use: keys are out of the range, or uneven.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool count_or_reject(const Work<Shape, Offset>& work, Range<Bits> range,
                                unsigned first_bits, unsigned both_bits, bool may_be_uneven) {
    Progress& progress = *work.progress;
    if (both_bits > Shape::kMaxCountedBits + 1)
        count_first_digits<4>(work, range, both_bits);
    else if (both_bits > Shape::kMaxCountedBits)
        count_first_digits<2>(work, range, both_bits);
    else
        count_first_digits<1>(work, range, both_bits);
    progress.barrier.arrive_and_wait([&] {
        const bool is_of_no_use =
            progress.out_of_range != 0 || progress.too_many != 0 ||
            (both_bits < range.bits && !may_be_uneven && is_uneven(work, both_bits));
        if (threadIdx.x == 0) progress.rest = is_of_no_use ? Rest::all_keys : Rest::nothing;
        if (is_of_no_use) {
            for (unsigned i = threadIdx.x; i < 1u << both_bits; i += kThreads)
                work.histogram[i] = 0;
            return;
        }
        const unsigned stride = 1u << (both_bits - first_bits);
        scan_in_memory(work.histogram, 1u << both_bits, Offset{0}, [&](unsigned i, Offset begin) {
            if (i % stride == 0 && i / stride < kMaxDigits) work.cursors[i / stride] = begin;
        });
    });
    return progress.rest != Rest::all_keys;
}

/// Writes the keys that have been counted: each is its digit.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void fill_all(const Work<Shape, Offset>& work, Range<Bits> range, unsigned digits) {
    Offset* const begins = simt::dynamic_shared<Offset>();
    stage(work.histogram, begins, digits);
    fill_by_all<Shape>(work.out, begins, digits, work.fit().n, keys_from(work.map, range.base));
}

/// Sorts even keys; what it leaves to sort_the_rest is Progress::rest.
/// @param on_device nothing where the host knows n, or one OnDevice
template <class Shape, class Offset, class... Known>
__global__ void __launch_bounds__(kThreads, 2)
    sort_on_grid(const __grid_constant__ Work<Shape, Offset> work, Known... on_device) {
    using Bits = typename Shape::Bits;
    if constexpr (sizeof...(on_device) == 0) {
        take_plan(work);
    } else {
        plan_grid_on_device(work, on_device...);
        if (work.fit().n == 0) return;
    }
    constexpr unsigned kCountedBits = Shape::kMaxCountedBits;
    constexpr unsigned kTiedBits = Shape::Arrays::kTiedBits;
    Progress& progress = *work.progress;
    __shared__ Partition<Shape, Offset> part;

    // How many bits are counted: of the first digit, and of both where one histogram has them.
    const Bits sampled = sample_anywhere(work);
    bool is_of_long_run = false;
    if constexpr (kCountsValues<Shape>) is_of_long_run = is_of_run(work, sampled);
    Bits spread;
    const Range<Bits> range = guess_range<Shape>(sampled, spread);
    __shared__ GridDigits planned;  // there, it takes no registers
    if (threadIdx.x == 0)
        planned = digits_on_grid(
            bits_to_fill(work.fit().filled_digits, work.fit().digit_bits, range.bits, spread),
            kMaxHistogramBits<Shape>);
    __syncthreads();
    const unsigned countable = min(kCountedBits - (sizeof(Offset) > sizeof(unsigned)),
                                   bit_width(work.fit().n / kKeysPerCounter<Offset>));
    unsigned first_bits = min(planned.first, range.bits);
    unsigned both_bits =
        min(planned.first + (planned.is_split_again ? 0 : planned.second), range.bits);
    // Where each number is there so often, what comes after the first digit is counted, and no
    // block has to sort.
    constexpr unsigned kOfNumber = 1024, kFirstOfTwo = 8;
    const bool counts_numbers =
        range.bits > countable && both_bits > first_bits && range.bits >= kFirstOfTwo &&
        range.bits <= kFirstOfTwo + kMaxDigitBits &&
        (range.bits == both_bits || work.fit().n >> range.bits >= kOfNumber);
    if (range.bits <= countable)
        first_bits = both_bits = range.bits;
    else if (counts_numbers)
        first_bits = both_bits = kFirstOfTwo;
    __syncthreads();
    clear(simt::dynamic_shared<unsigned>(), 1u << kCountedBits);
    __syncthreads();
    const unsigned judged = planned.is_split_again ? range.bits : both_bits;
    Rest rest = Rest::nothing;
    if (kTiedBits > 0 && range.bits < both_bits + kTiedBits)
        rest = Rest::all_keys;
    else if (work.uneven > 1 && both_bits < range.bits)
        rest = rest_by_samples(work, range, min(judged, kCountedBits), sampled, is_of_long_run,
                               !counts_numbers);
    bool are_uneven = rest != Rest::nothing;
    if (are_uneven) {
        if (blockIdx.x == 0 && threadIdx.x == 0) progress.rest = rest;
    } else {
        // Where it is planned to count and partition all of them again, uneven keys are no worse.
        are_uneven = !count_or_reject(work, range, first_bits, both_bits,
                                      counts_numbers || planned.is_split_again);
    }
    if (are_uneven) {
        finish(work, 0);
        return;
    }
    const unsigned digits = 1u << both_bits;

    if (range.bits == both_bits) {  // a counting sort
        fill_all(work, range, digits);
        finish(work, digits);
        return;
    }

    KeyMap<Bits> map = work.map;
    map.base = range.base;
    const bool is_again =
        !counts_numbers && planned.is_split_again && range.bits > first_bits + planned.second;
    const unsigned second_bits = both_bits - first_bits;
    const unsigned next_bits = counts_numbers ? range.bits - first_bits
                               : is_again     ? planned.second
                                              : second_bits;
    partition_by_digits(work, range, map, first_bits, second_bits, next_bits, part);
    if (is_again) count_segments_by_digits(work);
    const bool is_counted = both_bits > first_bits || is_again;
    if (is_counted) move_counted_segments(work, part);
    const unsigned level = is_counted ? 1 : 0;
    const bool is_all = progress.segments[level] == 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        progress.rest = is_all           ? Rest::nothing
                        : counts_numbers ? Rest::numbers_of_level_0
                        : level == 1     ? Rest::segments_of_level_1
                                         : Rest::segments_of_level_0;
        progress.base = range.base;
    }
    if (is_all) {
        sort_buckets<false>(work, map);
        finish(work, digits);
    } else if (blockIdx.x == 0) {
        for (unsigned i = threadIdx.x; i < digits; i += kThreads) work.histogram[i] = 0;
    }
}

/// Sorts what sort_on_grid has left, but for keys that it leaves to passes: in a kernel of its own,
/// so that neither takes registers from the other.
template <class Shape, class Offset, class... Known>
__global__ void __launch_bounds__(kThreads, 2)
    sort_the_rest(const __grid_constant__ Work<Shape, Offset> work, Known... on_device) {
    using Bits = typename Shape::Bits;
    if constexpr (sizeof...(on_device) == 0) {
        take_plan(work);
    } else {
        plan_grid_on_device(work, on_device...);
        if (work.fit().n == 0) return;
    }
    const Rest rest = work.progress->rest;
    if (rest == Rest::nothing) return;
    __shared__ Partition<Shape, Offset> part;
    KeyMap<Bits> map = work.map;
    bool are_left = false;
    const bool has_values = rest == Rest::few_values;
    if (rest == Rest::all_keys || has_values) {
        const Bits sampled = sample_anywhere(work);
        if constexpr (kCountsValues<Shape>)
            if (has_values && sort_few_values(work, sampled)) return finish(work, 0, true);
        are_left = prefers_passes(work, sampled);
        if (are_left && !has_values) return leave_to_passes(work);
        if (!are_left) {
            const Drawn drawn = draw_all(work, false);
            are_left = drawn.by_passes;
            if (!are_left) partition_all(work, part, drawn);
        }
    } else {
        map.base = static_cast<Bits>(work.progress->base);
        if (rest == Rest::numbers_of_level_0)
            count_and_fill_segments(work, map);
        else
            partition_segments(work, part, rest == Rest::segments_of_level_1 ? 1 : 0);
    }
    if (are_left)
        leave_to_passes(work);
    else
        sort_buckets<true>(work, map);
    finish(work, 0, has_values);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
