// The kernel for stable sorts of many pairs. Where their keys are even, one or two of onesweep's
// passes sort them by their highest bits alone, and a class, which these bits leave together, fits
// into a block. That sorts by the lower bits and, where keys are equal, by where pairs are after
// the passes: these keep their order, so that is the order of the input. Other keys, and pairs in
// place, are left to sort_by_passes_if_left.
#pragma once

#include "stream_compaction/hybrid_radix/block/block_sort.h"
#include "stream_compaction/hybrid_radix/count.h"
#include "stream_compaction/hybrid_radix/passes.h"
#include "stream_compaction/hybrid_radix/plan.h"
#include "stream_compaction/hybrid_radix/sort_on_grid.h"
#include "stream_compaction/hybrid_radix/uneven.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// What a launch works on, besides what it has in common with others.
template <class Shape>
struct StableWork : Work<Shape, unsigned> {
    bool is_in_place;  ///< keys, or values
    unsigned* begins;  ///< of the classes, and where the last one ends
};

/// By how many of the keys' highest bits passes sort them.
struct HighBits {
    unsigned high, low;  ///< by the last pass, and by the one before; 0: there is none
    __device__ unsigned both() const { return high + low; }
};

/// So many that a class of evenly spread keys fits into a block, and no more: of several classes,
/// a block's keys would have the range of the next power of two, and their groups would be fuller.
/// @param bucket what fits into a block
/// @param spread how far the keys are from each other
inline __device__ HighBits choose_high_bits(unsigned n, unsigned bucket, unsigned key_bits,
                                            unsigned spread) {
    constexpr unsigned kPercent = 80;
    const unsigned bits = bits_to_fill(digits_of_buckets(n, bucket, kPercent),
                                       bits_for_buckets(n, bucket, kPercent), key_bits, spread);
    return bits <= onesweep::kDigitBits ? HighBits{bits, 0} : HighBits{bits - bits / 2, bits / 2};
}

/// What the counts of the highest bits say: the keys of each pass's digits come behind how many
/// others, and how many there are at most of one class.
struct ClassSums {
    unsigned begins_of_high[onesweep::kDigits], begins_of_low[onesweep::kDigits];
    unsigned largest;
};

/// By each block for itself.
inline __device__ void sum_classes(const unsigned* histogram, HighBits bits, ClassSums& classes) {
    const unsigned lows = 1u << bits.low, highs = 1u << bits.high;
    if (threadIdx.x < onesweep::kDigits)
        classes.begins_of_high[threadIdx.x] = classes.begins_of_low[threadIdx.x] = 0;
    if (threadIdx.x == 0) classes.largest = 0;
    __syncthreads();
    const unsigned low = threadIdx.x % lows;
    unsigned sum = 0, largest = 0;
#pragma unroll 8
    for (unsigned high = threadIdx.x / lows; high < highs; high += kThreads / lows) {
        const unsigned keys = histogram[high * lows + low];
        sum += keys;
        largest = max(largest, keys);
        if (lows < kLanes) {
            atomicAdd(&classes.begins_of_high[high], keys);
        } else if (const unsigned of_warp = sum_of_lanes(keys); threadIdx.x % kLanes == 0) {
            atomicAdd(&classes.begins_of_high[high], of_warp);
        }
    }
    atomicAdd(&classes.begins_of_low[low], sum);
    atomicMax(&classes.largest, largest);
    for (unsigned* const begins : {classes.begins_of_high, classes.begins_of_low}) {
        __syncthreads();
        const bool has_digit = threadIdx.x < onesweep::kDigits;
        const unsigned begin = onesweep::scan_digits(has_digit ? begins[threadIdx.x] : 0);
        if (has_digit) begins[threadIdx.x] = begin;
    }
    __syncthreads();
}

/// Stores where each class begins.
inline __device__ void find_classes(const unsigned* histogram, HighBits bits,
                                    const ClassSums& classes, unsigned n, unsigned* begins) {
    const unsigned lows = 1u << bits.low, highs = 1u << bits.high;
    for (unsigned high = blockIdx.x; high < highs; high += gridDim.x) {
        const bool has_class = threadIdx.x < lows;
        const unsigned at = high * lows + threadIdx.x;
        const unsigned begin =
            classes.begins_of_high[high] + onesweep::scan_digits(has_class ? histogram[at] : 0);
        __syncthreads();  // before the next scan
        if (has_class) begins[at] = begin;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) begins[lows * highs] = n;
}

/// Sorts each class, from where the passes have left it.
/// @param map        of the passes
/// @param first, end of the classes; others have no keys
template <class BlockShape>
__device__ void sort_classes(const unsigned* keys, const unsigned* values, const PairsOut& out,
                             KeyMap<unsigned> map, const unsigned* begins, unsigned first,
                             unsigned end, Progress& progress) {
    static_assert(BlockShape::kBlockKeys <= 1u << kPlaceBits);
    __shared__ unsigned taken[2];
    unsigned turn = 0;
    for (unsigned c = first + blockIdx.x; c < end; c = taken[turn]) {
        turn ^= 1;
        const unsigned begin = begins[c], size = begins[c + 1] - begin;
        if (threadIdx.x == 0) {
            taken[turn] = first + gridDim.x + atomicAdd(&progress.next_bucket, 1u);
            destination<BlockShape>(turn) = {
                {out.keys + begin, out.values + begin, values + begin, map}, {}};
        }
        // They are read when keys are sorted: until then they come to the L2 cache.
        constexpr unsigned kLine = 128 / sizeof(unsigned);
        if (threadIdx.x * kLine < size) simt::prefetch(values + begin + threadIdx.x * kLine);
        if (size > 0)
            block_sort<BlockShape, false, PlacedIn>({keys + begin}, {}, size, turn);
        else
            __syncthreads();
    }
}

/// Sorts even keys; leaves others to passes.
/// @tparam BlockShape of PlacedPairs
template <class Shape, class BlockShape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_stably_on_grid(const __grid_constant__ StableWork<Shape> work) {
    using Passes = typename Shape::Passes;
    take_plan(work);
    if (work.is_in_place) return leave_to_passes(work);
    Progress& progress = *work.progress;
    const unsigned n = work.fit().n, bucket = work.fit().bucket;
    const auto& job = work.fit().passes;
    ClassSums& classes = *simt::dynamic_shared<ClassSums>();  // until keys are moved

    const Pair sampled = sample_anywhere(work);
    Pair spread;
    const Range<Pair> range = guess_range<Shape>(sampled, spread);
    const unsigned key_bits = range.bits - kValueBits;
    const HighBits bits =
        choose_high_bits(n, bucket, key_bits, static_cast<unsigned>(spread >> kValueBits));
    const unsigned rows = onesweep::kRounds * job.blocks;
    onesweep::clear_rows(job.shared.rows, rows, blockIdx.x, gridDim.x);
    onesweep::clear_rows(job.shared.cohorts, rows / job.cohort, blockIdx.x, gridDim.x);
    __syncthreads();
    clear(simt::dynamic_shared<unsigned>(), 1u << Shape::kMaxCountedBits);
    __syncthreads();
    // Of keys that repeat, mostly, groups in a block would be too full.
    const bool repeat = n > spread >> kValueBits;
    const bool seem_even = bits.both() <= min(key_bits, kMaxHistogramBits<Shape>) && !repeat &&
                           rest_by_samples(work, range, min(bits.both(), Shape::kMaxCountedBits),
                                           sampled, false, false) == Rest::nothing;
    bool are_even = seem_even;
    if (seem_even) {
        if (bits.both() > Shape::kMaxCountedBits + 1)
            count_first_digits<4>(work, range, bits.both());
        else if (bits.both() > Shape::kMaxCountedBits)
            count_first_digits<2>(work, range, bits.both());
        else
            count_first_digits<1>(work, range, bits.both());
        progress.barrier.arrive_and_wait();
        sum_classes(work.histogram, bits, classes);
        are_even =
            progress.out_of_range == 0 && progress.too_many == 0 && classes.largest <= bucket;
    }
    if (!are_even) {
        leave_to_passes(work);
        finish(work, seem_even ? 1u << bits.both() : 0);
        return;
    }
    find_classes(work.histogram, bits, classes, n, work.begins);

    __shared__ unsigned begins[onesweep::kDigits];  // of a pass's digits
    const unsigned own_digit = threadIdx.x % onesweep::kDigits;
    const unsigned begin_of_high = classes.begins_of_high[own_digit];
    const unsigned begin_of_low = classes.begins_of_low[own_digit];
    const bool has_digit = threadIdx.x < onesweep::kDigits;
    const unsigned first_high = __syncthreads_count(has_digit && begin_of_high == 0) - 1;
    const unsigned end_high = __syncthreads_count(has_digit && begin_of_high < n);
    KeyMap<unsigned> map = PairArrays::map_of_passes(work.map);
    map.base = static_cast<unsigned>(range.base >> kValueBits);
    onesweep::Pass<Passes, unsigned>& pass = onesweep::current_pass<Passes, unsigned>();
    if (threadIdx.x == 0) {
        onesweep::describe(pass, job, map);
        pass.values_from = job.values_in;
        pass.leaves = pass.is_staged = false;
    }
    const auto move_by = [&](unsigned shift, unsigned digit_bits, unsigned begin, unsigned* keys_to,
                             unsigned* values_to) {
        __syncthreads();
        begins[own_digit] = begin;
        if (threadIdx.x == 0) {
            pass.to = keys_to, pass.values_to = values_to;
            pass.shift = shift, pass.digit_mask = (1u << digit_bits) - 1;
            pass.begins = begins;
        }
        __syncthreads();
        sort_by_digit<Shape, unsigned>();
        progress.barrier.arrive_and_wait();
    };
    if (bits.low > 0) {
        move_by(key_bits - bits.both(), bits.low, begin_of_low, job.out, job.values_out);
        if (threadIdx.x == 0) {
            const unsigned tiles = ceil_div(n, Passes::tile_keys(job.groups));
            pass.from = job.out, pass.values_from = job.values_out;
            pass.enters = false;
            pass.first_lap += ceil_div(tiles, rows);
        }
    }
    move_by(key_bits - bits.high, bits.high, begin_of_high, job.spare, job.values_spare);
    sort_classes<BlockShape>(job.spare, job.values_spare, work.out, map, work.begins,
                             first_high << bits.low, end_high << bits.low, progress);
    finish(work, 1u << bits.both());
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
