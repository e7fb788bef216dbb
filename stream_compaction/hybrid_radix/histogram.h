// Counts how many keys each bin has, by all blocks.
#pragma once

#include "stream_compaction/hybrid_radix/block_rank.h"
#include "stream_compaction/hybrid_radix/job.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kKeysInFlight = 16;  ///< loads in flight of a thread that only counts

/// Counters in shared memory: one, two or four per word, depending on how many there are.
template <unsigned kOfWord>
struct BinCounters {
    static constexpr unsigned kBits = 32 / kOfWord, kLargest = ~0u >> (32 - kBits);
    unsigned* words = simt::dynamic_shared<unsigned>();

    __device__ void add(unsigned bin, unsigned keys) const {
        atomicAdd(&words[bin / kOfWord], keys << bin % kOfWord * kBits);
    }
    __device__ unsigned get(unsigned bin) const {
        return words[bin / kOfWord] >> bin % kOfWord * kBits & kLargest;
    }
};

/// Adds all keys to job.histogram, by the highest `bits` of their range. The block's counters must
/// be zero. Sets Progress::is_contradicted if a key is out of the range, or if a part of a word was
/// too small for its count. The block notices the latter by the sum of all parts: each carry out of
/// a part leaves it at least 2^kBits - 1 further below the number of the block's keys.
template <unsigned kOfWord, class Shape, class Bits = typename Shape::Bits>
__device__ void count_bins(const Job<Shape>& job, Range<Bits> range, unsigned bits) {
    const BinCounters<kOfWord> counters;
    const unsigned n = job.plan.n, bins = 1u << bits, shift = range.bits - bits;
    const Bits largest = range.largest();
    bool all_in_range = true;
    constexpr unsigned kChunk = kThreads * kKeysInFlight;
    const auto bin_of = [&](Bits key) {
        const Bits x = job.map.number(key) - range.base;
        all_in_range &= x <= largest;
        return static_cast<unsigned>(x >> shift) & (bins - 1);
    };
    unsigned counted = 0;
    for (unsigned first = blockIdx.x * kChunk; first < n;) {
        const auto from = job.in + first + threadIdx.x;
        const unsigned left = n - first;
        counted += min(left, kChunk);
        if (left >= kChunk) {
            Bits key[kKeysInFlight];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) key[i] = compared_at(from, i * kThreads);
            // A warp whose keys share a bin adds all of them at once if the counter is part of a
            // word: there its lanes would wait for each other.
            const auto is_shared = [&](unsigned bin) {
                return __all_sync(kAllLanes, bin == __shfl_sync(kAllLanes, bin, 0)) != 0;
            };
            const bool looks = kOfWord > 1 && is_shared(bin_of(key[0]));
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) {
                const unsigned bin = bin_of(key[i]);
                if (!looks || !is_shared(bin))
                    counters.add(bin, 1);
                else if (threadIdx.x % kLanes == 0)
                    counters.add(bin, kLanes);
            }
        } else {
            for (unsigned i = threadIdx.x; i < left; i += kThreads)
                counters.add(bin_of(compared_at(job.in, first + i)), 1);
        }
        if (left <= gridDim.x * kChunk) break;  // first + gridDim.x * kChunk may not fit a word
        first += gridDim.x * kChunk;
    }
    __syncthreads();
    bool overflows = false;
    if constexpr (kOfWord > 1) {
        __shared__ unsigned sum;
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
        unsigned own = 0;
        for (unsigned i = threadIdx.x; i < bins; i += kThreads) own += counters.get(i);
        own = sum_of_lanes(own);
        if (threadIdx.x % kLanes == 0) atomicAdd(&sum, own);
        __syncthreads();
        overflows = sum != counted;
    }
    if (__syncthreads_or(!all_in_range || overflows)) {
        if (threadIdx.x == 0) atomicOr(&job.progress->is_contradicted, 1u);
        return;
    }
    for (unsigned i = threadIdx.x; i < bins; i += kThreads)
        if (const unsigned count = counters.get(i); count != 0) atomicAdd(&job.histogram[i], count);
}

/// The same, with the widest counters that fit.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void count_bins(const Job<Shape>& job, Range<Bits> range, unsigned bits) {
    if (bits > Shape::kMaxCountedBits + 1)
        count_bins<4>(job, range, bits);
    else if (bits > Shape::kMaxCountedBits)
        count_bins<2>(job, range, bits);
    else
        count_bins<1>(job, range, bits);
}

/// Scans the counts of `bins` bins into begins, starting at `begin`, and zeroes them. Called by one
/// block. Sets Progress::is_contradicted if a bin has more than `most` keys.
template <class Shape>
__device__ void scan_histogram(const Job<Shape>& job, unsigned* counts, unsigned bins,
                               unsigned begin, unsigned most, unsigned* begins) {
    unsigned largest = 0;
    scan_in_memory(counts, bins, begin, [&](unsigned i, unsigned count, unsigned offset) {
        begins[i] = offset;
        largest = max(largest, count);
        return 0u;
    });
    if (__syncthreads_or(largest > most) && threadIdx.x == 0)
        atomicOr(&job.progress->is_contradicted, 1u);
    __syncthreads();
}

/// Counts the second digit of keys that are partitioned by the first digit. Called by all blocks;
/// each counts one part of the array. The block's counters are zeroed for each segment in its part.
/// Not inlined, because the keys in flight need the registers of the caller's other steps.
/// @param keys        in segments that begin at job.first_begins
/// @param second_bits of the second digit
/// @param low_bits    of a number below the second digit
/// @param number      the number of a key
template <class Shape, class Number, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void count_second_digit(const Job<Shape>& job,
                                                             const Bits* keys, unsigned second_bits,
                                                             unsigned low_bits, Number number) {
    unsigned* const counters = simt::dynamic_shared<unsigned>();
    const unsigned n = job.plan.n, bins = 1u << second_bits;
    const unsigned share = (n - 1) / gridDim.x + 1;
    const unsigned first = min(n, blockIdx.x * share), end = min(n - first, share) + first;
    constexpr unsigned kChunk = kThreads * kKeysInFlight;
    const auto add = [&](Bits key) {
        atomicAdd(&counters[static_cast<unsigned>(number(key) >> low_bits) & (bins - 1)], 1u);
    };
    unsigned segment = 0;
    for (unsigned at = first; at < end;) {
        while (job.first_begins[segment + 1] <= at) ++segment;
        const unsigned stop = min(end, job.first_begins[segment + 1]);
        __syncthreads();
        clear(counters, bins);
        __syncthreads();
        for (; stop - at >= kChunk; at += kChunk) {
            Bits key[kKeysInFlight];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i)
                key[i] = keys[at + i * kThreads + threadIdx.x];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) add(key[i]);
        }
        for (unsigned i = at + threadIdx.x; i < stop; i += kThreads) add(keys[i]);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < bins; i += kThreads)
            if (const unsigned count = counters[i]; count != 0)
                atomicAdd(&job.histogram[(segment << second_bits) + i], count);
        at = stop;
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
