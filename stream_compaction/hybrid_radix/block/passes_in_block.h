// Sorts what a block has in shared memory by the lowest digits first: in a pass for each eight bits
// in which keys differ, whatever the keys.
#pragma once

#include "stream_compaction/hybrid_radix/block/rank.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

__device__ inline unsigned lowest_bit(unsigned x) { return __ffs(static_cast<int>(x)) - 1; }
__device__ inline unsigned lowest_bit(unsigned long long x) {
    return __ffsll(static_cast<long long>(x)) - 1;
}

/// The bits in which keys differ, in every thread.
template <class Bits>
__device__ Bits varying_bits(const Bits* keys, unsigned count) {
    __shared__ Bits of_warps[kWarps];
    const unsigned lane = threadIdx.x % kLanes;
    const auto either = [](Bits a, Bits b) { return a | b; };
    Bits varying = 0;
    for (unsigned i = threadIdx.x; i < count; i += kThreads) varying |= keys[i] ^ keys[0];
    varying = combine_lanes(varying, either);
    if (lane == 0) of_warps[threadIdx.x / kLanes] = varying;
    __syncthreads();
    return combine_lanes(of_warps[lane % kWarps], either);
}

/// Ranks a warp's keys among those of the same digit, and counts them: `own` are its counters.
/// Lanes find who has their digit by setting their bits in its mask; the highest of them counts for
/// all, and clears the mask.
template <unsigned kItems, class Bits, class DigitOf>
__device__ void rank_in_warp(const Bits (&key)[kItems], unsigned of_warp, unsigned* own,
                             unsigned* masks, Ranks<kItems>& ranks, DigitOf digit_of) {
    const unsigned lane = threadIdx.x % kLanes;
    const unsigned self = 1u << lane, below = self - 1, above = ~(self | below);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        if (i * kLanes >= of_warp) break;
        const unsigned digit = digit_of(key[i]);
        atomicOr(&masks[digit], self);
        __syncwarp();
        const unsigned peers = masks[digit];
        const unsigned rank = own[digit] + __popc(peers & below);
        __syncwarp();
        if ((peers & above) == 0) own[digit] = rank + 1, masks[digit] = 0;
        __syncwarp();
        ranks.set(i, rank);
    }
}

/// Makes each warp's counters where its keys of a digit begin.
template <unsigned kDigits>
__device__ void make_counters_places(unsigned* counters) {
    __shared__ unsigned sums[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    unsigned of_warps[kWarps] = {}, keys_of_digit = 0;
    if (threadIdx.x < kDigits) {
#pragma unroll
        for (unsigned w = 0; w < kWarps; ++w) of_warps[w] = counters[w * kDigits + threadIdx.x];
#pragma unroll
        for (unsigned w = 0; w < kWarps; ++w) keys_of_digit += of_warps[w];
    }
    const unsigned up_to = sum_up_to_lane(keys_of_digit);
    if (lane == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    unsigned begin = up_to - keys_of_digit + sum_of_lanes(lane < warp ? sums[lane] : 0u);
    if (threadIdx.x < kDigits) {
#pragma unroll
        for (unsigned w = 0; w < kWarps; ++w) {
            counters[w * kDigits + threadIdx.x] = begin;
            begin += of_warps[w];
        }
    }
}

/// Sorts keys[0, count). There is room for each warp's counters and masks in `words`: as many
/// digits as fit are one pass.
template <class Shape, class Bits>
__device__ void sort_by_passes(Bits* keys, unsigned* words, unsigned count) {
    constexpr unsigned kItems = Shape::kItems, kWordsOfPlainDigit = 2 * kWarps;
    constexpr unsigned kPassBits = Shape::kMaxBucketBits >= 13 ? 8 : Shape::kMaxBucketBits - 5;
    constexpr unsigned kPassDigits = 1u << kPassBits;
    static_assert(kPassDigits <= kThreads &&
                  kWordsOfPlainDigit * kPassDigits <= 1u << Shape::kMaxBucketBits);
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    unsigned* const counters = words;  // of all warps
    unsigned* const own = counters + warp * kPassDigits;
    unsigned* const masks = counters + (kWarps + warp) * kPassDigits;
    // A warp's keys are neighbours, and come in the order of its lanes.
    const unsigned of_warp = (count + kThreads - 1) / kThreads * kLanes;
    const auto place_in = [=](unsigned i) { return warp * of_warp + i * kLanes + lane; };

    Bits varying = varying_bits(keys, count);
#pragma unroll 1
    while (varying != 0) {
        const unsigned shift = lowest_bit(varying);
        varying = varying >> shift >> kPassBits << kPassBits << shift;
        const auto digit_of = [=](Bits key) {
            return static_cast<unsigned>(key >> shift) & (kPassDigits - 1);
        };
        for (unsigned d = lane; d < kPassDigits; d += kLanes) own[d] = masks[d] = 0;
        Bits key[kItems];
        Ranks<kItems> ranks;
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i)  // behind the last key, more of the largest
            if (i * kLanes < of_warp) key[i] = place_in(i) < count ? keys[place_in(i)] : ~Bits{0};
        __syncwarp();
        rank_in_warp(key, of_warp, own, masks, ranks, digit_of);
        __syncthreads();

        make_counters_places<kPassDigits>(counters);
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i)
            if (i * kLanes < of_warp && place_in(i) < count)
                keys[own[digit_of(key[i])] + ranks.get(i)] = key[i];
        __syncthreads();
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
