#include "stream_compaction/hybrid_radix.h"

#include "simt/checked_size.h"
#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix/block_sort.h"
#include "stream_compaction/hybrid_radix/partition.h"
#include "stream_compaction/onesweep/passes.h"
#include "stream_compaction/parts/arrays.h"
#include "stream_compaction/parts/grid_barrier.h"
#include "stream_compaction/parts/host_call.h"

#include <algorithm>
#include <bit>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Keys in a thread's registers, and counters of a block, for multiprocessors with 160 KB of shared
/// memory or more: compute capabilities 8.0, 9.0, 10.0.
template <class Bits>
using LargeShape =
    Shape<Bits, sizeof(Bits) == 4 ? 23 : 11, 13, 14, onesweep::LargeShape<Bits, onesweep::NoValue>>;
/// For 100 KB, and one block for the 64 KB of 7.5.
template <class Bits>
using SmallShape = Shape<Bits, sizeof(Bits) == 4 ? 13 : 7, sizeof(Bits) == 4 ? 12 : 11, 13,
                         onesweep::SmallShape<Bits, onesweep::NoValue>>;

/// Of the first histogram: four digits share a word.
template <class Shape>
constexpr unsigned kMaxHistogramBits = Shape::kMaxCountedBits + 2;
constexpr unsigned kSamples = kThreads;
constexpr unsigned kKeysInFlight = 16;  ///< of a thread that only counts
constexpr unsigned kTooFull = 4;  ///< times a bucket, or the mean of a digit: see looks_uneven

/// Partitioning with so few keys to a counter keeps the counters within two percent of the keys.
template <class Offset>
constexpr unsigned kKeysPerCounter = 48 * sizeof(Offset);

// ---- What a launch works on -------------------------------------------------------------------

/// Keys that are known up to their low `bits`, and are to be partitioned by the `digit_bits`
/// highest of these.
template <class Bits, class Offset>
struct Segment {
    Offset first, size;
    Offset* counters;  ///< of each digit: its keys; then where its next key goes
    Bits prefix;       ///< the keys' common high bits
    unsigned first_tile;
    unsigned char bits, digit_bits, is_in_spare, stays;
};

/// Keys for one block to sort.
template <class Offset>
struct Bucket {
    Offset first;
    unsigned size;
    bool is_in_spare;
};

/// What sort_on_grid does after it has counted.
enum Step : unsigned {
    kPartition,
    kLeave,  ///< to the passes
    kCountWiderRange,
    kCountFewerDigits,
};

/// Zero before a launch, but for the barrier and what is told of the last launch, and zero after
/// it.
struct Progress {
    GridBarrier barrier;
    unsigned out_of_range;           ///< whether the sample missed the keys' range
    unsigned too_many;               ///< whether a digit was too frequent for its counter
    unsigned step;                   ///< the last Step
    unsigned long long base;         ///< for sort_uneven_keys, of the keys' range
    unsigned long long segments[2];  ///< of two levels: their number and that of their tiles
    unsigned long long counters[2];  ///< of two levels
    unsigned buckets, next_bucket;
    unsigned next_tile;  ///< of the first partition
    unsigned next_run;   ///< of tiles of a level
    unsigned finished;

    unsigned turn;          ///< of sort_by_one_partition: which of its histograms is next
    unsigned is_missed[2];  ///< for each turn, whether the sample missed the keys' range
};

constexpr unsigned long long kOneSegment = 1ull << 32;  ///< in Progress::segments; below, tiles

template <class Shape, class Offset>
struct Work {
    using Bits = typename Shape::Bits;
    const Bits* in;
    Bits* out;
    Bits* spare;
    Offset n;
    KeyMap<Bits> map;
    unsigned digit_bits[2];   ///< of the first two partitions, from one histogram
    unsigned countable_bits;  ///< keys of so many bits are counted, no more

    unsigned tile;            ///< keys that a block partitions at a time
    bool is_split_again;      ///< whether even keys need more partitions than the histogram plans
    bool looks;               ///< whether the sample may tell that keys are uneven
    bool passes_follow;       ///< whether uneven keys are left to sort_uneven_keys
    unsigned bucket, uneven;  ///< of Limits
    unsigned window_bits;     ///< small buckets that start in one window become one

    Progress* progress;
    Offset* histogram;  ///< 2^kMaxHistogramBits<Shape>
    Offset* cursors;    ///< 2^kMaxDigitBits
    Offset* counters[2];
    Segment<Bits, Offset>* segments[2];
    Bucket<Offset>* buckets;
    unsigned* turns;  ///< two histograms of 2^kMaxDigitBits: one is zero
    onesweep::Job<typename Shape::Passes, Offset> passes;  ///< for keys that are uneven

    __device__ unsigned tiles_of(Offset keys) const {
        return static_cast<unsigned>((keys + tile - 1) / tile);
    }
};

/// Keys minus `base` have no more than `bits` bits.
template <class Bits>
struct Range {
    Bits base;
    unsigned bits;
    __device__ Bits largest() const {
        return bits == 0 ? 0 : static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - bits);
    }
};

// ---- The range of the keys --------------------------------------------------------------------

/// One key for each thread, the same in all blocks.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ Bits sample(const Work<Shape, Offset>& work) {
    const auto at =
        static_cast<Offset>(static_cast<unsigned long long>(work.n) / kSamples * threadIdx.x);
    return work.map.number(work.in[at]);
}

/// A guess from the samples. All blocks make the same. It drops high bits that are the same in all
/// keys, also where that takes a shift of the range, as for small numbers of both signs.
template <class Bits>
__device__ Range<Bits> guess_range(Bits sampled) {
    Bits least = sampled, largest = sampled;
    reduce_range(least, largest);
    const unsigned by_prefix = bit_width(least ^ largest);
    const Bits margin = (largest - least) / 16;
    const Bits base = least > margin ? least - margin : 0;
    const Bits top = largest + min(margin, static_cast<Bits>(~largest));
    const unsigned by_shift = bit_width(top - base);
    if (by_shift + 1 < by_prefix) return {base, by_shift};
    return {by_prefix == 8 * sizeof(Bits) ? 0 : least >> by_prefix << by_prefix, by_prefix};
}

/// Counters of digits in shared memory: words or, of many digits, halves or quarters of words.
template <unsigned kOfWord>
struct DigitCounters {
    static constexpr unsigned kBits = 32 / kOfWord, kLargest = ~0u >> (32 - kBits);
    unsigned* words = simt::dynamic_shared<unsigned>();

    __device__ void add(unsigned digit, unsigned keys) const {
        atomicAdd(&words[digit / kOfWord], keys << digit % kOfWord * kBits);
    }
    __device__ unsigned get(unsigned digit) const {
        return words[digit / kOfWord] >> digit % kOfWord * kBits & kLargest;
    }
};

/// Whether a key shares its highest `bits` with too many others, on average: judged by the pairs of
/// samples that do. More than by a block's bucket, or than where keys are evenly spread. All
/// counters are zero, and are zero again.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool looks_uneven(const Work<Shape, Offset>& work, Range<Bits> range, unsigned bits,
                             Bits sampled) {
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    unsigned& count = counts[static_cast<unsigned>((sampled - range.base) >> (range.bits - bits))];
    __shared__ unsigned pairs;
    if (threadIdx.x == 0) pairs = 0;
    __syncthreads();
    const unsigned of_warp = sum_of_lanes(atomicAdd(&count, 1u));
    if (threadIdx.x % kLanes == 0) atomicAdd(&pairs, of_warp);
    __syncthreads();
    count = 0;
    constexpr unsigned long long kAllPairs = kSamples * (kSamples - 1) / 2;
    const unsigned long long n = work.n, few = max(n >> bits, 1ull * work.bucket);
    const bool is_uneven = pairs * n > kAllPairs * few * kTooFull;
    __syncthreads();
    return is_uneven;
}

template <unsigned kOfWord, class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void count_first_digits(const Work<Shape, Offset>& work, Range<Bits> range,
                                   unsigned digit_bits) {
    const DigitCounters<kOfWord> counts;
    const unsigned digits = 1u << digit_bits, shift = range.bits - digit_bits;
    const Bits largest = range.largest();
    bool all_in_range = true;
    constexpr unsigned kChunk = kThreads * kKeysInFlight;
    const auto digit_of = [&](Bits key) {
        const Bits x = work.map.number(key) - range.base;
        all_in_range &= x <= largest;
        return static_cast<unsigned>(x >> shift) & (digits - 1);
    };
    unsigned counted = 0;
    for (Offset first = Offset{blockIdx.x} * kChunk; first < work.n;
         first += Offset{gridDim.x} * kChunk) {
        const Bits* const from = work.in + first + threadIdx.x;
        const Offset left = work.n - first;
        counted += static_cast<unsigned>(min(left, Offset{kChunk}));
        if (left >= kChunk) {
            Bits key[kKeysInFlight];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) key[i] = from[i * kThreads];
            // A warp with one digit would wait at its counter, if that is part of a word.
            const auto is_shared = [&](unsigned digit) {
                return __all_sync(~0u, digit == __shfl_sync(~0u, digit, 0)) != 0;
            };
            const bool votes = kOfWord > 1 && is_shared(digit_of(key[0]));
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) {
                const unsigned digit = digit_of(key[i]);
                if (!votes || !is_shared(digit))
                    counts.add(digit, 1);
                else if (threadIdx.x % kLanes == 0)
                    counts.add(digit, kLanes);
            }
        } else {
            for (unsigned i = threadIdx.x; i < left; i += kThreads)
                counts.add(digit_of(work.in[first + i]), 1);
        }
    }
    __syncthreads();
    if constexpr (kOfWord > 1) {  // what a part cannot hold is missing in their sum
        __shared__ unsigned sum;
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
        unsigned own = 0;
        for (unsigned i = threadIdx.x; i < digits; i += kThreads) own += counts.get(i);
        own = sum_of_lanes(own);
        if (threadIdx.x % kLanes == 0) atomicAdd(&sum, own);
        __syncthreads();
        if (threadIdx.x == 0 && sum != counted) atomicOr(&work.progress->too_many, 1u);
    }
    if (__syncthreads_or(!all_in_range)) {
        if (threadIdx.x == 0) atomicOr(&work.progress->out_of_range, 1u);
        return;  // the counts are of no use
    }
    for (unsigned i = threadIdx.x; i < digits; i += kThreads)
        if (const unsigned c = counts.get(i); c != 0) atomicAdd(&work.histogram[i], Offset{c});
}

/// How many bits so many keys can be partitioned by: their counters must not take much memory.
template <class Offset>
__device__ unsigned max_digit_bits(Offset keys) {
    return max(1u, min(kMaxDigitBits, bit_width(keys / kKeysPerCounter<Offset> | 1) - 1));
}

/// By one block, from the counts of the highest bits: whether too many keys would have to be
/// counted and partitioned again. Where one partition is not meant to do, uneven keys are no worse.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool is_uneven(const Work<Shape, Offset>& work, Range<Bits> range, unsigned counted) {
    if (work.is_split_again) return false;
    // Of few keys, a larger share than that is too much work for one block.
    constexpr unsigned kLargestShare = 16;
    const Offset largest = min(Offset{work.bucket}, work.n / kLargestShare);
    if (range.bits - counted <= max_digit_bits(largest)) return false;  // they are counted, no more
    Offset many = 0;
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < 1u << counted; i += kThreads)
        if (const Offset count = work.histogram[i]; count > largest) many += count;
    __shared__ Offset sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (many > 0) atomicAdd(&sum, many);
    __syncthreads();
    return sum > work.n / work.uneven;
}

/// Exclusive scan in place by one block, from `start` on; calls use(i, what counters[i] becomes). A
/// warp has neighbours, and its lanes neighbours of each other: so its loads are few, and many of
/// them are under way together.
template <class Offset, class F>
__device__ void scan_in_memory(Offset* counters, unsigned size, Offset start, F use) {
    __shared__ Offset sums[kWarps];
    constexpr unsigned kRows = 8;
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned of_warp = (size + kThreads - 1) / kThreads * kLanes;
    const unsigned first = warp * of_warp, last = min(first + of_warp, size);
    const auto load_rows = [&](unsigned row, Offset(&count)[kRows]) {
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            const unsigned i = row + r * kLanes + lane;
            count[r] = i < last ? counters[i] : Offset{0};
        }
    };
    Offset own = 0;
    for (unsigned row = first; row < last; row += kRows * kLanes) {
        Offset count[kRows];
        load_rows(row, count);
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) own += count[r];
    }
    for (unsigned d = kLanes / 2; d > 0; d /= 2) own += __shfl_xor_sync(~0u, own, d);
    if (lane == 0) sums[warp] = own;
    __syncthreads();
    Offset before = start;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
    for (unsigned row = first; row < last; row += kRows * kLanes) {
        Offset count[kRows];
        load_rows(row, count);
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r) {
            Offset up_to = count[r];
            for (unsigned d = 1; d < kLanes; d *= 2) {
                const Offset left = __shfl_up_sync(~0u, up_to, d);
                if (lane >= d) up_to += left;
            }
            const unsigned i = row + r * kLanes + lane;
            const Offset begin = before + up_to - count[r];
            if (i < last) counters[i] = begin, use(i, begin);
            before += __shfl_sync(~0u, up_to, kLanes - 1);
        }
    }
    __syncthreads();
}

// ---- What becomes of a segment's digits -------------------------------------------------------

/// How many bits a segment is partitioned by next.
template <class Offset>
__device__ unsigned choose_digit_bits(Offset size, unsigned bits, unsigned bucket) {
    const unsigned most = max_digit_bits(size);
    if (bits <= most) return bits;
    const unsigned wanted = bit_width(size / bucket * 7 / 5);
    return min(most, wanted > 10 ? 8 : max(6u, wanted));
}

/// Where all digits of a segment start: begins[digit]; begins[digits] is its end. Digits of few
/// keys become buckets, neighbours together; the others segments of the next level.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void hand_out_digits(const Work<Shape, Offset>& work, unsigned digits, unsigned stride,
                                const Offset* first_keys, Offset end, Bits prefix, unsigned bits,
                                unsigned next_digit_bits, bool are_in_spare, unsigned level) {
    Offset* const begins = simt::dynamic_shared<Offset>();
    __syncthreads();
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) begins[i] = first_keys[i * stride];
    if (threadIdx.x == 0) begins[digits] = end;
    __syncthreads();
    Progress& progress = *work.progress;
    const auto window = [=](Offset place) { return (place - begins[0]) >> work.window_bits; };
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) {
        const Offset first = begins[i], size = begins[i + 1] - first;
        if (size > work.bucket) {
            const unsigned long long segments =
                atomicAdd(&progress.segments[level], kOneSegment + work.tiles_of(size));
            Segment<Bits, Offset>& segment = work.segments[level][segments / kOneSegment];
            segment.first = first, segment.size = size;
            segment.prefix = prefix | static_cast<Bits>(i) << bits;
            segment.first_tile = static_cast<unsigned>(segments);
            segment.bits = bits;
            segment.is_in_spare = are_in_spare;
            segment.stays = false;
            if (next_digit_bits > 0) {  // by the histogram of two digits
                segment.digit_bits = next_digit_bits;
                segment.counters = const_cast<Offset*>(first_keys) + i * stride;
            } else {
                const unsigned digit_bits = choose_digit_bits(size, bits, work.bucket);
                const unsigned counters = max(4u, 1u << digit_bits);
                segment.digit_bits = digit_bits;
                segment.counters =
                    work.counters[level] + atomicAdd(&progress.counters[level], counters);
                for (unsigned c = 0; c < counters; ++c) segment.counters[c] = 0;
            }
            continue;
        }
        Offset last = begins[i + 1];
        if (size >> work.window_bits == 0) {
            if (i > 0 && window(begins[i - 1]) == window(first)) continue;  // has been handed out
            unsigned low = i + 1, high = digits;  // the first digit that starts in a later window
            while (low < high) {
                const unsigned middle = (low + high) / 2;
                if (window(begins[middle]) > window(first))
                    high = middle;
                else
                    low = middle + 1;
            }
            last = begins[low];
            if ((last - begins[low - 1]) >> work.window_bits != 0) last = begins[low - 1];
        }
        if (last > first)
            work.buckets[atomicAdd(&progress.buckets, 1u)] = {
                first, static_cast<unsigned>(last - first), are_in_spare};
    }
}

// ---- Segments ---------------------------------------------------------------------------------

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

// ---- Counting sort: keys of which all bits were counted ---------------------------------------

/// The last digit of [low, high] that starts at or before a place.
template <class Offset>
__device__ unsigned digit_at(const Offset* begins, Offset place, unsigned low, unsigned high) {
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (begins[middle] <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Writes a tile of sorted keys: key d, plus `base`, from begins[d] on.
template <class Bits, class Offset>
__device__ void fill_tile(Bits* out, KeyMap<Bits> map, const Offset* begins, unsigned digits,
                          Bits base, Offset first, unsigned size) {
    const unsigned last_digit = digit_at(begins, first + size - 1, 0, digits - 1);
    unsigned digit = digit_at(begins, first, 0, last_digit);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < size; i += kThreads) {
        digit = digit_at(begins, first + i, digit, last_digit);
        out[first + i] = map.key(base + digit);
    }
}

template <class Offset>
__device__ void stage(const Offset* from, Offset* to, unsigned size) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += kThreads) to[i] = from[i];
    __syncthreads();
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

// ---- The kernels ------------------------------------------------------------------------------

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

/// Of keys that all blocks together hold in registers. Each block ranks its keys in its tile, and
/// adds its counts to the histogram: what atomicAdd returns is where its keys come among those of
/// their digit, once all blocks have done so. Then each block sorts the digits that start in its
/// share of the output. Where a digit has too many keys for a block, all are sorted by their lowest
/// digits first.
template <class Shape, class Bits = typename Shape::Bits>
__global__ void __launch_bounds__(kThreads, 2)
    sort_by_one_partition(const __grid_constant__ Work<Shape, unsigned> work) {
    const TileMemory<Shape, unsigned> memory;
    unsigned* const begins = memory.begins_behind();
    const unsigned n = work.n;
    Progress& progress = *work.progress;
    const unsigned turn = progress.turn;
    unsigned* const histogram = work.turns + turn * kMaxDigits;

    const unsigned first = blockIdx.x * work.tile, size = min(work.tile, n - first);
    Bits key[Shape::kItems];
    for_each_group<Shape::kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) key[i] = work.in[first + min(place_of(i), size - 1)];
    });
    clear(memory.counts, kCounters);
    const Range<Bits> range = guess_range(sample(work));  // and waits for all threads
    const unsigned digit_bits =
        range.bits <= work.countable_bits ? range.bits : min(work.digit_bits[0], range.bits);
    KeyMap<Bits> map = work.map;
    map.base = range.base;
    const Bits largest = range.largest();
    bool is_missed = false;
    for_each_group<Shape::kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) {
            key[i] = map.number(key[i]);
            is_missed |= key[i] > largest;
        }
    });
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

    // The other turn's histogram is ready for the next launch.
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kMaxDigits;
         i += gridDim.x * kThreads)
        work.turns[(1 - turn) * kMaxDigits + i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        progress.is_missed[1 - turn] = 0, progress.turn = 1 - turn;

    const unsigned scanned = max(tile.digits, kCountsPerRow);
    for (unsigned d = threadIdx.x; d < scanned; d += kThreads)
        begins[d] = d < tile.digits ? histogram[d] : 0;
    __syncthreads();
    const unsigned most = scan_counts(begins, scanned).largest;
    if (range.bits == digit_bits && progress.is_missed[turn] == 0) {
        fill_tile(work.out, work.map, begins, tile.digits, range.base, first, size);
        return;
    }
    if (most > work.bucket || progress.is_missed[turn] != 0) {
        sort_by_passes(work, progress.is_missed[turn] != 0 ? Bits{0} : range.base);
        return;
    }
    if (threadIdx.x == 0) begins[tile.digits] = n;
    for_each_digit(tile, [&](unsigned i, unsigned d) {
        memory.places[d] = begins[d] + place[i] - tile.begin(memory.counts, d, size);
    });
    __syncthreads();
    store_digits(memory, tile, size, work.spare);

    // The digits that start in the block's share.
    const unsigned arrival = progress.barrier.arrive();
    const auto first_digit_from = [=](unsigned place) {
        return place == 0 ? 0 : digit_at(begins, place - 1, 0, tile.digits) + 1;
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
        if (threadIdx.x == 0) destination<Bits>(bucket) = {work.out + begin, map};
        sort_block<Shape>(work.spare + begin, {}, size, bucket);
    }
}

template <class Shape, class Bits = typename Shape::Bits>
__global__ void __launch_bounds__(kThreads, 2)
    sort_in_one_block(const Bits* in, Bits* out, unsigned n, KeyMap<Bits> map) {
    if (threadIdx.x == 0) destination<Bits>(0) = {out, map};
    sort_block<Shape>(in, map, n, 0);
}

template <class Shape, class Offset>
constexpr std::size_t kPassBytes = onesweep::kPassBytes<typename Shape::Passes, Offset>;

template <class Shape, class Offset>
constexpr std::size_t kGridBytes = std::max(
    {BlockMemory<Shape>::kBytes, TileMemory<Shape, Offset>::kBytes,
     (std::size_t{1} << Shape::kMaxCountedBits) * sizeof(unsigned), kPassBytes<Shape, Offset>});

template <class Shape>
constexpr std::size_t kPartitionBytes = std::max(TileMemory<Shape, unsigned>::kBytesWithBegins,
                                                 kPassBytes<Shape, unsigned>);

// ---- On the host ------------------------------------------------------------------------------

constexpr std::size_t kWindows = 512;  ///< fewer than twice as many, where buckets are large enough

unsigned window_bits(std::size_t n, std::size_t bucket) {
    constexpr std::size_t kLeast = 512;
    const std::size_t keys = std::min(bucket / 2, std::max(kLeast, n / kWindows));
    return std::bit_width(keys) - 1;
}

/// Buckets that n keys become at most, whatever they are. hand_out_digits makes one of each digit
/// that fills a window, and one of the smaller digits that start in the same window. These lie in
/// runs between larger digits, and a run touches up to two windows more than its keys fill. So a
/// segment of which k digits are segments again has three buckets at most for each window that its
/// other keys fill, and 2 k + 2.
template <class Bits, class Offset>
std::size_t most_buckets(std::size_t n, std::size_t bucket) {
    constexpr unsigned kFirstDigit = 5, kNextDigit = 6;  // at least, of many keys
    const auto of_counters = std::bit_width((bucket + 1) / kKeysPerCounter<Offset>);
    const unsigned bits = std::clamp<unsigned>(of_counters, 2, kNextDigit + 1) - 1;
    const std::size_t levels = ceil_div(8 * sizeof(Bits) - kFirstDigit, bits);
    // A plan for n serves fewer keys, which have smaller windows, but few of them.
    const std::size_t windows = std::max(n >> window_bits(n, bucket), 2 * kWindows);
    return 3 * windows + 4 * levels * (n / (bucket + 1)) + 2;
}

/// Lists for n keys. The first is Progress.
template <class Shape, class Offset>
std::size_t lay_out(Work<Shape, Offset>& work, std::size_t n, Limits limits, std::byte* memory) {
    using Bits = typename Shape::Bits;
    Arrays arrays(memory);
    work.window_bits = window_bits(n, limits.bucket);
    const std::size_t segments = n / limits.bucket + 1;
    work.progress = arrays.take<Progress>(1);
    work.histogram = arrays.take<Offset>(std::size_t{1} << kMaxHistogramBits<Shape>);
    work.cursors = arrays.take<Offset>(kMaxDigits);
    work.turns = arrays.take<unsigned>(2 * kMaxDigits);
    work.passes.shared.histograms = arrays.take<Offset>(onesweep::kHistogramSize<Bits>);
    Arrays instead = arrays;  // passes need no lists
    onesweep::lay_out<Bits>(work.passes.shared, n, instead);
    for (int level = 0; level < 2; ++level) {
        work.counters[level] = arrays.take<Offset>(n / kKeysPerCounter<Offset> + 4 * segments);
        work.segments[level] = arrays.take<Segment<Bits, Offset>>(segments);
    }
    work.buckets = arrays.take<Bucket<Offset>>(most_buckets<Bits, Offset>(n, limits.bucket));
    return std::max(arrays.bytes(), instead.bytes());
}

/// Whether positions, and tiles that end behind the last key, need 64 bits.
bool is_large(std::size_t n) { return n > std::size_t{1} << 31; }

/// Calls f with the shape that suits the device, and is compiled for it.
template <class Bits, class F>
decltype(auto) with_shape(bool has_large_blocks, F f) {
    return has_large_blocks ? f(LargeShape<Bits>()) : f(SmallShape<Bits>());
}

/// The kernels are made for two blocks on a multiprocessor.
template <class Bits>
bool has_large_blocks(const simt::DeviceProperties& device) {
    return simt::has_shared_memory_for(device, 2, kGridBytes<LargeShape<Bits>, unsigned>);
}

template <class Bits>
std::size_t most_keys_of_block(bool has_large_blocks) {
    return with_shape<Bits>(has_large_blocks,
                            []<class Shape>(Shape) -> std::size_t { return Shape::kBlockKeys; });
}

/// Blocks of each kernel that a device holds at once.
template <class Shape, class Offset>
ResidentBlocks resident_blocks() {
    return {.grid = simt::resident_blocks(sort_on_grid<Shape, Offset>, kThreads,
                                          kGridBytes<Shape, Offset>),
            .passes = simt::resident_blocks(sort_uneven_keys<Shape, Offset>, kThreads,
                                            kPassBytes<Shape, Offset>),
            .partition = simt::resident_blocks(sort_by_one_partition<Shape>, kThreads,
                                               kPartitionBytes<Shape>)};
}

/// Few keys are not worth a block's start; so many blocks are, where there are few keys.
std::size_t blocks_worth(std::size_t n) {
    constexpr std::size_t kKeysOfBlock = 4096, kFewKeysOfBlock = 512, kBlocks = 64;
    return std::max(ceil_div(n, kKeysOfBlock), std::min(kBlocks, ceil_div(n, kFewKeysOfBlock)));
}

/// Partitions once, from registers.
template <class Shape>
void launch_one_partition(Work<Shape, unsigned> work, unsigned resident, Limits limits,
                          simt::stream_t stream) {
    const std::size_t n = work.n;
    const std::size_t wanted = std::max(blocks_worth(n), ceil_div(n, Shape::kBlockKeys));
    const std::size_t share = ceil_div(n, std::min<std::size_t>(resident, wanted));
    const auto blocks = static_cast<unsigned>(ceil_div(n, share));
    work.tile = static_cast<unsigned>(share);
    work.digit_bits[0] =
        std::clamp<unsigned>(std::bit_width(n * 7 / 5 / limits.bucket), 8, kMaxDigitBits);
    work.countable_bits =
        std::min<unsigned>(std::bit_width(n / kKeysPerCounter<unsigned>), kMaxDigitBits);
    work.passes.choose_tiles(blocks);
    simt::launch(sort_by_one_partition<Shape>,
                 {blocks, kThreads, kPartitionBytes<Shape>, stream, true}, work);
}

/// Partitions as often as it takes.
template <class Shape, class Offset>
void launch_on_grid(Work<Shape, Offset> work, const ResidentBlocks& resident, KeyOrder order,
                    Limits limits, simt::stream_t stream) {
    const std::size_t n = work.n;
    work.window_bits = window_bits(n, limits.bucket);
    // Exponents always look uneven, and are partitioned quickly.
    const bool takes_passes = !order.is_floating && limits.uneven > 1;
    // Of more keys, passes are not worth it once the keys have been read for a histogram.
    constexpr std::size_t kManyKeys = std::size_t{1} << 26;
    work.looks = takes_passes;
    work.uneven = takes_passes && n <= kManyKeys ? limits.uneven : 1;

    // So many bits that buckets are 70 % full where keys are evenly spread.
    const unsigned bits = std::max<unsigned>(8, std::bit_width(n * 7 / 5 / limits.bucket));
    if (bits <= kMaxDigitBits)
        work.digit_bits[0] = bits;
    else if (bits <= kMaxHistogramBits<Shape>)
        work.digit_bits[0] = bits / 2, work.digit_bits[1] = bits - bits / 2;
    else
        work.digit_bits[0] = 8;
    work.is_split_again = bits > kMaxHistogramBits<Shape>;

    const auto blocks =
        static_cast<unsigned>(std::min<std::size_t>(resident.grid, blocks_worth(n)));
    // Of few tiles, all blocks have the same number.
    constexpr std::size_t kTile = Shape::kBlockKeys;
    const std::size_t movers = std::max(blocks - 1, 1u);
    const std::size_t rounds = ceil_div(n, movers * kTile);
    work.tile = static_cast<unsigned>(rounds > 12 ? kTile : ceil_div(n, movers * rounds));
    // Passes are 1 to 4 % faster in a kernel of their own, of which the launch takes 7 us.
    constexpr std::size_t kOwnKernel = std::size_t{1} << 26;
    work.passes_follow = takes_passes && n >= kOwnKernel;
    work.passes.choose_tiles(work.passes_follow ? resident.passes : blocks);
    simt::launch(sort_on_grid<Shape, Offset>,
                 {blocks, kThreads, kGridBytes<Shape, Offset>, stream, true}, work);
    if (!work.passes_follow) return;
    simt::launch(sort_uneven_keys<Shape, Offset>,
                 {work.passes.blocks, kThreads, kPassBytes<Shape, Offset>, stream, true}, work);
}

/// A bucket of one key has nothing to partition, and a block has room for so many keys.
Limits require_legal(Limits limits, std::size_t most) {
    if (limits.one_block > most || limits.bucket < 2 || limits.bucket > most)
        throw std::invalid_argument("limits: given " + std::to_string(limits.one_block) +
                                    " keys for one block and " + std::to_string(limits.bucket) +
                                    " for a bucket, legal is at most " + std::to_string(most) +
                                    ", for a bucket from 2 up");
    return limits;
}

}  // namespace

template <class Bits>
Limits BitsSort<Bits>::default_limits() {
    const bool is_large =
        simt::unavailable_reason().has_value() || has_large_blocks<Bits>(simt::device_properties());
    return with_shape<Bits>(is_large, []<class Shape>(Shape) -> Limits {
        return {Shape::kBlockKeys, Shape::kBlockKeys};
    });
}

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n, Limits limits) {
    require_legal(limits, LargeShape<Bits>::kBlockKeys);
    if (n <= limits.one_block) return 0;
    Work<LargeShape<Bits>, unsigned> small;  // its lists are the larger ones
    Work<LargeShape<Bits>, unsigned long long> large;
    return simt::checked_sum(
        simt::checked_product(n, sizeof(Bits)),
        is_large(n) ? lay_out(large, n, limits, nullptr) : lay_out(small, n, limits, nullptr));
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, KeyOrder order, Limits limits)
    : capacity_(n),
      order_(order),
      has_large_blocks_(has_large_blocks<Bits>(simt::device_properties())),
      limits_(require_legal(limits, most_keys_of_block<Bits>(has_large_blocks_))),
      spare_(n > limits.one_block ? n : 0),
      lists_(workspace_bytes(n, limits) - spare_.size() * sizeof(Bits)) {
    if (lists_.size() == 0) return;
    simt::fill_async(lists_.data(), 0, lists_.size());
    simt::synchronize();
    resident_ = with_shape<Bits>(has_large_blocks_, [&]<class Shape>(Shape) {
        return is_large(n) ? resident_blocks<Shape, unsigned long long>()
                           : resident_blocks<Shape, unsigned>();
    });
}

template <class Bits>
void BitsSort<Bits>::enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n == 0) return;
    const auto make_work = [&]<class Shape, class Offset>(Shape, Offset size) {
        Work<Shape, Offset> work{};
        lay_out(work, capacity_, limits_, lists_.data());
        work.in = in, work.out = out, work.spare = spare_.data();
        work.n = size;
        work.map = KeyMap<Bits>(order_);
        work.bucket = static_cast<unsigned>(limits_.bucket);
        work.passes.in = in, work.passes.out = out, work.passes.spare = spare_.data();
        work.passes.n = size;
        return work;
    };
    with_shape<Bits>(has_large_blocks_, [&]<class Shape>(Shape shape) {
        const std::size_t one_partition =
            std::min(limits_.one_partition, std::size_t{resident_.partition} * Shape::kBlockKeys);
        if (n <= limits_.one_block)
            simt::launch(sort_in_one_block<Shape>,
                         {1, kThreads, BlockMemory<Shape>::kBytes, stream}, in, out,
                         static_cast<unsigned>(n), KeyMap<Bits>(order_));
        else if (is_large(capacity_))
            launch_on_grid(make_work(shape, static_cast<unsigned long long>(n)), resident_, order_,
                           limits_, stream);
        else if (n <= one_partition)
            launch_one_partition(make_work(shape, static_cast<unsigned>(n)), resident_.partition,
                                 limits_, stream);
        else
            launch_on_grid(make_work(shape, static_cast<unsigned>(n)), resident_, order_, limits_,
                           stream);
    });
}

template class BitsSort<unsigned>;
template class BitsSort<unsigned long long>;

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<int>>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
