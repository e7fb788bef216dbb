// The first histogram: how many keys have which highest digit.
#pragma once

#include "stream_compaction/hybrid_radix/work.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr unsigned kKeysInFlight = 16;  ///< of a thread that only counts

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

/// Adds the digits of all keys to the histogram; tells where a key is out of the range, or a
/// counter too small. Digits have no tied bits.
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
    for (Offset first = Offset{blockIdx.x} * kChunk; first < work.fit().n;
         first += Offset{gridDim.x} * kChunk) {
        const auto from = work.in + first + threadIdx.x;
        const Offset left = work.fit().n - first;
        counted += static_cast<unsigned>(min(left, Offset{kChunk}));
        if (left >= kChunk) {
            Bits key[kKeysInFlight];
#pragma unroll
            for (unsigned i = 0; i < kKeysInFlight; ++i) key[i] = compared_at(from, i * kThreads);
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
                counts.add(digit_of(compared_at(work.in, first + i)), 1);
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

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
