#include "stream_compaction/hybrid_radix.h"

#include "simt/kernel.h"
#include "stream_compaction/arrays.h"
#include "stream_compaction/block_sort.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/grid_barrier.h"
#include "stream_compaction/host_call.h"
#include "stream_compaction/onesweep_passes.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr unsigned kMaxDigitBits = 11;      ///< of a partition
constexpr unsigned kMaxHistogramBits = 14;  ///< of the first histogram
constexpr unsigned kSamples = kThreads;
constexpr unsigned kKeysInFlight = 16;  ///< of a thread that only counts

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
    unsigned char bits, digit_bits, is_in_spare, is_counted, stays;
};

/// Keys for one block to sort.
template <class Offset>
struct Bucket {
    Offset first;
    unsigned size;
    bool is_in_spare;
};

/// Zero before a launch, but for the barrier, and zero after it.
struct Progress {
    GridBarrier barrier;
    unsigned out_of_range;           ///< whether the sample missed the keys' range
    unsigned is_uneven;              ///< whether too many keys share too few digits
    unsigned long long segments[2];  ///< of two levels: their number and that of their tiles
    unsigned long long counters[2];  ///< of two levels
    unsigned buckets, next_bucket, next_tile;
    unsigned finished;
};

constexpr unsigned long long kOneSegment = 1ull << 32;  ///< in Progress::segments; below, tiles

template <class Bits, class Offset>
struct Work {
    const Bits* in;
    Bits* out;
    Bits* spare;
    Offset n;
    KeyMap<Bits> map;
    unsigned digit_bits[2];  ///< of the first two partitions, from one histogram

    unsigned tile;            ///< keys that a block partitions at a time
    bool is_split_again;      ///< whether even keys need more partitions than the histogram plans
    unsigned bucket, uneven;  ///< of Limits
    unsigned window_bits;     ///< small buckets that start in one window become one

    Progress* progress;
    Offset* histogram;  ///< 2^kMaxHistogramBits + 1
    Offset* cursors;    ///< 2^kMaxDigitBits
    Offset* counters[2];
    Segment<Bits, Offset>* segments[2];
    Bucket<Offset>* buckets;
    onesweep::Job<Bits, onesweep::NoValue, Offset> passes;  ///< for keys that are uneven

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

/// A guess from a few keys. All blocks make the same. It drops high bits that are the same in all
/// keys, also where that takes a shift of the range, as for small numbers of both signs.
template <class Bits, class Offset>
__device__ Range<Bits> guess_range(const Work<Bits, Offset>& work) {
    const auto at =
        static_cast<Offset>(static_cast<unsigned long long>(work.n) / kSamples * threadIdx.x);
    Bits least = work.map.number(work.in[at]), largest = least;
    reduce_range(least, largest);
    const unsigned by_prefix = bit_width(least ^ largest);
    const Bits margin = (largest - least) / 16;
    const Bits base = least > margin ? least - margin : 0;
    const Bits top = largest + min(margin, static_cast<Bits>(~largest));
    const unsigned by_shift = bit_width(top - base);
    if (by_shift + 1 < by_prefix) return {base, by_shift};
    return {by_prefix == 8 * sizeof(Bits) ? 0 : least >> by_prefix << by_prefix, by_prefix};
}

template <class Bits, class Offset>
__device__ void count_first_digits(const Work<Bits, Offset>& work, Range<Bits> range,
                                   unsigned digit_bits) {
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    const unsigned digits = 1u << digit_bits, shift = range.bits - digit_bits;
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) counts[i] = 0;
    __syncthreads();

    const Bits largest = range.largest();
    bool all_in_range = true;
    constexpr unsigned kChunk = kThreads * kKeysInFlight;
    const auto count = [&](Bits key) {
        const Bits x = work.map.number(key) - range.base;
        all_in_range &= x <= largest;
        atomicAdd(&counts[static_cast<unsigned>(x >> shift) & (digits - 1)], 1u);
    };
    for (Offset first = Offset{blockIdx.x} * kChunk; first < work.n;
         first += Offset{gridDim.x} * kChunk) {
        const Bits* const from = work.in + first + threadIdx.x;
        const Offset left = work.n - first;
        if (left >= kChunk) {
            Bits key[kKeysInFlight];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) key[i] = from[i * kThreads];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) count(key[i]);
        } else {
            for (unsigned i = threadIdx.x; i < left; i += kThreads) count(work.in[first + i]);
        }
    }
    if (__syncthreads_or(!all_in_range)) {
        if (threadIdx.x == 0) atomicOr(&work.progress->out_of_range, 1u);
        return;  // the counts are of no use
    }
    for (unsigned i = threadIdx.x; i < digits; i += kThreads)
        if (counts[i] != 0) atomicAdd(&work.histogram[i], Offset{counts[i]});
}

/// How many bits so many keys can be partitioned by: their counters must not take much memory.
template <class Offset>
__device__ unsigned max_digit_bits(Offset keys) {
    return max(1u, min(kMaxDigitBits, bit_width(keys / kKeysPerCounter<Offset> | 1) - 1));
}

/// By one block, from the counts of the highest bits: whether too many keys would have to be
/// counted and partitioned again. Where one partition is not meant to do, uneven keys are no worse.
template <class Bits, class Offset>
__device__ bool is_uneven(const Work<Bits, Offset>& work, Range<Bits> range, unsigned counted) {
    if (work.is_split_again) return false;
    // Of few keys, a larger share than that is too much work for one block.
    constexpr unsigned kLargestShare = 16;
    const Offset largest = min(Offset{work.bucket}, work.n / kLargestShare);
    if (range.bits - counted <= max_digit_bits(largest)) return false;  // they are counted, no more
    Offset many = 0;
    for (unsigned i = threadIdx.x; i < 1u << counted; i += kThreads)
        if (work.histogram[i] > largest) many += work.histogram[i];
    __shared__ Offset sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (many > 0) atomicAdd(&sum, many);
    __syncthreads();
    return sum > work.n / work.uneven;
}

/// Exclusive scan in place by one block, from `start` on.
template <class Offset>
__device__ void scan_in_memory(Offset* counters, unsigned size, Offset start) {
    __shared__ Offset sums[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned of_thread = (size + kThreads - 1) / kThreads;
    const unsigned first = min(threadIdx.x * of_thread, size);
    const unsigned last = min(first + of_thread, size);
    Offset own = 0;
#pragma unroll 8
    for (unsigned i = first; i < last; ++i) own += counters[i];
    Offset up_to = own;
    for (unsigned d = 1; d < kLanes; d *= 2) {
        const Offset left = __shfl_up_sync(~0u, up_to, d);
        if (lane >= d) up_to += left;
    }
    if (lane == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    Offset before = start + up_to - own;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
#pragma unroll 8
    for (unsigned i = first; i < last; ++i) {
        const Offset count = counters[i];
        counters[i] = before;
        before += count;
    }
    __syncthreads();
}

/// Calls f for `first` and then for numbers from a counter that all blocks share, plus `given`,
/// while they are below `end`. f has barriers: a block takes its next number while it works on one.
template <class F>
__device__ void take_turns(unsigned first, unsigned given, unsigned* counter, unsigned end, F f) {
    __shared__ unsigned taken[2];
    unsigned turn = 0;
    for (unsigned t = first; t < end; t = taken[turn]) {
        turn ^= 1;
        if (threadIdx.x == 0) taken[turn] = given + atomicAdd(counter, 1u);
        f(t);
    }
}

// ---- Partition --------------------------------------------------------------------------------

constexpr unsigned kCounters = 1u << kMaxDigitBits;

/// Moves `size` keys behind the cursors of their digits, and those on.
/// Keys of one digit get places one after the other, in no order: a rank in the tile is what
/// atomicAdd in shared memory returns, and one atomicAdd for each digit takes the tile's places.
/// Each digit has several counters, for the lanes to share: where all keys have the same digit,
/// they would wait for each other at one.
template <class Bits, class Offset>
__device__ __attribute__((noinline)) void partition_tile(const Bits* from, KeyMap<Bits> map,
                                                         unsigned size, unsigned shift,
                                                         unsigned digit_bits, Offset* cursors,
                                                         Bits* to) {
    Bits* const keys = simt::dynamic_shared<Bits>();
    Offset* const places = reinterpret_cast<Offset*>(keys + kBlockKeys<Bits>);
    unsigned* const counts = reinterpret_cast<unsigned*>(places + kCounters);
    constexpr unsigned kMaxSharesLog2 = 3;
    const unsigned digits = 1u << digit_bits;
    const unsigned shares_log2 = min(kMaxSharesLog2, kMaxDigitBits - digit_bits);
    const unsigned counters = max(digits << shares_log2, kCountsPerRow);
    const unsigned share = threadIdx.x & ((1u << shares_log2) - 1);
    const unsigned share_byte = share * static_cast<unsigned>(sizeof(unsigned));
    const unsigned share_bits = shares_log2 + 2;  // of a digit's counters, in bytes
    // Turned so that the digit times a counter's or a place's bytes needs no more than a mask.
    const auto digit_times = [=](Bits key, unsigned log2) {
        constexpr unsigned kBits = 8 * sizeof(Bits);
        const unsigned right = (shift - log2) % kBits, left = (log2 - shift) % kBits;
        return static_cast<unsigned>(key >> right | key << left) & (digits - 1) << log2;
    };
    const auto byte_of = [=](Bits key) { return digit_times(key, share_bits) | share_byte; };

    __syncthreads();  // whoever used the memory before is done with it
    clear(counts, counters);
    Bits key[kItems<Bits>];
    load_keys(key, from, size, map);
    __syncthreads();
    forget(size);
    Ranks<Bits> ranks;
    rank_keys(key, size, counts, counters * sizeof(unsigned), ranks, byte_of);
    __syncthreads();
    scan_counts(counts, counters);
    for (Bits& k : key) forget(k);
    forget(size);

    constexpr unsigned kDigitsOfThread = kCounters / kThreads;
    Offset place[kDigitsOfThread];
#pragma unroll
    for (unsigned i = 0; i < kDigitsOfThread; ++i) {
        const unsigned d = place_of(i);
        if (d >= digits) break;
        const unsigned first = counts[d << shares_log2];
        const unsigned count = (d + 1 < digits ? counts[(d + 1) << shares_log2] : size) - first;
        place[i] = (count > 0 ? atomicAdd(&cursors[d], Offset{count}) : Offset{0}) - first;
    }
    scatter_keys(key, size, counts, ranks, keys, byte_of);
#pragma unroll
    for (unsigned i = 0; i < kDigitsOfThread; ++i)
        if (place_of(i) < digits) places[place_of(i)] = place[i];
    __syncthreads();
    constexpr unsigned kPlaceLog2 = sizeof(Offset) == 4 ? 2 : 3;
    for_each_group<Bits>(size, [&](unsigned first, unsigned last, auto is_full) {
#pragma unroll
        for (unsigned i = first; i < last; ++i) {
            const Bits moved = keys[place_of(i)];
            const auto& place = *reinterpret_cast<const Offset*>(
                reinterpret_cast<const char*>(places) + digit_times(moved, kPlaceLog2));
            if (decltype(is_full)::value || place_of(i) < size) to[place + place_of(i)] = moved;
        }
    });
}

template <class Bits, class Offset>
constexpr std::size_t kPartitionBytes =
    kBlockKeys<Bits> * sizeof(Bits) + kCounters * sizeof(Offset) +
    (kCounters + kLanes) * sizeof(unsigned);

// ---- What becomes of a segment's digits -------------------------------------------------------

/// How many bits a segment is partitioned by next.
template <class Offset>
__device__ unsigned choose_digit_bits(Offset size, unsigned bits, unsigned bucket) {
    const auto log2 = [](Offset x) { return bit_width(x) - 1; };
    const unsigned most = max_digit_bits(size);
    if (bits <= most) return bits;
    return min(most, max(6u, min(8u, log2(size / bucket | 1) + 1)));
}

/// Where all digits of a segment start: begins[digit]; begins[digits] is its end. Digits of few
/// keys become buckets, neighbours together; the others segments of the next level.
template <class Bits, class Offset>
__device__ void hand_out_digits(const Work<Bits, Offset>& work, unsigned digits, unsigned stride,
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
            segment.is_counted = next_digit_bits > 0;
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

/// Goes through a level's tiles: every block takes its share of them, one after the other.
/// enter(segment) before a segment's first tile, tile(segment, first key, size), leave(segment).
template <class Bits, class Offset, class Enter, class Tile, class Leave>
__device__ void for_each_tile(const Work<Bits, Offset>& work, unsigned level, Enter enter,
                              Tile tile, Leave leave) {
    const Segment<Bits, Offset>* const segments = work.segments[level];
    const unsigned long long all = work.progress->segments[level];
    const auto tiles = static_cast<unsigned>(all);
    const auto share = [=](unsigned b) {
        return static_cast<unsigned>(static_cast<unsigned long long>(tiles) * b / gridDim.x);
    };
    unsigned t = share(blockIdx.x);
    const unsigned last = share(blockIdx.x + 1);
    if (t == last) return;

    auto low = 0u, high = static_cast<unsigned>(all / kOneSegment) - 1;  // the segment of tile t
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (segments[middle].first_tile <= t)
            low = middle;
        else
            high = middle - 1;
    }
    for (; t < last; ++low) {
        const Segment<Bits, Offset> segment = segments[low];
        const unsigned tiles_end = segment.first_tile + work.tiles_of(segment.size);
        enter(segment);
        for (; t < min(last, tiles_end); ++t) {
            const Offset first = Offset{t - segment.first_tile} * work.tile;
            tile(segment, segment.first + first,
                 static_cast<unsigned>(min(segment.size - first, Offset{work.tile})));
        }
        leave(segment);
    }
}

template <class Bits, class Offset>
__device__ void count_segments(const Work<Bits, Offset>& work, unsigned level) {
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    using Part = Segment<Bits, Offset>;
    for_each_tile(
        work, level,
        [&](const Part& segment) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < 1u << segment.digit_bits; i += kThreads)
                counts[i] = 0;
            __syncthreads();
        },
        [&](const Part& segment, Offset first, unsigned size) {
            const Bits* const keys = (segment.is_in_spare ? work.spare : work.out) + first;
            const unsigned shift = segment.bits - segment.digit_bits;
            const unsigned mask = (1u << segment.digit_bits) - 1;
            Bits key[kItems<Bits>];
            load_keys(key, keys, size, {});
#pragma unroll
            for (unsigned i = 0; i < kItems<Bits>; ++i)
                if (place_of(i) < size)
                    atomicAdd(&counts[static_cast<unsigned>(key[i] >> shift) & mask], 1u);
        },
        [&](const Part& segment) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < 1u << segment.digit_bits; i += kThreads)
                if (counts[i] != 0) atomicAdd(&segment.counters[i], Offset{counts[i]});
        });
}

/// Turns a level's counts into places, and hands the digits out to the next level.
template <class Bits, class Offset>
__device__ void plan_segments(const Work<Bits, Offset>& work, unsigned level) {
    const auto segments = static_cast<unsigned>(work.progress->segments[level] / kOneSegment);
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        Segment<Bits, Offset>& segment = work.segments[level][s];
        const unsigned digits = 1u << segment.digit_bits;
        bool all_in_one = false;
        for (unsigned i = threadIdx.x; i < digits; i += kThreads)
            all_in_one |= segment.counters[i] == segment.size;
        all_in_one = __syncthreads_or(all_in_one);
        scan_in_memory(segment.counters, digits, segment.first);
        if (segment.bits == segment.digit_bits) continue;  // the counts say it all
        if (threadIdx.x == 0) segment.stays = all_in_one;
        hand_out_digits(work, digits, 1, segment.counters, segment.first + segment.size,
                        segment.prefix, segment.bits - segment.digit_bits, 0,
                        all_in_one ? segment.is_in_spare : !segment.is_in_spare, 1 - level);
    }
}

// ---- Counting sort: keys of which all bits were counted ---------------------------------------

/// Writes a tile of sorted keys: key d, plus `base`, from begins[d] on.
template <class Bits, class Offset>
__device__ void fill_tile(const Work<Bits, Offset>& work, const Offset* begins, unsigned digits,
                          Bits base, Offset first, unsigned size) {
    // The last digit of [low, high] that starts at or before a place.
    const auto digit_at = [=](Offset place, unsigned low, unsigned high) {
        while (low < high) {
            const unsigned middle = (low + high + 1) / 2;
            if (begins[middle] <= place)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    };
    const unsigned last_digit = digit_at(first + size - 1, 0, digits - 1);
    unsigned digit = digit_at(first, 0, last_digit);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < size; i += kThreads) {
        digit = digit_at(first + i, digit, last_digit);
        work.out[first + i] = work.map.key(base + digit);
    }
}

template <class Offset>
__device__ void stage(const Offset* from, Offset* to, unsigned size) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += kThreads) to[i] = from[i];
    __syncthreads();
}

template <class Bits, class Offset>
__device__ void move_segments(const Work<Bits, Offset>& work, unsigned level, Bits base) {
    using Part = Segment<Bits, Offset>;
    Offset* const begins = simt::dynamic_shared<Offset>();
    for_each_tile(
        work, level,
        [&](const Part& segment) {
            if (segment.bits == segment.digit_bits)
                stage(segment.counters, begins, 1u << segment.digit_bits);
        },
        [&](const Part& segment, Offset first, unsigned size) {
            if (segment.bits == segment.digit_bits) {
                fill_tile(work, begins, 1u << segment.digit_bits,
                          static_cast<Bits>(base + segment.prefix), first, size);
            } else if (!segment.stays) {
                const Bits* const from = (segment.is_in_spare ? work.spare : work.out) + first;
                partition_tile<Bits>(from, {}, size, segment.bits - segment.digit_bits,
                                     segment.digit_bits, segment.counters,
                                     segment.is_in_spare ? work.out : work.spare);
            }
        },
        [](const Part&) {});
}

// ---- The kernels ------------------------------------------------------------------------------

template <class Bits, class Offset>
__device__ void sort_buckets(const Work<Bits, Offset>& work, KeyMap<Bits> map) {
    take_turns(blockIdx.x, gridDim.x, &work.progress->next_bucket, work.progress->buckets,
               [&](unsigned b) {
                   const Bucket<Offset> bucket = work.buckets[b];
                   const Bits* const from = bucket.is_in_spare ? work.spare : work.out;
                   sort_block<Bits>(from + bucket.first, {}, bucket.size, work.out + bucket.first,
                                    map);
               });
}

/// A function of its own, since it needs all registers.
template <class Bits, class Offset>
__device__ __attribute__((noinline)) void sort_uneven_keys(const Work<Bits, Offset>& work,
                                                           KeyMap<Bits> map) {
    onesweep::sort_by_passes(work.passes, map, work.progress->barrier);
}

/// The last block to come here leaves everything as the next launch must find it.
template <class Bits, class Offset>
__device__ void finish(const Work<Bits, Offset>& work, unsigned digits) {
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
    progress.out_of_range = progress.is_uneven = 0;
    progress.segments[0] = progress.segments[1] = 0;
    progress.counters[0] = progress.counters[1] = 0;
    progress.buckets = progress.next_bucket = progress.next_tile = 0;
    progress.finished = 0;
}

template <class Bits, class Offset>
__global__ void __launch_bounds__(kThreads, 2)
    sort_on_grid(const __grid_constant__ Work<Bits, Offset> work) {
    Progress& progress = *work.progress;

    // How many digits there are, and where each of them starts.
    Range<Bits> range = guess_range(work);
    unsigned first_bits, both_bits;
    for (;;) {
        const unsigned countable = min(kMaxHistogramBits - (sizeof(Offset) > sizeof(unsigned)),
                                       bit_width(work.n / kKeysPerCounter<Offset>));
        first_bits = min(work.digit_bits[0], range.bits);
        both_bits = min(work.digit_bits[0] + work.digit_bits[1], range.bits);
        if (range.bits <= countable) first_bits = both_bits = range.bits;
        count_first_digits(work, range, both_bits);
        progress.barrier.wait([&] {
            if (progress.out_of_range != 0 && range.bits < 8 * sizeof(Bits)) {
                for (unsigned i = threadIdx.x; i < 1u << both_bits; i += kThreads)
                    work.histogram[i] = 0;
                return;
            }
            const bool uneven = is_uneven(work, range, both_bits);
            if (threadIdx.x == 0) progress.is_uneven = uneven;
            scan_in_memory(work.histogram, 1u << both_bits, Offset{0});
            for (unsigned i = threadIdx.x; i < 1u << first_bits && first_bits <= kMaxDigitBits;
                 i += kThreads)
                work.cursors[i] = work.histogram[i << (both_bits - first_bits)];
        });
        if (progress.out_of_range == 0 || range.bits == 8 * sizeof(Bits)) break;
        range = {0, 8 * sizeof(Bits)};
    }
    const unsigned digits = 1u << both_bits;

    if (range.bits == both_bits) {  // a counting sort
        Offset* const begins = simt::dynamic_shared<Offset>();
        stage(work.histogram, begins, digits);
        for (Offset first = Offset{blockIdx.x} * kBlockKeys<Bits>; first < work.n;
             first += Offset{gridDim.x} * kBlockKeys<Bits>)
            fill_tile(work, begins, digits, range.base, first,
                      static_cast<unsigned>(min(work.n - first, Offset{kBlockKeys<Bits>})));
        finish(work, digits);
        return;
    }

    KeyMap<Bits> map = work.map;
    map.base = range.base;

    if (progress.is_uneven != 0) {
        sort_uneven_keys(work, map);
        finish(work, digits);
        return;
    }

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
    if (blockIdx.x < movers)
        take_turns(blockIdx.x, movers, &progress.next_tile, work.tiles_of(work.n), [&](unsigned t) {
            const Offset first = Offset{t} * work.tile;
            partition_tile<Bits>(work.in + first, map,
                                 static_cast<unsigned>(min(work.n - first, Offset{work.tile})),
                                 range.bits - first_bits, first_bits, work.cursors, work.spare);
        });
    progress.barrier.wait();

    // What does not fit into a block is partitioned again.
    bool is_planned = second_bits > 0;
    for (unsigned level = 0; progress.segments[level] != 0; level = 1 - level) {
        if (!is_planned) {
            count_segments(work, level);
            progress.barrier.wait();
            plan_segments(work, level);
            progress.barrier.wait();
        }
        is_planned = false;
        move_segments(work, level, range.base);
        progress.barrier.wait([&] {
            if (threadIdx.x == 0) progress.segments[level] = progress.counters[level] = 0;
        });
    }

    sort_buckets(work, map);
    finish(work, digits);
}

template <class Bits, class Offset>
__global__ void __launch_bounds__(kThreads, 2)
    sort_in_one_block(const __grid_constant__ Work<Bits, Offset> work) {
    sort_block<Bits>(work.in, work.map, work.n, work.out, work.map);
}

template <class Bits, class Offset>
constexpr std::size_t kGridBytes = std::max(
    {BlockMemory<Bits>::kBytes, kPartitionBytes<Bits, Offset>,
     (std::size_t{1} << kMaxHistogramBits) * sizeof(unsigned),
     onesweep::TileMemory<Bits, onesweep::NoValue, Offset>::kBytes, onesweep::kCountBytes<Bits>});

// ---- On the host ------------------------------------------------------------------------------

unsigned window_bits(std::size_t n, std::size_t bucket) {
    constexpr std::size_t kLeast = 512, kBuckets = 512;
    const std::size_t keys = std::min(bucket / 2, std::max(kLeast, n / kBuckets));
    return std::bit_width(keys) - 1;
}

/// Lists for n keys. The first is Progress.
template <class Bits, class Offset>
std::size_t lay_out(Work<Bits, Offset>& work, std::size_t n, Limits limits, std::byte* memory) {
    Arrays arrays(memory);
    work.window_bits = window_bits(n, limits.bucket);
    const std::size_t segments = n / limits.bucket + 1;
    work.progress = arrays.take<Progress>(1);
    work.histogram = arrays.take<Offset>((std::size_t{1} << kMaxHistogramBits) + 1);
    work.cursors = arrays.take<Offset>(std::size_t{1} << kMaxDigitBits);
    work.passes.shared.histograms = arrays.take<Offset>(onesweep::kHistogramSize<Bits>);
    Arrays instead = arrays;  // passes need no lists
    onesweep::lay_out<Bits>(work.passes.shared, n, instead);
    for (int level = 0; level < 2; ++level) {
        work.counters[level] = arrays.take<Offset>(n / kKeysPerCounter<Offset> + 4 * segments);
        work.segments[level] = arrays.take<Segment<Bits, Offset>>(segments);
    }
    // A window or a larger bucket to each 2^window_bits keys, and rests: two to each segment of
    // each level, which takes at least a bit.
    constexpr std::size_t kLevels = 8;
    work.buckets =
        arrays.take<Bucket<Offset>>(2 * (n >> work.window_bits) + kLevels * segments + 64);
    return std::max(arrays.bytes(), instead.bytes());
}

/// Whether positions, and tiles that end behind the last key, need 64 bits.
bool is_large(std::size_t n) { return n > std::size_t{1} << 31; }

}  // namespace

template <class Bits>
Limits BitsSort<Bits>::default_limits() {
    return {kBlockKeys<Bits>, kBlockKeys<Bits>};
}

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n, Limits limits) {
    if (n <= limits.one_block) return 0;
    Work<Bits, unsigned> small;
    Work<Bits, unsigned long long> large;
    return n * sizeof(Bits) +
           (is_large(n) ? lay_out(large, n, limits, nullptr) : lay_out(small, n, limits, nullptr));
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, KeyOrder order, Limits limits)
    : capacity_(n),
      order_(order),
      limits_(limits),
      blocks_(0),
      spare_(n > limits.one_block ? n : 0),
      lists_(workspace_bytes(n, limits) - spare_.size() * sizeof(Bits)) {
    if (lists_.size() == 0) return;
    simt::fill_async(lists_.data(), 0, lists_.size());
    simt::synchronize();
    blocks_ = is_large(n) ? simt::resident_blocks(sort_on_grid<Bits, unsigned long long>, kThreads,
                                                  kGridBytes<Bits, unsigned long long>)
                          : simt::resident_blocks(sort_on_grid<Bits, unsigned>, kThreads,
                                                  kGridBytes<Bits, unsigned>);
}

template <class Bits>
void BitsSort<Bits>::enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n == 0) return;
    const auto run = [&]<class Offset>(Offset size) {
        Work<Bits, Offset> work{};
        work.in = in, work.out = out, work.n = size;
        work.map = KeyMap<Bits>(order_);
        if (n <= limits_.one_block) {
            simt::launch(sort_in_one_block<Bits, Offset>,
                         {1, kThreads, BlockMemory<Bits>::kBytes, stream}, work);
            return;
        }
        lay_out(work, capacity_, limits_, lists_.data());
        work.window_bits = window_bits(n, limits_.bucket);
        work.spare = spare_.data();
        work.bucket = static_cast<unsigned>(limits_.bucket);
        // Exponents always look uneven, and are partitioned quickly.
        work.uneven = order_.is_floating ? 1 : limits_.uneven;

        // So many bits that buckets are two thirds full where keys are evenly spread.
        const unsigned bits = std::max<unsigned>(8, std::bit_width(n * 3 / 2 / limits_.bucket));
        if (bits <= kMaxDigitBits)
            work.digit_bits[0] = bits;
        else if (bits <= kMaxHistogramBits)
            work.digit_bits[0] = bits / 2, work.digit_bits[1] = bits - bits / 2;
        else
            work.digit_bits[0] = 8;
        work.is_split_again = bits > kMaxHistogramBits;

        // Few keys are not worth a block's start; so many blocks are, where there are few keys.
        constexpr std::size_t kKeysOfBlock = 2048, kFewKeysOfBlock = 512, kBlocks = 128;
        const std::size_t wanted =
            std::max(ceil_div(n, kKeysOfBlock), std::min(kBlocks, ceil_div(n, kFewKeysOfBlock)));
        const auto blocks = static_cast<unsigned>(std::min<std::size_t>(blocks_, wanted));
        const std::size_t share =
            ceil_div(ceil_div(n, std::max(blocks - 1, 1u)), kThreads) * kThreads;
        work.tile = static_cast<unsigned>(std::min<std::size_t>(share, kBlockKeys<Bits>));
        work.passes.in = in, work.passes.out = out, work.passes.spare = spare_.data();
        work.passes.n = size;
        work.passes.choose_tiles(blocks);
        simt::launch(sort_on_grid<Bits, Offset>,
                     {blocks, kThreads, kGridBytes<Bits, Offset>, stream, true}, work);
    };
    if (is_large(capacity_))
        run(static_cast<unsigned long long>(n));
    else
        run(static_cast<unsigned>(n));
}

template class BitsSort<unsigned>;
template class BitsSort<unsigned long long>;

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<int>>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
