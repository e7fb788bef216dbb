// The kernel that first looks at many keys, and sorts them if they are evenly distributed.
//
// 1. All blocks look at the same samples (sample.h). If the range is small, the keys are counted by
//    their values and written from the counts (fill.h). Otherwise, unless the samples are evenly
//    distributed, the keys are left to the next launches: to the kernel for few distinct values, or
//    to onesweep.
// 2. The blocks count the keys by one or two digits, the highest bits of the keys' range. If a bin
//    has more keys than a block sorts, if a key is out of the range, or if a packed counter
//    overflows, onesweep sorts the keys instead. If a histogram is too small for both digits, the
//    second digit is counted after the first partition, and the keys may still be left to onesweep:
//    the first partition writes only the spare array.
// 3. They partition the keys by the first digit, from the input to the spare array, and by the
//    second one, from there to the output, or to the second spare array of pairs (partition.h).
// 4. Each bin is now a bucket, which one block sorts, in place or from a spare array.
//
// Why it is correct: after a partition, each number of a bin is less than each number of the next
// bin, because bins are the highest bits. A partition is a permutation, because each key of a bin
// gets its own one of the positions that the histogram has counted. Hence the buckets are in
// order, and each bucket is sorted.
#pragma once

#include "stream_compaction/hybrid_radix/block_sort.h"
#include "stream_compaction/hybrid_radix/fill.h"
#include "stream_compaction/hybrid_radix/histogram.h"
#include "stream_compaction/hybrid_radix/partition.h"
#include "stream_compaction/hybrid_radix/sample.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Sorts the bins into job.out, each in one block. A block knows its next three bins: while it
/// sorts one bin, the keys of the next bin are prefetched into the L2, and the begin of a later bin
/// is loaded.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_buckets(const Job<Shape>& job, const Bits* from, unsigned buckets,
                             KeyMap<Bits> map) {
    struct Bucket {
        unsigned index, begin, end;
    };
    const auto bucket_at = [&](unsigned b) {
        return b < buckets ? Bucket{b, job.begins[b], job.begins[b + 1]} : Bucket{b, 0, 0};
    };
    __shared__ unsigned taken[2];
    constexpr unsigned kLine = 128 / sizeof(Bits);
    Bucket bucket = bucket_at(blockIdx.x), next = bucket_at(blockIdx.x + gridDim.x);
    unsigned third = blockIdx.x + 2 * gridDim.x;
    for (unsigned turn = 0; buckets > bucket.index; turn ^= 1) {
        for (unsigned i = next.begin + threadIdx.x * kLine; i < next.end; i += kThreads * kLine)
            simt::prefetch(from + i);
        const Bucket after_next = bucket_at(third);
        if (threadIdx.x == 0) {
            taken[turn] = 3 * gridDim.x + atomicAdd(&job.progress->next_bucket, 1u);
            destination<Shape>(turn) = {job.out + bucket.begin, map};
        }
        if (bucket.begin < bucket.end)
            block_sort<Shape>(from + bucket.begin, bucket.end - bucket.begin, turn);
        else
            __syncthreads();
        third = taken[turn], bucket = next, next = after_next;
    }
}

/// Counts the keys by digits. Returns whether they are evenly distributed. If not, sets the word
/// that leaves the keys to onesweep.
/// @param bits  that are counted
/// @param most  the largest bin that is accepted
template <class Shape, class Bits = typename Shape::Bits>
__device__ bool count_and_scan(const Job<Shape>& job, Range<Bits> range, unsigned bits,
                               unsigned most, unsigned* begins) {
    Progress& progress = *job.progress;
    count_bins(job, range, bits);
    progress.barrier.arrive_and_wait([&] {
        scan_histogram(job, job.histogram, 1u << bits, 0, most, begins);
        if (threadIdx.x > 0) return;
        begins[1u << bits] = job.plan.n;
        leave_to(job, progress.is_contradicted != 0 ? Sorter::onesweep : Sorter::this_kernel);
        progress.is_contradicted = 0;
    });
    return progress.sorter == Sorter::this_kernel;
}

/// The same for the second digit of keys that are partitioned by the first digit.
/// @param segments  bins of the first digit; for the others, see count_second_digit
template <class Shape, class Number, class Bits = typename Shape::Bits>
__device__ bool count_and_scan_second_digit(const Job<Shape>& job, const Bits* keys,
                                            unsigned segments, unsigned second_bits,
                                            unsigned low_bits, Number number) {
    Progress& progress = *job.progress;
    count_second_digit(job, keys, second_bits, low_bits, number);
    progress.barrier.arrive_and_wait();
    const unsigned bins = 1u << second_bits;
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x)
        scan_histogram(job, job.histogram + s * bins, bins, job.first_begins[s], job.plan.bucket,
                       job.begins + s * bins);
    progress.barrier.arrive_and_wait([&] {
        if (threadIdx.x > 0) return;
        job.begins[segments * bins] = job.plan.n;
        leave_to(job, progress.is_contradicted != 0 ? Sorter::onesweep : Sorter::this_kernel);
        progress.is_contradicted = 0;
    });
    return progress.sorter == Sorter::this_kernel;
}

/// Tiles of the second partition that a block processes as one chunk. A block stores the keys that
/// it has kept when it reaches another segment, so larger chunks store fewer partial sectors; but
/// smaller chunks keep all blocks busy until the end.
__device__ inline unsigned tiles_of_chunk(unsigned tiles, unsigned blocks) {
    constexpr unsigned kMost = 4, kChunksOfBlock = 4;
    return max(1u, min(kMost, tiles / (blocks * kChunksOfBlock)));
}

/// Moves all keys by one digit. Ends with a barrier of all blocks.
template <class Shape>
__device__ void partition(const Job<Shape>& job, const Partition<Shape>& described) {
    __shared__ Partition<Shape> part;
    __syncthreads();
    if (threadIdx.x == 0) part = described;
    __syncthreads();
    move_tiles(part);
    job.progress->barrier.arrive_and_wait();
}

template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_even_on_grid(const __grid_constant__ Job<Shape> job) {
    using Bits = typename Shape::Bits;
    constexpr unsigned kCountedBits = Shape::kMaxCountedBits;
    constexpr unsigned kTiedBits = Shape::ItemArrays::kTiedBits;
    Progress& progress = *job.progress;
    const Plan& plan = job.plan;

    const Sample<Bits> sampled = sample(job);
    Bits spread;
    const Range<Bits> range = guess_range<Shape>(sampled.key, spread);
    Digits digits =
        digits_of(bits_to_fill(plan.buckets, plan.bits, range.bits, spread), Shape::kMaxBinBits);
    const bool is_counted_only = is_countable(range, kCountedBits, plan.n, sampled.key);
    if (is_counted_only)
        digits = {range.bits, 0};
    else if (digits.both() > range.bits)
        digits = digits_of(range.bits, Shape::kMaxBinBits);
    clear(simt::dynamic_shared<unsigned>(), 1u << kCountedBits);
    if (blockIdx.x == 0 && threadIdx.x == 0) progress.next_bucket = 0;
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < 1u << digits.both();
         i += gridDim.x * kThreads) {
        if (i < Shape::kMaxBins) job.taken[0][i] = {};
        job.taken[1][i] = {};
    }
    __syncthreads();
    if (!is_counted_only) {
        const Sorter sorter =
            digits.both() > range.bits - kTiedBits
                ? Sorter::onesweep  // a histogram ignores values
                : classify<Shape, true>(plan, range, digits.both(), sampled,
                                        simt::dynamic_shared<unsigned>(), kCountedBits);
        if (sorter != Sorter::this_kernel) {
            if (blockIdx.x == 0 && threadIdx.x == 0) leave_to(job, sorter);
            if (sorter == Sorter::few_values) clear_table_of_all(job);
            return;
        }
    }

    const bool is_counted_twice = digits.both() > Shape::kMaxHistogramBits;
    const unsigned counted = is_counted_twice ? digits.first : digits.both();
    const unsigned most = is_counted_only || is_counted_twice ? plan.n : plan.bucket;
    unsigned* const begins = is_counted_twice ? job.first_begins : job.begins;
    if (!count_and_scan(job, range, counted, most, begins)) return;
    if (is_counted_only) return fill_from_counts(job, range);

    KeyMap<Bits> map = job.map;
    map.base = range.base;
    const unsigned low_bits = range.bits - digits.both();
    partition<Shape>(job, {.from = job.in,
                           .target = {job.spare, begins, counted - digits.first},
                           .map = map,
                           .enters = true,
                           .shift = low_bits + digits.second,
                           .bits = digits.first,
                           .segments = 1,
                           .begins = begins,
                           .segment_stride_log2 = counted,
                           .taken = job.taken[0],
                           .tile = plan.tile,
                           .chunk = 1});
    if (is_counted_twice) {  // a histogram is too small for both digits
        const Bits* const numbers = job.spare;
        if (!count_and_scan_second_digit(job, numbers, 1u << digits.first, digits.second, low_bits,
                                         [](Bits number) { return number; }))
            return;
    }
    if (digits.second > 0)
        partition<Shape>(job, {.from = static_cast<const Bits*>(job.spare),
                               .target = {job.second(), job.begins, 0},
                               .map = map,
                               .enters = false,
                               .shift = low_bits,
                               .bits = digits.second,
                               .segments = 1u << digits.first,
                               .begins = job.begins,
                               .segment_stride_log2 = digits.second,
                               .taken = job.taken[1],
                               .tile = plan.tile,
                               .chunk = tiles_of_chunk(plan.n / plan.tile, gridDim.x)});
    sort_buckets(job, digits.second > 0 ? job.second() : job.spare, 1u << digits.both(), map);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
