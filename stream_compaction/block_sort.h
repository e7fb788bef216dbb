// Sorts what fits into one block's shared memory: keys of any distribution, of 32 or 64 bits.
//
// Ranks with the return value of atomicAdd: equal keys cannot be told apart, so no order among them
// has to be kept. A bucket for about each key, then each key counts the smaller ones in its bucket.
// Where too many keys meet in one bucket, merge sort takes over: it does not look at the keys.
#pragma once

#include "simt/kernel.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kThreads = 512;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;

/// Keys of one thread. Odd, so that threads which each read a run of so many meet no bank conflict.
template <class Bits>
constexpr unsigned kItems = sizeof(Bits) == 4 ? 23 : 11;

template <class Bits>
constexpr unsigned kBlockKeys = kThreads * kItems<Bits>;

constexpr unsigned kCountsPerRow = 4 * kLanes;  ///< a warp scans as many at once
constexpr unsigned kMinBucketBits = 9, kMaxBucketBits = 13;
constexpr unsigned kMaxRankedBucket = 256, kMaxRankedMean = 40;  ///< beyond, merging is faster
constexpr unsigned kGroup = 8;  ///< keys of a thread whose atomics are under way together

/// Where a block's keys and counts are in its shared memory.
template <class Bits>
struct BlockMemory {
    Bits* keys;        ///< kBlockKeys
    unsigned* counts;  ///< 2^kMaxBucketBits, and one more for each lane

    __device__ BlockMemory()
        : keys(simt::dynamic_shared<Bits>()),
          counts(reinterpret_cast<unsigned*>(keys + kBlockKeys<Bits>)) {}

    static constexpr std::size_t kBytes =
        kBlockKeys<Bits> * sizeof(Bits) + ((std::size_t{1} << kMaxBucketBits) + kLanes) * sizeof(unsigned);
};

__device__ inline unsigned bit_width(unsigned x) { return 32 - __clz(static_cast<int>(x)); }
__device__ inline unsigned bit_width(unsigned long long x) {
    return 64 - __clzll(static_cast<long long>(x));
}

template <class T>
__device__ T warp_min(T x) {
    if constexpr (sizeof(T) == 4) {
        return __reduce_min_sync(~0u, x);
    } else {
        for (unsigned d = kLanes / 2; d > 0; d /= 2) x = min(x, __shfl_xor_sync(~0u, x, d));
        return x;
    }
}
template <class T>
__device__ T warp_max(T x) {
    return static_cast<T>(~warp_min(static_cast<T>(~x)));
}

/// The least and the largest of all threads' values, in every thread.
template <class T>
__device__ void reduce_range(T& least, T& largest) {
    __shared__ T leasts[kWarps], largests[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    least = warp_min(least), largest = warp_max(largest);
    if (lane == 0) leasts[warp] = least, largests[warp] = largest;
    __syncthreads();
    least = warp_min(leasts[lane % kWarps]);
    largest = warp_max(largests[lane % kWarps]);
}

/// What scan_counts saw: of `squares`, the sum of the counts' squares, overflow is none of its cares:
/// it is bounded by the square of a block's keys.
struct Fullness {
    unsigned largest, squares;
};

/// Exclusive scan in place; the same answer in every thread. `size` is a multiple of a row.
__device__ inline Fullness scan_counts(unsigned* counts, unsigned size) {
    __shared__ unsigned sums[kWarps], largests[kWarps], all_squares[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned rows = size / kCountsPerRow, rows_of_warp = (rows + kWarps - 1) / kWarps;
    const unsigned first = min(warp * rows_of_warp, rows), last = min(first + rows_of_warp, rows);
    uint4* const mine = reinterpret_cast<uint4*>(counts) + lane;

    unsigned sum = 0;
    Fullness fullness{};
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        fullness.largest = max(max(max(fullness.largest, c.x), max(c.y, c.z)), c.w);
        fullness.squares += c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w;
        const unsigned own = c.x + c.y + c.z + c.w;
        unsigned up_to = own;
        for (unsigned d = 1; d < kLanes; d *= 2) {
            const unsigned left = __shfl_up_sync(~0u, up_to, d);
            if (lane >= d) up_to += left;
        }
        const unsigned x = sum + up_to - own, y = x + c.x, z = y + c.y;
        mine[row * kLanes] = make_uint4(x, y, z, z + c.z);
        sum += __shfl_sync(~0u, up_to, kLanes - 1);
    }
    fullness.largest = __reduce_max_sync(~0u, fullness.largest);
    fullness.squares = __reduce_add_sync(~0u, fullness.squares);
    if (lane == 0)
        sums[warp] = sum, largests[warp] = fullness.largest, all_squares[warp] = fullness.squares;
    __syncthreads();
    const unsigned before = __reduce_add_sync(~0u, lane < warp ? sums[lane] : 0u);
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        mine[row * kLanes] = make_uint4(before + c.x, before + c.y, before + c.z, before + c.w);
    }
    fullness.largest = __reduce_max_sync(~0u, largests[lane % kWarps]);
    fullness.squares = __reduce_add_sync(~0u, lane < kWarps ? all_squares[lane] : 0u);
    __syncthreads();
    return fullness;
}

/// Zeroes `size` words, a multiple of four.
__device__ inline void clear(unsigned* words, unsigned size) {
    for (unsigned i = threadIdx.x; i < size / 4; i += kThreads)
        reinterpret_cast<uint4*>(words)[i] = make_uint4(0, 0, 0, 0);
}

/// A rank below 2^16 for each of a thread's keys, two to a word.
template <class Bits>
class Ranks {
  public:
    __device__ void set(unsigned i, unsigned rank) {
        words_[i / 2] = i % 2 == 0 ? rank : words_[i / 2] | rank << 16;
    }
    __device__ unsigned get(unsigned i) const {
        return i % 2 == 0 ? words_[i / 2] & 0xffffu : words_[i / 2] >> 16;
    }

  private:
    unsigned words_[(kItems<Bits> + 1) / 2] = {};
};

/// Makes keys into unsigned numbers in the same order, and back. By default these are the same.
template <class Bits>
struct KeyMap {
    Bits flip_negative = 0, flip_positive = 0;  ///< bits to flip, by the key's highest one
    Bits base = 0;                              ///< what is taken off after that

    static __device__ bool is_high(Bits x) { return x >> (8 * sizeof(Bits) - 1) != 0; }
    __device__ Bits number(Bits key) const {
        return (key ^ (is_high(key) ? flip_negative : flip_positive)) - base;
    }
    __device__ Bits key(Bits number) const {
        number += base;
        return number ^ (is_high(number) ? flip_positive : flip_negative);
    }
};

/// The place of a thread's i-th key among a block's: neighbours are in neighbouring threads.
__device__ inline unsigned place_of(unsigned i) { return i * kThreads + threadIdx.x; }

/// Loads a thread's keys of from[0, count); in place of a key that it has not, any other. So the loads
/// do not branch, and all of them are under way before the first is used.
template <class Bits>
__device__ void load_keys(Bits (&key)[kItems<Bits>], const Bits* from, unsigned count,
                          const KeyMap<Bits>& map) {
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i) key[i] = from[min(place_of(i), count - 1)];
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i) key[i] = map.number(key[i]);
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

/// Counts keys by their buckets: a rank is how many came before. Lanes without a key have counters of
/// their own behind the others', `unused`: so nothing branches, and atomics overlap.
template <class Bits, class BucketOf>
__device__ void rank_keys(const Bits (&key)[kItems<Bits>], unsigned count, unsigned* counts,
                          unsigned unused, Ranks<Bits>& ranks, BucketOf bucket) {
    unused += threadIdx.x % kLanes;
#pragma unroll
    for (unsigned first = 0; first < kItems<Bits>; first += kGroup) {
        if (first * kThreads >= count) continue;
        unsigned rank[kGroup];
#pragma unroll
        for (unsigned i = 0; i < kGroup && first + i < kItems<Bits>; ++i)
            rank[i] = atomicAdd(
                &counts[place_of(first + i) < count ? bucket(key[first + i]) : unused], 1u);
#pragma unroll
        for (unsigned i = 0; i < kGroup && first + i < kItems<Bits>; ++i)
            ranks.set(first + i, rank[i]);
    }
}

/// Puts keys where their buckets begin, plus their ranks.
template <class Bits, class BucketOf>
__device__ void scatter_keys(const Bits (&key)[kItems<Bits>], unsigned count, const unsigned* begins,
                             const Ranks<Bits>& ranks, Bits* keys, BucketOf bucket) {
#pragma unroll
    for (unsigned first = 0; first < kItems<Bits>; first += kGroup) {
        if (first * kThreads >= count) continue;
        unsigned place[kGroup];
#pragma unroll
        for (unsigned i = 0; i < kGroup && first + i < kItems<Bits>; ++i)
            place[i] = begins[place_of(first + i) < count ? bucket(key[first + i]) : 0] +
                       ranks.get(first + i);
#pragma unroll
        for (unsigned i = 0; i < kGroup && first + i < kItems<Bits>; ++i)
            if (place_of(first + i) < count) keys[place[i]] = key[first + i];
    }
}

/// Sorts keys[0, count) in shared memory. Each thread sorts a run in registers; then runs are merged,
/// of which every thread makes an equal part (merge path).
template <class Bits>
__device__ void merge_sort(Bits* keys, unsigned count) {
    constexpr unsigned kRun = kItems<Bits>;
    constexpr Bits kLast = ~Bits{0};
    const unsigned first = threadIdx.x * kRun;
    Bits key[kRun];
#pragma unroll
    for (unsigned i = 0; i < kRun; ++i) key[i] = first + i < count ? keys[first + i] : kLast;
#pragma unroll
    for (unsigned round = 0; round < kRun; ++round)  // odd-even transposition
#pragma unroll
        for (unsigned i = round % 2; i + 1 < kRun; i += 2) {
            const Bits a = key[i], b = key[i + 1];
            key[i] = min(a, b), key[i + 1] = max(a, b);
        }

    for (unsigned width = kRun; width < count; width *= 2) {
        const unsigned a_start = first / (2 * width) * (2 * width);
        const unsigned b_start = a_start + width, b_end = b_start + width;
        const bool works = a_start < count;  // else all of it is padding
        __syncthreads();
        if (works)
#pragma unroll
            for (unsigned i = 0; i < kRun; ++i) keys[first + i] = key[i];
        __syncthreads();
        if (works) {
            const unsigned place = first - a_start;
            unsigned low = place > width ? place - width : 0, high = min(place, width);
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
            for (unsigned i = 0; i < kRun; ++i) {
                const bool takes_a = b >= b_end || (a < b_start && from_a <= from_b);
                key[i] = takes_a ? from_a : from_b;
                if (takes_a)
                    from_a = ++a < b_start ? keys[a] : kLast;
                else
                    from_b = ++b < b_end ? keys[b] : kLast;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kRun; ++i)
        if (first + i < count) keys[first + i] = key[i];
    __syncthreads();
}

/// Sorts from[0, count), at least one key, into `to`, which may be the same. `entering` makes numbers
/// of what is read, `leaving` makes keys of what is written.
template <class Bits>
__device__ __attribute__((noinline)) void sort_block(const Bits* from, KeyMap<Bits> entering,
                                                     unsigned count, Bits* to,
                                                     KeyMap<Bits> leaving) {
    const BlockMemory<Bits> memory;
    Bits* const keys = memory.keys;
    unsigned* const counts = memory.counts;
    const auto store = [=](unsigned i, Bits number) { to[i] = leaving.key(number); };
    const unsigned bucket_bits = max(kMinBucketBits, min(kMaxBucketBits, bit_width(count - 1)));
    __syncthreads();  // whoever used the memory before is done with it

    Bits key[kItems<Bits>], least = ~Bits{0}, largest = 0;
    load_keys(key, from, count, entering);
    clear(counts, 1u << bucket_bits);
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i)
        least = min(least, key[i]), largest = max(largest, key[i]);
    reduce_range(least, largest);
    if (least == largest) {
        for (unsigned i = threadIdx.x; i < count; i += kThreads) store(i, least);
        return;
    }
    const unsigned width = bit_width(largest - least);
    const unsigned shift = width > bucket_bits ? width - bucket_bits : 0;
    forget(count);
    const auto bucket = [=](Bits k) { return static_cast<unsigned>((k - least) >> shift); };

    Ranks<Bits> ranks;
    rank_keys(key, count, counts, 1u << bucket_bits, ranks, bucket);
    __syncthreads();
    const Fullness fullness = scan_counts(counts, 1u << bucket_bits);
    for (Bits& k : key) forget(k);
    forget(count);
    scatter_keys(key, count, counts, ranks, keys, bucket);
    if (threadIdx.x == 0) counts[1u << bucket_bits] = count;
    __syncthreads();

    if (shift == 0 || fullness.largest == 1) {
        for (unsigned i = threadIdx.x; i < count; i += kThreads) store(i, keys[i]);
    } else if (fullness.largest <= kMaxRankedBucket &&
               fullness.squares <= kMaxRankedMean * count) {
        constexpr unsigned kAtOnce = 4;
        for (unsigned start = threadIdx.x; start < count; start += kAtOnce * kThreads) {
            Bits own[kAtOnce];
            unsigned first[kAtOnce], last[kAtOnce];
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                const unsigned i = min(start + k * kThreads, count - 1);
                own[k] = keys[i];
                first[k] = counts[bucket(own[k])], last[k] = counts[bucket(own[k]) + 1];
            }
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                const unsigned i = start + k * kThreads;
                if (i >= count) break;
                unsigned place = first[k];
                for (unsigned other = first[k]; other < last[k]; ++other)
                    place += keys[other] < own[k] || (keys[other] == own[k] && other < i);
                store(place, own[k]);
            }
        }
    } else {
        merge_sort(keys, count);
        for (unsigned i = threadIdx.x; i < count; i += kThreads) store(i, keys[i]);
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
