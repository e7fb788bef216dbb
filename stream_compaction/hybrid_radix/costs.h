// Whether uneven keys are divided by splitters, or sorted by passes: a sample of them tells how
// often keys repeat, and so what either way is expected to cost.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/hybrid_radix/plan.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// What uneven keys are expected to cost, in nanoseconds on an H200, by what a sample says of them.
struct UnevenCosts {
    unsigned splitters;     ///< by splitters: what all keys cost,
    unsigned move;          ///< what they cost besides unless all are frequent,
    unsigned moved;         ///< what those cost besides that are not,
    unsigned sorted;        ///< and those that are there once
    unsigned passes, pass;  ///< by passes: what comes before them, and each of them
};

/// Measured with 32-bit keys (see measured.md), and taken to be as many times more of longer ones;
/// of another GPU only their ratio has to be about right.
template <class Size>
__host__ __device__ UnevenCosts uneven_costs(Size n, std::size_t key_bytes, UnevenWay way) {
    if (way == UnevenWay::splitters) return {0, 0, 0, 0, 1, 0};
    if (way == UnevenWay::passes) return {1, 0, 0, 0, 0, 0};
    const float width = static_cast<float>(key_bytes) / 4, keys = static_cast<float>(n);
    const auto cost = [=](float us, float ps_of_key) {
        constexpr float kMost = 4e9f;
        return static_cast<unsigned>(
            std::min<float>(1e3f * us + 1e-3f * ps_of_key * width * keys, kMost));
    };
    return {.splitters = cost(58, 3.7f),
            .move = cost(43, 4.3f),
            .moved = cost(95, 1.2f),
            .sorted = cost(100, 14),
            .passes = cost(20, 1.2f),
            .pass = cost(12, 3.4f)};
}

/// Whether passes, one for each of so many positions of digits, are expected to be sooner.
/// @param frequent how many samples are keys for which the most splitters have a class
/// @param single   how many are keys that no other sample equals
__host__ __device__ constexpr bool are_passes_sooner(const UnevenCosts& costs, unsigned samples,
                                                     unsigned frequent, unsigned single,
                                                     unsigned positions) {
    const unsigned long long of_passes = costs.passes + 1ull * positions * costs.pass;
    const unsigned move = frequent < samples ? costs.move : 0;
    const unsigned long long of_splitters = samples * (1ull * costs.splitters + move) +
                                            1ull * (samples - frequent) * costs.moved +
                                            1ull * single * costs.sorted;
    return samples * of_passes < of_splitters;
}

/// So many different values are few: where each has fewer keys than 1024, it is no sooner to count
/// them by value. 0: they are not counted.
template <class Size>
__host__ __device__ unsigned few_values(Size n, UnevenWay way) {
    constexpr Size kMost = 1u << 28;
    return way == UnevenWay::sooner ? static_cast<unsigned>(std::min(n >> 10, kMost)) : 0;
}

/// How splitters divide keys: once, from registers, and maybe between samples that all blocks have;
/// or in levels, of keys that registers hold, or of more.
enum class Splitting { by_samples, once, in_levels_of_few, in_levels };

/// Uneven keys of 32 bits are sorted by passes, where more than so many of the samples that all
/// blocks have are not frequent: at once, without a larger sample; else by splitters. (As many as
/// there are: only where few digits vary.) 0: they do not decide. Measured (see measured.md).
/// @param number_bytes       of what is sorted: a pair's are more than its key's
/// @param has_passes_for_few whether passes have onesweep's FewShape, and so are sooner
__host__ __device__ inline unsigned rare_for_passes(std::size_t n, std::size_t key_bytes,
                                                    std::size_t number_bytes, UnevenWay way,
                                                    Splitting splitting, bool has_passes_for_few) {
    if (key_bytes > 4 || way != UnevenWay::sooner) return 0;
    const bool are_pairs = number_bytes > key_bytes;
    switch (splitting) {
        case Splitting::by_samples:
            return are_pairs || n <= 1u << 17 ? kSamples : 1;
        case Splitting::once:
            return has_passes_for_few ? 1 : kSamples / 2;
        case Splitting::in_levels_of_few:
            return 1;
        case Splitting::in_levels:
            if (are_pairs) return kSamples / 16;  // all have to be moved, also those that repeat
            // Of more, a larger sample sees what repeats.
            if (n <= 4u << 20) return 1;
            if (n <= 9u << 20) return kSamples / 64;
            return n <= 12u << 20 ? kSamples / 8 : n <= 24u << 20 ? kSamples / 4 : 0;
    }
    return 0;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
