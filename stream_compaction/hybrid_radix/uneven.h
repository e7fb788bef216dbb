// Whether keys are so uneven that digits do not divide them well: from a sample, and from the first
// histogram.
#pragma once

#include "stream_compaction/hybrid_radix/range.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr unsigned kTooFull = 4;  ///< times a bucket, or the mean of a digit: see rest_by_samples

/// What the samples say of how many different values there are.
struct SampledValues {
    unsigned distinct, once, twice;  ///< values: all, and those of one and of two samples
    unsigned once_in_runs;           ///< of one sample, which is one of a run of equal keys

    /// Whether nearly all values, but for one or a few, seem to be as frequent as each other.
    __device__ bool are_even() const { return 8 * once >= 7 * distinct; }

    /// Whether there are few different values in all. So many have not been seen as are there once,
    /// squared, for each that is there twice (Chao). But where these are as in a power law, there
    /// will be more new ones the longer one looks (Heaps' law). Where keys come in runs, the
    /// samples say little of that; but it is known how long the runs are.
    /// @param few of Fit
    template <unsigned kMost, class Size>
    __device__ bool are_few(unsigned few, Size n) const {
        constexpr unsigned kLittle = 16;  // samples say so
        constexpr unsigned kRunsOfSample = (1u << kBitsOfRun) / kSamples;
        constexpr float kRoughly = 4;  // times less or more, so far ahead
        if (few == 0) return false;
        const float exponent = static_cast<float>(once) / static_cast<float>(distinct);
        const float looks = static_cast<float>(bit_width(n / kSamples));
        const bool are_in_runs = 2 * once_in_runs >= once;
        const float by_power_law = static_cast<float>(distinct) * exp2f(exponent * looks);
        const unsigned most = are_in_runs ? min(few / 4 * 3, max(few / 2, kMost)) : few;
        const bool is_soon_over = by_power_law < kRoughly * static_cast<float>(most);
        if (are_in_runs && kRunsOfSample * (once - once_in_runs) < min(few / 2, kMost / 4 * 3) &&
            (are_even() || (10 * once_in_runs >= 7 * once && is_soon_over)))
            return true;
        const unsigned most_unseen = min(few, kMost) / 4;
        if (once > kLittle && once * (once - 1) > 2 * (max(twice, 1u) - 1) * most_unseen)
            return false;
        return is_soon_over || 4 * twice * distinct > 3 * once * (distinct - once);
    }
};

/// By the samples: whether the keys have few different values, or are uneven: a key shares its
/// highest `bits` with too many others, on average, judged by the pairs of samples that do. More
/// than by a block's bucket, or than where keys are evenly spread. All counters are zero, and are
/// zero again.
/// @param is_of_run     whether the sample is one of a run of equal keys
/// @param looks_for_few whether few values are worth a look
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ Rest rest_by_samples(const Work<Shape, Offset>& work, Range<Bits> range, unsigned bits,
                                Bits sampled, [[maybe_unused]] bool is_of_run,
                                [[maybe_unused]] bool looks_for_few) {
    // The halves of counters: how many share their highest bits, and how many are equal.
    constexpr unsigned kOne = 1, kOneEqual = 1u << 16;
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    unsigned& count = counts[static_cast<unsigned>((sampled - range.base) >> (range.bits - bits))];
    unsigned& equals = counts[hash_of_sample(sampled) >> (32 - Shape::kMaxCountedBits)];
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
        const auto count_of = [](bool which) {
            return static_cast<unsigned>(__syncthreads_count(which));
        };
        const SampledValues values = {count_of(is_first), count_of(equal == 1),
                                      count_of(equal == 2) / 2, count_of(equal == 1 && is_of_run)};
        if (looks_for_few &&
            values.are_few<kMostValues<Shape, Offset>>(work.fit().few_values, work.fit().n))
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
