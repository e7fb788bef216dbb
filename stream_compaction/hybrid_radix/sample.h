// The decisions of the device by 512 samples and a neighbour of each: the range of the keys,
// whether it is counted, and how the keys are distributed. All blocks use the same samples and come
// to the same decision. How many bits choose a bin is decided in plan.h (bits_to_fill).
#pragma once

#include "stream_compaction/hybrid_radix/job.h"
#include "stream_compaction/hybrid_radix/networks.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

static_assert(kSamples == kThreads, "each thread has one sample");

/// Samples a key from each of kSamples equal parts of the array, at a pseudorandom index, and a
/// second key kNeighbour keys after it.
template <class Bits>
struct Sample {
    Bits key, neighbour;
};

template <class Shape, class Bits = typename Shape::Bits>
__device__ Sample<Bits> sample(const Job<Shape>& job) {
    constexpr unsigned kGolden = 0x9e3779b9, kNeighbour = kLargestGroup<Bits> + 1;
    const unsigned n = job.plan.n, part = n / kSamples;
    const unsigned i = part * threadIdx.x + __umulhi(threadIdx.x * kGolden, part);
    return {job.map.number(job.in[i]), job.map.number(job.in[min(i + kNeighbour, n - 1)])};
}

/// Guesses the range of all keys: drops the high bits that all samples share, also after a shift of
/// the range if that is necessary, as for small numbers of both signs. Tied bits are ignored.
/// @param spread  distance between the smallest and the largest sample: at least a fifth of the
///                range
template <class Shape, class Bits = typename Shape::Bits>
__device__ Range<Bits> guess_range(Bits sampled, Bits& spread) {
    constexpr Bits kTied = (Bits{1} << Shape::ItemArrays::kTiedBits) - 1;
    Bits least = sampled & ~kTied, largest = sampled | kTied;
    reduce_range(least, largest);
    spread = largest - least;
    const auto below = [&](Bits margin) { return least > margin ? (least - margin) & ~kTied : 0; };
    const auto beyond = [&](Bits margin) {
        return largest + min(margin, static_cast<Bits>(~largest));
    };
    // Keys may lie slightly beyond the samples. (A range that is small enough to be counted usually
    // ends exactly at its last value.)
    unsigned by_prefix = bit_width(least ^ largest);
    if (by_prefix > Shape::kMaxCountedBits)
        by_prefix = bit_width(below(spread / 128) ^ beyond(spread / 128));
    const Bits base = below(spread / 16);
    const unsigned by_shift = bit_width(static_cast<Bits>(beyond(spread / 16) - base));
    if (by_shift + 1 < by_prefix) return {base, by_shift};
    return {by_prefix == 8 * sizeof(Bits) ? 0 : least >> by_prefix << by_prefix, by_prefix};
}

/// Whether the range is so small that the keys are only counted (never a range of pairs, which
/// includes the tied bits). If few samples are in its upper half, the range has a long tail, and
/// some keys are probably beyond it.
template <class Bits>
__device__ bool is_countable(Range<Bits> range, unsigned most_bits, unsigned n, Bits sampled) {
    constexpr int kFew = 4;
    if (range.bits > min(most_bits, bit_width(n / kKeysPerBin))) return false;
    return range.bits < 2 ||
           __syncthreads_count((sampled - range.base) >> (range.bits - 1) != 0) >= kFew;
}

/// A hash: equal for equal samples, and almost always different for different ones (the finalizer
/// of MurmurHash3). The halves of 64 bits are combined first, because they may be equal.
template <class Bits>
__device__ unsigned hash_of(Bits x) {
    constexpr auto kGolden = 0x9e3779b97f4a7c15ull;
    unsigned h =
        sizeof(Bits) == 8 ? static_cast<unsigned>(x * kGolden >> 32) : static_cast<unsigned>(x);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/// The largest number of distinct values that are counted: then each has 1024 keys or more on
/// average.
template <class Shape>
__device__ unsigned few_values(const Plan& plan) {
    return min(plan.n >> 10, kMostValues<Shape> / 2);
}

/// Whether the keys have few distinct values, given how many values occur in the samples at all,
/// once and twice. These estimate the number of values (Chao, "Nonparametric estimation of the
/// number of classes in a population", 1984), except if their frequencies follow a power law. Then
/// new values keep appearing: their number grows with the number of keys to the power once /
/// distinct (Heaps), and fewer of them occur twice.
__device__ inline bool are_few(float distinct, float once, float twice, float n, float most) {
    const float unseen = once * (once - 1) / (2 * (twice + 1));
    const float by_power_law = distinct * exp2f(once / distinct * log2f(n / kSamples));
    const bool is_power_law = 4 * twice * distinct <= 3 * once * (distinct - once);
    return distinct + unseen <= most && (by_power_law <= most || !is_power_law);
}

/// The passes that onesweep needs for the samples: one for each byte of a key that varies.
template <class Shape, class Bits = typename Shape::Bits>
__device__ unsigned passes_of_onesweep(Bits sampled) {
    __shared__ Bits all_or[kWarps], all_and[kWarps];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const auto both_or = [](Bits a, Bits b) { return a | b; };
    const auto both_and = [](Bits a, Bits b) { return a & b; };
    const Bits own_or = combine_lanes(sampled, both_or), own_and = combine_lanes(sampled, both_and);
    if (lane == 0) all_or[warp] = own_or, all_and[warp] = own_and;
    __syncthreads();
    Bits varying = combine_lanes(all_or[lane % kWarps], both_or) ^
                   combine_lanes(all_and[lane % kWarps], both_and);
    unsigned passes = 0;
    for (varying >>= Shape::ItemArrays::kTiedBits; varying != 0; varying >>= 8)
        passes += (varying & 0xff) != 0 ? 1 : 0;
    return passes;
}

/// Decides which kernel sorts the keys: this kernel if they are evenly distributed, the next kernel
/// if they have few distinct values, otherwise onesweep.
///
/// Keys are skewed, and left to onesweep, if some bin will hold more than plan.bucket keys, or if
/// most keys of a bucket would be in a few groups of its block. The signs of it in the samples:
/// * A bin has more samples than a full one is likely to have.
/// * The bits below the bin, by which a block forms its groups, are the same in many samples.
/// * Many keys share their group with the key kNeighbour positions later in the input. If the input
///   is in order, such a group is larger than networks sort.
/// * On the grid, where a bin has few samples: many pairs of samples are in one bin. If such pairs
///   are a share p of all pairs, a key shares its bin with p n others on average, so some bin has
///   at least that many keys.
///
/// On the grid onesweep is also faster if it needs no more than two passes.
///
/// @tparam kIsOnGrid  whether there are many keys: also looks for few values and for few passes
/// @param bits        of the keys' range that choose a bin
/// @param counters    2^table_bits words of shared memory, zero; on the grid zero again afterwards
template <class Shape, bool kIsOnGrid, class Bits = typename Shape::Bits>
__device__ Sorter classify(const Plan& plan, Range<Bits> range, unsigned bits,
                           const Sample<Bits>& sampled, unsigned* counters, unsigned table_bits) {
    constexpr unsigned kTiedBits = Shape::ItemArrays::kTiedBits, kGroupBits = Shape::kMaxGroupBits;
    // Counts of up to 512 share a word; each kind has its own index.
    constexpr unsigned kField = 10, kMask = (1u << kField) - 1;
    constexpr unsigned kOfBin = 1, kOfGroup = 1u << kField, kOfValue = 1u << 2 * kField;
    constexpr unsigned kSampledGroupBits = 10, kMostInGroup = 6;
    constexpr int kMostNeighboursOfWarp = 8;
    const Bits x = sampled.key - range.base, neighbour = sampled.neighbour - range.base;
    const unsigned bin_bits = min(bits, table_bits), rest = range.bits - bits;
    const bool has_groups = rest > kGroupBits + kTiedBits;
    const auto bin = static_cast<unsigned>(x >> (range.bits - bin_bits));
    const unsigned group = has_groups ? static_cast<unsigned>(x >> (rest - kSampledGroupBits)) %
                                            (1u << kSampledGroupBits)
                                      : 0;
    const unsigned in_bin = atomicAdd(&counters[bin], kOfBin) & kMask;  // earlier samples
    const unsigned in_group =
        has_groups ? atomicAdd(&counters[group], kOfGroup) >> kField & kMask : 0;
    const bool has_neighbour =
        has_groups && x >> (rest - kGroupBits) == neighbour >> (rest - kGroupBits);
    const int neighbours = __popc(__ballot_sync(kAllLanes, has_neighbour));
    const bool is_crowded = in_bin >= plan.samples_of_full_bin || in_group >= kMostInGroup ||
                            neighbours > kMostNeighboursOfWarp;
    if constexpr (!kIsOnGrid)
        return __syncthreads_or(is_crowded) != 0 ? Sorter::onesweep : Sorter::this_kernel;

    __shared__ unsigned pairs;
    if (threadIdx.x == 0) pairs = 0;
    const unsigned value = hash_of(sampled.key) >> (32 - table_bits);
    const bool is_first = atomicAdd(&counters[value], kOfValue) < kOfValue;
    __syncthreads();
    if (const unsigned of_warp = sum_of_lanes(in_bin); threadIdx.x % kLanes == 0)
        atomicAdd(&pairs, of_warp);
    Sorter sorter = __syncthreads_or(is_crowded) != 0 ? Sorter::onesweep : Sorter::this_kernel;
    constexpr float kAllPairs = 0.5f * kSamples * (kSamples - 1);
    const float of_full = kAllPairs * static_cast<float>(plan.bucket << (bits - bin_bits)) /
                          static_cast<float>(plan.n);
    constexpr unsigned kFewPasses = 2;
    if (static_cast<float>(pairs) > above(of_full, 2) ||
        passes_of_onesweep<Shape>(sampled.key) <= kFewPasses)
        sorter = Sorter::onesweep;
    if constexpr (kTiedBits == 0) {
        const unsigned equal = counters[value] >> 2 * kField;
        const auto count_of = [](bool which) {
            return static_cast<float>(__syncthreads_count(which));
        };
        const float distinct = count_of(is_first), once = count_of(equal == 1),
                    twice = count_of(equal == 2) / 2;
        if (are_few(distinct, once, twice, static_cast<float>(plan.n),
                    static_cast<float>(few_values<Shape>(plan))))
            sorter = Sorter::few_values;
    }
    __syncthreads();
    for (const unsigned counter : {bin, group, value}) atomicExch(&counters[counter], 0u);
    __syncthreads();
    return sorter;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
