// Sorts what fits into one block's shared memory: keys of any distribution, of 32 or 64 bits.
//
// Ranks with the return value of atomicAdd: equal keys cannot be told apart, so no order among them
// has to be kept. A bucket for about each key brings every key near its place; odd-even networks do
// the rest. In fuller buckets, and of few keys, each key counts the smaller ones in its bucket.
// Where too many keys meet in one bucket, merge sort takes over: it does not look at the keys.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/parts/key_map.h"
#include "stream_compaction/parts/warp.h"

#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kThreads = 512;
constexpr unsigned kWarps = kThreads / kLanes;

/// What a block takes of a multiprocessor, of which two are to fit into one.
/// @tparam kItemsOfThread  keys in its registers. Odd, so that threads which each read a run of so
///                         many meet no bank conflict
/// @tparam kBucketBits     2^these counters at most, for the buckets of a block's keys
/// @tparam kCountedBits    2^these words at most, where digits are counted and nothing else is done
/// @tparam PassShape       of the passes by the lowest digits first
template <class Number, unsigned kItemsOfThread, unsigned kBucketBits, unsigned kCountedBits,
          class PassShape>
struct Shape {
    using Bits = Number;
    using Passes = PassShape;
    static constexpr unsigned kItems = kItemsOfThread, kBlockKeys = kThreads * kItems;
    static constexpr unsigned kMaxBucketBits = kBucketBits;
    static constexpr unsigned kMaxCountedBits = kCountedBits;
};

constexpr unsigned kCountsPerRow = 4 * kLanes;  ///< a warp scans as many at once
constexpr unsigned kMinBucketBits = 9;
/// Keys count the smaller ones in buckets that are as full as that at most, and on average.
constexpr unsigned kMaxRankedBucket = 256, kMaxRankedMean = 40;
/// So do few keys, in buckets that are as full as that at most: runs would leave threads idle.
constexpr unsigned kMaxBucketOfFew = 16;
constexpr unsigned kGroup = 8;  ///< keys of a thread whose atomics are under way together

/// Where a block's keys and counts are in its shared memory.
template <class Shape>
struct BlockMemory {
    using Bits = typename Shape::Bits;
    Bits* keys;        ///< kBlockKeys, and two runs more
    unsigned* counts;  ///< 2^kMaxBucketBits, and one more for each lane

    __device__ BlockMemory()
        : keys(simt::dynamic_shared<Bits>()),
          counts(reinterpret_cast<unsigned*>(keys + Shape::kBlockKeys + kPadding)) {}

    static constexpr unsigned kPadding = 64;
    static constexpr std::size_t kBytes =
        (Shape::kBlockKeys + kPadding) * sizeof(Bits) +
        ((std::size_t{1} << Shape::kMaxBucketBits) + kLanes) * sizeof(unsigned);
};

__device__ inline unsigned bit_width(unsigned x) { return 32 - __clz(static_cast<int>(x)); }
__device__ inline unsigned bit_width(unsigned long long x) {
    return 64 - __clzll(static_cast<long long>(x));
}

/// The least and the largest of all threads' values, in every thread.
template <class T>
__device__ void reduce_range(T& least, T& largest) {
    __shared__ T leasts[kWarps], largests[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    least = min_of_lanes(least), largest = max_of_lanes(largest);
    if (lane == 0) leasts[warp] = least, largests[warp] = largest;
    __syncthreads();
    least = min_of_lanes(leasts[lane % kWarps]);
    largest = max_of_lanes(largests[lane % kWarps]);
}

/// What scan_counts saw, if it was to look: the largest count, and the sum of the counts' squares.
struct Fullness {
    unsigned largest, squares;
};

/// Exclusive scan in place; the same answer in every thread. `size` is a multiple of a row.
template <bool kLooks = true>
__device__ inline Fullness scan_counts(unsigned* counts, unsigned size) {
    __shared__ unsigned sums[kWarps], largests[kWarps], all_squares[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned rows = size / kCountsPerRow, rows_of_warp = (rows + kWarps - 1) / kWarps;
    const unsigned first = min(warp * rows_of_warp, rows), last = min(first + rows_of_warp, rows);
    uint4* const mine = reinterpret_cast<uint4*>(counts) + lane;

    unsigned sum = 0, largest = 0, squares = 0;
#pragma unroll 1
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        largest = max(max(max(largest, c.x), max(c.y, c.z)), c.w);
        squares += c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w;
        const unsigned own = c.x + c.y + c.z + c.w;
        const unsigned up_to = sum_up_to_lane(own);
        const unsigned x = sum + up_to - own, y = x + c.x, z = y + c.y;
        mine[row * kLanes] = make_uint4(x, y, z, z + c.z);
        sum += __shfl_sync(~0u, up_to, kLanes - 1);
    }
    if (lane == 0) sums[warp] = sum;
    if constexpr (kLooks) {
        largest = max_of_lanes(largest);
        squares = sum_of_lanes(squares);
        if (lane == 0) largests[warp] = largest, all_squares[warp] = squares;
    }
    __syncthreads();
    const unsigned before = sum_of_lanes(lane < warp ? sums[lane] : 0u);
#pragma unroll 1
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        mine[row * kLanes] = make_uint4(before + c.x, before + c.y, before + c.z, before + c.w);
    }
    if constexpr (kLooks) {
        largest = max_of_lanes(largests[lane % kWarps]);
        squares = sum_of_lanes(lane < kWarps ? all_squares[lane] : 0u);
    }
    __syncthreads();
    return {largest, squares};
}

/// Zeroes `size` words, a multiple of four.
__device__ inline void clear(unsigned* words, unsigned size) {
    for (unsigned i = threadIdx.x; i < size / 4; i += kThreads)
        reinterpret_cast<uint4*>(words)[i] = make_uint4(0, 0, 0, 0);
}

/// A rank below 2^16 for each of a thread's keys, two to a word.
template <unsigned kItems>
class Ranks {
  public:
    __device__ void set(unsigned i, unsigned rank) {
        words_[i / 2] = i % 2 == 0 ? rank : words_[i / 2] | rank << 16;
    }
    __device__ unsigned get(unsigned i) const {
        return i % 2 == 0 ? words_[i / 2] & 0xffffu : words_[i / 2] >> 16;
    }

  private:
    unsigned words_[(kItems + 1) / 2] = {};
};

/// The place of a thread's i-th key among a block's: neighbours are in neighbouring threads.
__device__ inline unsigned place_of(unsigned i) { return i * kThreads + threadIdx.x; }

/// Loads a thread's keys of from[0, count); in place of a key that it has not, any other. So the
/// loads do not branch, and all of them are under way before the first is used.
template <class Bits, unsigned kItems>
__device__ void load_keys(Bits (&key)[kItems], const Bits* from, unsigned count,
                          const KeyMap<Bits>& map) {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) key[i] = from[min(place_of(i), count - 1)];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) key[i] = map.number(key[i]);
}

/// Makes the compiler compute anew what it knows from a word: kept from one step to the next, all
/// keys' buckets would need more registers than there are.
template <class T>
__device__ void forget([[maybe_unused]] T& word) {
#if !defined(SIMT_EMULATED)
    if constexpr (sizeof(T) == 4)
        asm volatile("" : "+r"(word));
    else
        asm volatile("" : "+l"(word));
#endif
}

/// Calls f for each group of a thread's keys, with the group's first and whether all threads have
/// all of its keys: then nothing has to be asked for each of them.
template <unsigned kItems, class F>
__device__ void for_each_group(unsigned count, F f) {
#pragma unroll
    for (unsigned first = 0; first < kItems; first += kGroup) {
        const unsigned last = min(first + kGroup, kItems);
        if (last * kThreads <= count)
            f(first, last, std::true_type());
        else if (first * kThreads < count)
            f(first, last, std::false_type());
    }
}

/// The counter so many bytes from the first.
__device__ inline unsigned& at(unsigned* counts, unsigned byte) {
    return *reinterpret_cast<unsigned*>(reinterpret_cast<char*>(counts) + byte);
}

/// Counts keys by their counters: a rank is how many came before. Lanes without a key have counters
/// of their own, `unused` bytes from the first: so nothing branches, and atomics overlap.
template <class Bits, unsigned kItems, class ByteOf>
__device__ void rank_keys(const Bits (&key)[kItems], unsigned count, unsigned* counts,
                          unsigned unused, Ranks<kItems>& ranks, ByteOf byte_of) {
    unused += threadIdx.x % kLanes * sizeof(unsigned);
    for_each_group<kItems>(count, [&](unsigned first, unsigned last, auto is_full) {
        unsigned rank[kGroup];
#pragma unroll
        for (unsigned i = first; i < last; ++i) {
            const bool has_key = decltype(is_full)::value || place_of(i) < count;
            rank[i - first] = atomicAdd(&at(counts, has_key ? byte_of(key[i]) : unused), 1u);
        }
#pragma unroll
        for (unsigned i = first; i < last; ++i) ranks.set(i, rank[i - first]);
    });
}

/// Puts keys where their counters' places begin, plus their ranks.
template <class Bits, unsigned kItems, class ByteOf>
__device__ void scatter_keys(const Bits (&key)[kItems], unsigned count, unsigned* begins,
                             const Ranks<kItems>& ranks, Bits* keys, ByteOf byte_of) {
    for_each_group<kItems>(count, [&](unsigned first, unsigned last, auto is_full) {
        unsigned place[kGroup];
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            place[i - first] = at(begins, byte_of(key[i])) + ranks.get(i);
#pragma unroll
        for (unsigned i = first; i < last; ++i)
            if (decltype(is_full)::value || place_of(i) < count) keys[place[i - first]] = key[i];
    });
}

/// So many rounds, made even, of odd-even transposition: it sorts what is that close to its place.
/// Fewer, where the warp's keys are sorted before.
template <unsigned kKeys, class Bits>
__device__ void transpose_neighbours(Bits (&key)[kKeys], unsigned rounds) {
    constexpr unsigned kSeldomEnough = 2;  // rounds, to sort a warp's keys
    const auto order = [&](unsigned i) {
        const Bits a = key[i], b = key[i + 1];
        key[i] = min(a, b), key[i + 1] = max(a, b);
    };
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round += 2) {
        if (round >= kSeldomEnough) {
            bool is_sorted = true;
#pragma unroll
            for (unsigned i = 0; i + 1 < kKeys; ++i) is_sorted &= key[i] <= key[i + 1];
            if (__all_sync(~0u, is_sorted)) return;
        }
#pragma unroll
        for (unsigned i = 0; i + 1 < kKeys; i += 2) order(i);
#pragma unroll
        for (unsigned i = 1; i + 1 < kKeys; i += 2) order(i);
    }
}

/// Sorts the keys around the start of the thread's second run, of which none is more than
/// `distance` from its place.
template <unsigned kKeys, unsigned kRun, class Bits>
__device__ void sort_seam(Bits* keys, unsigned count, unsigned distance) {
    const unsigned start = (threadIdx.x + 1) * kRun - kKeys / 2;
    const bool works = start < count;
    if (!__any_sync(~0u, works)) return;
    Bits key[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) key[i] = works ? keys[start + i] : Bits{0};
    transpose_neighbours(key, distance);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i)
        if (works) keys[start + i] = key[i];
}

/// Merges runs of `width` keys, a multiple of a thread's, by twos: the first run of all starts at
/// `start`. `key` is what the thread has of its run. Every thread makes an equal part (merge path).
template <class Bits, unsigned kItems>
__device__ void merge_runs(Bits* keys, Bits (&key)[kItems], unsigned count, unsigned start,
                           unsigned width) {
    constexpr Bits kLast = ~Bits{0};
    constexpr unsigned kBlockKeys = kThreads * kItems;
    const unsigned own = threadIdx.x * kItems;
    const unsigned a_start = own < start ? 0 : start + (own - start) / (2 * width) * (2 * width);
    const bool works = own >= start && a_start < count;  // else it is left alone, or padding
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) keys[own + i] = key[i];
    __syncthreads();
    if (!works) return;
    const unsigned b_start = min(a_start + width, kBlockKeys);
    const unsigned b_end = min(b_start + width, kBlockKeys);
    const unsigned place = own - a_start;
    unsigned low = place > b_end - b_start ? place - (b_end - b_start) : 0;
    unsigned high = min(place, b_start - a_start);
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (keys[a_start + middle] <= keys[b_start + place - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    unsigned a = a_start + low, b = b_start + place - low;
    Bits from_a = a < b_start ? keys[a] : kLast, from_b = b < b_end ? keys[b] : kLast;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        const bool takes_a = b >= b_end || (a < b_start && from_a <= from_b);
        key[i] = takes_a ? from_a : from_b;
        if (takes_a)
            from_a = ++a < b_start ? keys[a] : kLast;
        else
            from_b = ++b < b_end ? keys[b] : kLast;
    }
}

/// Sorts keys[0, count), of which none is `distance` or more from its place. Behind them there is
/// room for two runs. Each thread sorts a run in registers, and then, where keys are close to their
/// places, another one across the ends of the first. Else runs are merged until they are twice as
/// long as the distance, and what is across their ends last.
template <unsigned kRun, class Bits>
__device__ void sort_neighbours(Bits* keys, unsigned count, unsigned distance) {
    constexpr unsigned kHalf = kRun / 2;
    const unsigned own = threadIdx.x * kRun;
    if (threadIdx.x < 2 * kRun) keys[count + threadIdx.x] = ~Bits{0};
    __syncthreads();

    Bits key[kRun];
#pragma unroll
    for (unsigned i = 0; i < kRun; ++i) key[i] = own < count ? keys[own + i] : ~Bits{0};
    transpose_neighbours(key, min(distance, kRun));
    if (distance <= kHalf) {
#pragma unroll
        for (unsigned i = 0; i < kRun; ++i)
            if (own < count) keys[own + i] = key[i];
        __syncthreads();
        if (distance <= (kHalf + 3) / 2)
            sort_seam<kHalf + 3, kRun>(keys, count, distance);
        else
            sort_seam<2 * kHalf, kRun>(keys, count, distance);
    } else {
        unsigned width = kRun;
        for (; width < 2 * distance && width < count; width *= 2)
            merge_runs(keys, key, count, 0, width);
        if (width < count) merge_runs(keys, key, count, width / 2, width / 2);
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < kRun; ++i) keys[own + i] = key[i];
    }
    __syncthreads();
}

/// Where a block's sorted numbers go, and what makes keys of them.
template <class Bits>
struct Destination {
    Bits* to;
    KeyMap<Bits> map;

    __device__ void store(unsigned i, Bits number) const { to[i] = map.key(number); }
};

/// In shared memory, so that what is needed last takes no registers before. There are two, for
/// whoever sets one while threads may still need the other.
template <class Bits>
__device__ Destination<Bits>& destination(unsigned turn) {
    __shared__ Destination<Bits> destinations[2];
    return destinations[turn];
}

/// Sorts the block's `count` keys.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_loaded(Bits (&key)[Shape::kItems], unsigned count, unsigned turn) {
    constexpr unsigned kItems = Shape::kItems;
    const BlockMemory<Shape> memory;
    Bits* const keys = memory.keys;
    unsigned* const counts = memory.counts;
    const unsigned bucket_bits =
        max(kMinBucketBits, min(Shape::kMaxBucketBits, bit_width(count - 1)));

    Bits least = ~Bits{0}, largest = 0;
    clear(counts, 1u << bucket_bits);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i)
        least = min(least, key[i]), largest = max(largest, key[i]);
    reduce_range(least, largest);
    if (least == largest) {
        const Destination<Bits> d = destination<Bits>(turn);
        for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, least);
        return;
    }
    const unsigned width = bit_width(largest - least);
    const unsigned shift = width > bucket_bits ? width - bucket_bits : 0;
    forget(count);
    const auto byte_of = [=](Bits k) {
        return static_cast<unsigned>((k - least) >> shift) *
               static_cast<unsigned>(sizeof(unsigned));
    };

    Ranks<kItems> ranks;
    rank_keys(key, count, counts, sizeof(unsigned) << bucket_bits, ranks, byte_of);
    __syncthreads();
    const Fullness fullness = scan_counts(counts, 1u << bucket_bits);
    for (Bits& k : key) forget(k);
    forget(count);
    scatter_keys(key, count, counts, ranks, keys, byte_of);
    if (threadIdx.x == 0) counts[1u << bucket_bits] = count;
    __syncthreads();

    constexpr unsigned kAtOnce = 4;
    const bool are_few = count <= kAtOnce * kThreads && fullness.largest <= kMaxBucketOfFew;
    const bool are_ranked = fullness.largest > kItems / 2 && fullness.largest <= kMaxRankedBucket &&
                            fullness.squares <= kMaxRankedMean * count;
    if (shift > 0 && fullness.largest > 1 && (are_few || are_ranked)) {
        // Buckets too full for the networks, or few keys: each key counts the smaller ones.
        const Destination<Bits> d = destination<Bits>(turn);
        for (unsigned start = threadIdx.x; start < count; start += kAtOnce * kThreads) {
            Bits own[kAtOnce];
            unsigned begin[kAtOnce], end[kAtOnce];
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                own[k] = keys[min(start + k * kThreads, count - 1)];
                begin[k] = at(counts, byte_of(own[k]));
                end[k] = at(counts, byte_of(own[k]) + sizeof(unsigned));
            }
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                const unsigned i = start + k * kThreads;
                if (i >= count) break;
                unsigned place = begin[k];
                for (unsigned other = begin[k]; other < end[k]; ++other)
                    place += keys[other] < own[k] || (keys[other] == own[k] && other < i);
                d.store(place, own[k]);
            }
        }
        return;
    }
    if (shift > 0 && fullness.largest > 1) sort_neighbours<kItems>(keys, count, fullness.largest);
    const Destination<Bits> d = destination<Bits>(turn);
    for (unsigned i = threadIdx.x; i < count; i += kThreads) d.store(i, keys[i]);
}

/// Sorts from[0, count), at least one key, into destination(turn), which may be the same place.
/// `entering` makes numbers of what is read.
template <class Shape, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void sort_block(const Bits* from, KeyMap<Bits> entering,
                                                     unsigned count, unsigned turn) {
    Bits key[Shape::kItems];
    load_keys(key, from, count, entering);
    __syncthreads();  // whoever used the memory before is done with it
    sort_loaded<Shape>(key, count, turn);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
