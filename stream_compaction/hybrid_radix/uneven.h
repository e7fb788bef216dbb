// Whether keys are so uneven that digits do not divide them well: from a sample, and from the first
// histogram.
#pragma once

#include "stream_compaction/hybrid_radix/range.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr unsigned kTooFull = 4;  ///< times a bucket, or the mean of a digit: see rest_by_samples

/// Whether keys have few different values, by how many of the samples' values were there once, and
/// twice: so many have not been seen (Chao). But where these are as in a power law, there will be
/// more new ones the longer one looks (Heaps' law).
/// @param count_distinct how many the samples have, if it is needed; all threads of a block call it
template <unsigned kMost, class Size, class Count>
__device__ bool are_few_values(unsigned once, unsigned twice, unsigned most_unseen, Size n,
                               Count count_distinct) {
    constexpr unsigned kFew = 16;  // of the samples, say little
    if (most_unseen == 0) return false;
    if (once > kFew && once * (once - 1) > 2 * (max(twice, 1u) - 1) * most_unseen) return false;
    const unsigned distinct = count_distinct();
    if (4 * twice * distinct > 3 * once * (distinct - once)) return true;
    const float exponent = static_cast<float>(once) / static_cast<float>(distinct);
    const float looks = static_cast<float>(bit_width(n / kSamples));
    constexpr float kRoughly = 4;  // times less or more, so far ahead
    return static_cast<float>(distinct) * exp2f(exponent * looks) < kRoughly * kMost;
}

/// By the samples: whether the keys have few different values, or are uneven: a key shares its
/// highest `bits` with too many others, on average, judged by the pairs of samples that do. More
/// than by a block's bucket, or than where keys are evenly spread. All counters are zero, and are
/// zero again.
/// @param looks_for_few whether few values are worth a look
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ Rest rest_by_samples(const Work<Shape, Offset>& work, Range<Bits> range, unsigned bits,
                                Bits sampled, bool looks_for_few) {
    // The halves of counters: how many share their highest bits, and how many are equal.
    constexpr unsigned kOne = 1, kOneEqual = 1u << 16;
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    unsigned& count = counts[static_cast<unsigned>((sampled - range.base) >> (range.bits - bits))];
    constexpr auto kGolden =
        static_cast<Bits>(0x9e3779b97f4a7c15ull >> (64 - 8 * sizeof(Bits)) | 1);
    unsigned& equals = counts[static_cast<unsigned>(static_cast<Bits>(sampled * kGolden) >>
                                                    (8 * sizeof(Bits) - Shape::kMaxCountedBits))];
    __shared__ unsigned pairs;
    if (threadIdx.x == 0) pairs = 0;
    __syncthreads();
    const unsigned earlier = atomicAdd(&count, kOne) % kOneEqual, of_warp = sum_of_lanes(earlier);
    [[maybe_unused]] bool is_first = false;
    if constexpr (kCountsValues<Shape>) is_first = atomicAdd(&equals, kOneEqual) < kOneEqual;
    if (threadIdx.x % kLanes == 0) atomicAdd(&pairs, of_warp);
    __syncthreads();
    constexpr unsigned long long kAllPairs = kSamples * (kSamples - 1) / 2;
    const unsigned long long n = work.fit().n, few = max(n >> bits, 1ull * work.fit().bucket);
    Rest rest = pairs * n > kAllPairs * few * kTooFull ? Rest::all_keys : Rest::nothing;
    if constexpr (kCountsValues<Shape>) {
        const unsigned equal = equals / kOneEqual;
        const auto once = static_cast<unsigned>(__syncthreads_count(equal == 1)),
                   in_pairs = static_cast<unsigned>(__syncthreads_count(equal == 2));
        if (looks_for_few && are_few_values<kMostValues<Shape>>(
                                 once, in_pairs / 2, work.fit().most_unseen, work.fit().n, [&] {
                                     return static_cast<unsigned>(__syncthreads_count(is_first));
                                 }))
            rest = Rest::few_values;
        atomicExch(&equals, 0u);
    }
    atomicExch(&count, 0u);
    __syncthreads();
    return rest;
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
