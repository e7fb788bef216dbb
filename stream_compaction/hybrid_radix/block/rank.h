// Ranks a block's keys by their counters, and puts them where these say.
#pragma once

#include "stream_compaction/hybrid_radix/block/shape.h"
#include "stream_compaction/parts/bit_width.h"
#include "stream_compaction/parts/key_map.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kCountsPerRow = 4 * kLanes;  ///< a warp scans as many at once

constexpr unsigned kGroup = 8;  ///< keys of a thread whose atomics are under way together

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

/// Counters that are words; sums of them are words, too.
struct WholeWords {
    static __device__ unsigned sum(unsigned word) { return word; }
    static __device__ unsigned largest(unsigned word) { return word; }
    /// What an exclusive scan makes of a word, with a sum of `before` in front of it.
    static __device__ unsigned scanned(unsigned, unsigned before) { return before; }
    static __device__ unsigned added(unsigned word, unsigned before) { return word + before; }
};

/// Counters of 16 bits, two to a word, the first in the lower half; their sum is below 2^16.
struct HalfWords {
    static constexpr unsigned kOneEach = 0x10001;
    static __device__ unsigned sum(unsigned word) { return word * kOneEach >> 16; }
    static __device__ unsigned scanned(unsigned word, unsigned before) {
        return before * kOneEach + (word << 16);
    }
    static __device__ unsigned added(unsigned word, unsigned before) {
        return word + before * kOneEach;
    }
    /// A one of counter c in its word, and the counter's value.
    static __device__ unsigned one(unsigned c) { return 1u << 16 * (c % 2); }
    static __device__ unsigned get(unsigned word, unsigned c) {
        return word >> 16 * (c % 2) & 0xffffu;
    }
};

/// Exclusive scan in place. `size`, in words, is a multiple of a row. The largest count, if it
/// looks: the same answer in every thread.
template <bool kLooks = true, class Counters = WholeWords>
__device__ unsigned scan_counts(unsigned* counts, unsigned size) {
    __shared__ unsigned sums[kWarps], largests[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned rows = size / kCountsPerRow, rows_of_warp = (rows + kWarps - 1) / kWarps;
    const unsigned first = min(warp * rows_of_warp, rows), last = min(first + rows_of_warp, rows);
    uint4* const mine = reinterpret_cast<uint4*>(counts) + lane;

    unsigned sum = 0, largest = 0;
#pragma unroll 1
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        if constexpr (kLooks)
            largest = max(max(max(largest, Counters::largest(c.x)), Counters::largest(c.y)),
                          max(Counters::largest(c.z), Counters::largest(c.w)));
        const unsigned of_x = Counters::sum(c.x), of_y = Counters::sum(c.y),
                       of_z = Counters::sum(c.z);
        const unsigned own = of_x + of_y + of_z + Counters::sum(c.w);
        const unsigned up_to = sum_up_to_lane(own);
        const unsigned x = sum + up_to - own, y = x + of_x, z = y + of_y;
        mine[row * kLanes] =
            make_uint4(Counters::scanned(c.x, x), Counters::scanned(c.y, y),
                       Counters::scanned(c.z, z), Counters::scanned(c.w, z + of_z));
        sum += __shfl_sync(~0u, up_to, kLanes - 1);
    }
    if (lane == 0) sums[warp] = sum;
    if constexpr (kLooks) {
        largest = max_of_lanes(largest);
        if (lane == 0) largests[warp] = largest;
    }
    __syncthreads();
    const unsigned before = sum_of_lanes(lane < warp ? sums[lane] : 0u);
#pragma unroll 1
    for (unsigned row = first; row < last; ++row) {
        const uint4 c = mine[row * kLanes];
        mine[row * kLanes] = make_uint4(Counters::added(c.x, before), Counters::added(c.y, before),
                                        Counters::added(c.z, before), Counters::added(c.w, before));
    }
    if constexpr (kLooks) largest = max_of_lanes(largests[lane % kWarps]);
    __syncthreads();
    return largest;
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
template <class Bits, unsigned kItems, class Array>
__device__ void load_keys(Bits (&key)[kItems], Array from, unsigned count,
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

/// Runs of neighbouring lanes, which have something in common.
class LaneRuns {
  public:
    /// All lanes of a warp say whether a run starts there; in lane 0 one does.
    __device__ explicit LaneRuns(bool starts) : starts_(__ballot_sync(kAllLanes, starts)) {}

    /// The lane in which this lane's run starts.
    __device__ unsigned start() const {
        return kLanes - 1 - __clz(static_cast<int>(starts_ & up_to_lane()));
    }
    __device__ bool starts_here() const { return (starts_ >> lane() & 1) != 0; }
    /// Of the run that starts here.
    __device__ unsigned length() const {
        const unsigned later = starts_ & ~up_to_lane();
        return (later == 0 ? kLanes : __ffs(static_cast<int>(later)) - 1) - lane();
    }

  private:
    static __device__ unsigned lane() { return threadIdx.x % kLanes; }
    static __device__ unsigned up_to_lane() { return ~0u >> (kLanes - 1 - lane()); }

    unsigned starts_;
};

/// The same, where neighbours often have the same counter: the first lane of a run asks for the
/// ranks of all, so that nobody waits for its neighbour.
/// @param counter_of the counter of a thread's i-th key
/// @param add        adds to a counter, and returns what it was
template <unsigned kItems, class CounterOf, class Add>
__device__ void rank_runs(unsigned count, Ranks<kItems>& ranks, CounterOf counter_of, Add add) {
    const unsigned lane = threadIdx.x % kLanes;
    for_each_group<kItems>(count, [&](unsigned first, unsigned last, auto) {
        unsigned rank[kGroup], start[kGroup];
#pragma unroll
        for (unsigned i = first; i < last; ++i) {
            const bool has_key = place_of(i) < count;
            const unsigned counter = counter_of(i);
            const unsigned left = __shfl_up_sync(kAllLanes, counter, 1);
            const LaneRuns runs(lane == 0 || counter != left || !has_key);
            start[i - first] = runs.start();
            rank[i - first] = has_key && runs.starts_here() ? add(counter, runs.length()) : 0;
        }
#pragma unroll
        for (unsigned i = first; i < last; ++i) {
            const unsigned from = start[i - first];
            ranks.set(i, __shfl_sync(kAllLanes, rank[i - first], from) + lane - from);
        }
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

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
