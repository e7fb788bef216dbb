// In which way uneven keys are expected to be sorted sooner, by what a sample says of them.
#include "stream_compaction/hybrid_radix/costs.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace stream_compaction {
namespace {

using hybrid_radix::are_passes_sooner;
using hybrid_radix::uneven_costs;
using hybrid_radix::UnevenCosts;
using hybrid_radix::UnevenWay;

constexpr unsigned kSamples = 4096;

/// For n keys of 32 bits, of which so many samples of kSamples are frequent, and single.
bool are_passes(std::size_t n, unsigned frequent, unsigned single) {
    return are_passes_sooner(uneven_costs(n, 4, UnevenWay::sooner), kSamples, frequent, single, 4);
}

TEST(HybridRadixCosts, AddUpOverTheSamples) {
    const UnevenCosts costs{
        .splitters = 8, .move = 2, .moved = 6, .sorted = 8, .passes = 3, .pass = 4};
    // By splitters 8 and 2 and, of half of the keys, 6 and, of a quarter, 8: 15. By passes 3 and 4
    // each.
    EXPECT_FALSE(are_passes_sooner(costs, 100, 50, 25, 3)) << "as soon";
    EXPECT_TRUE(are_passes_sooner(costs, 100, 50, 25, 2));
    EXPECT_TRUE(are_passes_sooner(costs, 100, 49, 25, 3));
    EXPECT_TRUE(are_passes_sooner(costs, 100, 50, 26, 3));
}

TEST(HybridRadixCosts, AreNotOfAMoveWhereAllKeysAreFrequent) {
    const UnevenCosts costs{
        .splitters = 8, .move = 100, .moved = 0, .sorted = 0, .passes = 0, .pass = 9};
    EXPECT_FALSE(are_passes_sooner(costs, 100, 100, 0, 1));
    EXPECT_TRUE(are_passes_sooner(costs, 100, 99, 0, 1));
}

TEST(HybridRadixCosts, ArePassesWhereNothingRepeatsAndSplittersWhereAllDoes) {
    for (std::size_t n = 20'000; n < std::size_t{1} << 36; n *= 3) {
        EXPECT_TRUE(are_passes(n, 0, kSamples)) << n;
        EXPECT_FALSE(are_passes(n, kSamples, 0)) << n;
    }
}

TEST(HybridRadixCosts, AreOfOneWayWhereATestAsksForIt) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{1} << 36})
        for (const unsigned positions : {0u, 8u})
            for (const unsigned single : {0u, kSamples}) {
                EXPECT_FALSE(are_passes_sooner(uneven_costs(n, 4, UnevenWay::splitters), kSamples,
                                               0, single, positions));
                EXPECT_TRUE(are_passes_sooner(uneven_costs(n, 4, UnevenWay::passes), kSamples, 0,
                                              single, positions));
            }
}

TEST(HybridRadixCosts, LetSamplesDecideAtOnceForFewKeysOf32Bits) {
    using hybrid_radix::Splitting;
    const auto rare = [](std::size_t n, std::size_t key_bytes, Splitting splitting,
                         UnevenWay way = UnevenWay::sooner, bool has_passes_for_few = true) {
        return hybrid_radix::rare_for_passes(n, key_bytes, key_bytes, way, splitting,
                                             has_passes_for_few);
    };
    const auto rare_of_pairs = [](std::size_t n) {
        return hybrid_radix::rare_for_passes(n, 4, 8, UnevenWay::sooner, Splitting::in_levels,
                                             false);
    };
    EXPECT_GT(rare(1'000'000, 4, Splitting::once), 0u);
    EXPECT_GT(rare(1'000'000, 4, Splitting::once, UnevenWay::sooner, false),
              rare(1'000'000, 4, Splitting::once))
        << "other passes are later";
    EXPECT_LT(rare(1'000'000, 4, Splitting::once), rare(10'000'000, 4, Splitting::in_levels))
        << "few keys have sooner passes";
    EXPECT_EQ(rare(100'000, 4, Splitting::by_samples), hybrid_radix::kSamples)
        << "no more samples are rare";
    EXPECT_LT(rare(500'000, 4, Splitting::by_samples), hybrid_radix::kSamples)
        << "more keys are sooner sorted by passes";
    EXPECT_GT(rare(2'500'000, 4, Splitting::in_levels_of_few), 0u);
    EXPECT_LT(rare(8'000'000, 4, Splitting::in_levels), rare(12'000'000, 4, Splitting::in_levels));
    EXPECT_LT(rare(12'000'000, 4, Splitting::in_levels), rare(20'000'000, 4, Splitting::in_levels));
    EXPECT_EQ(rare(26'000'000, 4, Splitting::in_levels), 0u) << "a larger sample decides";
    EXPECT_GT(rare_of_pairs(5'000'000), 0u);
    EXPECT_EQ(rare_of_pairs(50'000'000), rare_of_pairs(5'000'000))
        << "what repeats has to be moved all the same";
    for (const Splitting splitting : {Splitting::by_samples, Splitting::once,
                                      Splitting::in_levels_of_few, Splitting::in_levels}) {
        EXPECT_EQ(rare(100'000, 8, splitting), 0u);
        for (const UnevenWay way : {UnevenWay::splitters, UnevenWay::passes})
            EXPECT_EQ(rare(100'000, 4, splitting, way), 0u);
    }
}

}  // namespace
}  // namespace stream_compaction
