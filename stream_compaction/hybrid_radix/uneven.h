// Whether keys are so uneven that digits do not divide them well: from a sample, and from the first
// histogram.
#pragma once

#include "stream_compaction/hybrid_radix/range.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr unsigned kTooFull = 4;  ///< times a bucket, or the mean of a digit: see looks_uneven

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
    const unsigned earlier = atomicAdd(&count, 1u), of_warp = sum_of_lanes(earlier);
    if (threadIdx.x % kLanes == 0) atomicAdd(&pairs, of_warp);
    __syncthreads();
    if (earlier == 0) count = 0;
    constexpr unsigned long long kAllPairs = kSamples * (kSamples - 1) / 2;
    const unsigned long long n = work.fit().n, few = max(n >> bits, 1ull * work.fit().bucket);
    const bool is_uneven = pairs * n > kAllPairs * few * kTooFull;
    __syncthreads();
    return is_uneven;
}

/// By one block, from the counts of the highest bits: whether too many keys would have to be
/// counted and partitioned again.
template <class Shape, class Offset>
__device__ bool is_uneven(const Work<Shape, Offset>& work, unsigned counted) {
    if (work.uneven <= 1) return false;
    // Of few keys, a larger share than that is too much work for one block.
    constexpr unsigned kLargestShare = 16;
    const Offset largest = min(Offset{work.fit().bucket}, work.fit().n / kLargestShare);
    Offset many = 0;
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < 1u << counted; i += kThreads)
        if (const Offset count = work.histogram[i]; count > largest) many += count;
    __shared__ Offset sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (many > 0) atomicAdd(&sum, many);
    __syncthreads();
    return sum > work.fit().n / work.uneven;
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
