// What the host decides, for any n and any device: without a kernel.
#include "stream_compaction/hybrid_radix/plan.h"
#include "stream_compaction/onesweep/rank_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stream_compaction {
namespace {

using hybrid_radix::BlockRoom;
using hybrid_radix::GridPlan;
using hybrid_radix::kMaxDigitBits;
using hybrid_radix::Limits;
using hybrid_radix::PartitionPlan;
using hybrid_radix::Way;

constexpr BlockRoom kRoom{11'776, 8192, 16};
constexpr Limits kLimits{11'776, 11'776};
constexpr unsigned kResident = 264;  // two blocks on each of 132 multiprocessors

/// Small and large, powers of two and their neighbours.
template <class F>
void for_sizes(F f) {
    for (std::size_t power = 1; power <= std::size_t{1} << 36; power *= 2)
        for (const std::size_t n : {power, power + 1, power + power / 3}) {
            SCOPED_TRACE(n);
            f(n);
        }
}

Way way_of(std::size_t n, bool is_large = false, Limits limits = kLimits) {
    return hybrid_radix::choose_way(n, false, is_large, limits, kRoom, kResident);
}

TEST(HybridRadixPlan, ChoosesTheWayBySize) {
    EXPECT_EQ(way_of(11'776), Way::one_block);
    EXPECT_EQ(way_of(11'777), Way::one_partition);
    EXPECT_EQ(way_of(264 * 11'776), Way::one_partition);
    EXPECT_EQ(way_of(264 * 11'776 + 1), Way::on_grid);
    EXPECT_EQ(way_of(11'776, true), Way::one_block) << "positions of 64 bits are the plan's";
    EXPECT_EQ(way_of(11'777, true), Way::on_grid);
    EXPECT_EQ(way_of(11'777, false, {11'776, 11'776, 4, 0}), Way::on_grid);
    EXPECT_EQ(way_of(1, false, {0, 2}), Way::one_partition);
}

TEST(HybridRadixPlan, RanksFewKeysThatAreNotSortedInPlace) {
    Limits limits = kLimits;
    limits.ranked = 300;
    EXPECT_EQ(way_of(300, false, limits), Way::by_ranks);
    EXPECT_EQ(way_of(301, false, limits), Way::one_block);
    EXPECT_EQ(hybrid_radix::choose_way(300, true, false, limits, kRoom, kResident), Way::one_block);
    EXPECT_NEAR(onesweep::most_ranked(132), 11'764, 1) << "132 * 2^20 comparisons";
}

TEST(HybridRadixPlan, OfOnePartitionGivesEachBlockAPart) {
    for (const BlockRoom room : {kRoom, BlockRoom{3'584, 2048, 15}})
        for_sizes([=](std::size_t n) {
            if (n > kResident * room.keys) return;
            const Limits limits{room.keys, room.keys};
            const PartitionPlan plan =
                hybrid_radix::plan_one_partition(n, limits, room, kResident, 0);
            EXPECT_LE(plan.blocks, kResident);
            EXPECT_LE(plan.tile, room.keys);
            EXPECT_GE(std::size_t{plan.blocks} * plan.tile, n);
            EXPECT_LT((std::size_t{plan.blocks} - 1) * plan.tile, n) << "a block without keys";
            EXPECT_GE(plan.digit_bits, 8u);
            EXPECT_LE(plan.digit_bits, kMaxDigitBits);
            EXPECT_LE(plan.countable_bits, kMaxDigitBits);
        });
}

// Where a cluster sorts what is uneven, clusters are whole, and a bucket is at most twice a tile,
// or what a block sorts soon.
TEST(HybridRadixPlan, BesideAClusterHasWholeClustersAndSmallBuckets) {
    for (const unsigned cluster : {8u, 16u})
        for (const std::size_t n : {11'777u, 20'000u, 32'768u, 65'537u, 100'000u}) {
            const PartitionPlan plan =
                hybrid_radix::plan_one_partition(n, kLimits, kRoom, kResident, cluster);
            EXPECT_EQ(plan.blocks % cluster, 0u) << n;
            EXPECT_LE(plan.blocks, hybrid_radix::kBlocksOfFew) << n;
            EXPECT_LT((plan.blocks - 1) * plan.tile, n) << "a block without keys";
            EXPECT_LE(plan.bucket, std::max(2 * plan.tile, 2048u)) << n;
            EXPECT_LT(plan.frequent, 128u) << n << ": of 512 samples";
            EXPECT_LE(plan.digit, plan.bucket) << n;
            const double even = n / 57.0;  // where even keys have the fewest digits
            EXPECT_GE(plan.digit, even + 3 * std::sqrt(even)) << n;
        }
    EXPECT_EQ(hybrid_radix::plan_one_partition(20'000, {0, 300}, kRoom, kResident, 8).bucket, 300u);
}

// Without a cluster, blocks sort what they hold, however few digits there are.
TEST(HybridRadixPlan, WithoutAClusterADigitMayFillABucket) {
    for (const std::size_t n : {11'777u, 32'767u, 1'000'000u}) {
        const PartitionPlan plan =
            hybrid_radix::plan_one_partition(n, kLimits, kRoom, kResident, 0);
        EXPECT_EQ(plan.digit, plan.bucket) << n;
        EXPECT_EQ(plan.least_digits, 0u) << n;
    }
    EXPECT_EQ(hybrid_radix::plan_one_partition(32'767, kLimits, kRoom, kResident, 8).least_digits,
              96u);
    EXPECT_EQ(hybrid_radix::plan_one_partition(32'768, kLimits, kRoom, kResident, 8).least_digits,
              0u);
}

TEST(HybridRadixPlan, OnTheGridFillsBucketsByTwoThirds) {
    for_sizes([](std::size_t n) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident);
        EXPECT_GE(plan.blocks, 1u);
        EXPECT_LE(plan.blocks, kResident);
        EXPECT_GE(plan.tile, 1u);
        EXPECT_LE(plan.tile, kRoom.keys);
        EXPECT_LE(plan.digit_bits[0], kMaxDigitBits);
        EXPECT_LE(plan.digit_bits[1], kMaxDigitBits);
        const unsigned bits = plan.digit_bits[0] + plan.digit_bits[1];
        EXPECT_EQ(bits > kRoom.histogram_bits, plan.is_split_again);
        if (bits == 2 * kMaxDigitBits) return;  // the most of two digits
        EXPECT_LE(n >> bits, kLimits.bucket * 3 / 4);
        if (bits == 8) return;
        EXPECT_GE(n >> (bits - 1), kLimits.bucket * 2 / 3) << "fewer bits would do";
    });
}

// No block has two tiles to move between splitters while another has none.
TEST(HybridRadixPlan, GivesEachBlockATileBetweenSplitters) {
    for_sizes([](std::size_t n) {
        const unsigned blocks = hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident).blocks;
        const std::size_t tile = hybrid_radix::split_tile(n, blocks, kRoom);
        EXPECT_GE(tile, 1u);
        EXPECT_LE(tile, kRoom.split_keys);
        EXPECT_TRUE(tile == kRoom.split_keys || (n + tile - 1) / tile <= blocks) << tile;
    });
}

// Samples of a digit that has as many keys as a bucket are hardly ever as many as that.
TEST(HybridRadixPlan, TakesADigitForTooFrequentFarAboveWhatABucketHas) {
    for (const std::size_t n : {20'000u, 100'000u, 1'000'000u, 3'000'000u}) {
        const auto plan = hybrid_radix::plan_one_partition(n, kLimits, kRoom, kResident, 0);
        const double expected = 512.0 * kLimits.bucket / static_cast<double>(n);
        EXPECT_GT(plan.frequent, std::min(expected + 2 * std::sqrt(expected), 511.0)) << n;
        EXPECT_LE(plan.frequent, std::max(expected * 5, 512.0)) << n;
        EXPECT_LE(plan.frequent, 512u) << n;
    }
}

// Of one sort of evenly spread keys in some thousands, at most, a digit has so many samples that
// they are taken for uneven ones.
TEST(HybridRadixPlan, HardlyEverTakesEvenlySpreadKeysForUneven) {
    for (const BlockRoom room : {kRoom, BlockRoom{5'632, 4096, 16}, BlockRoom{3'584, 2048, 15}})
        for_sizes([=](std::size_t n) {
            if (n > kResident * room.keys) return;
            const Limits limits{room.keys, room.keys};
            const PartitionPlan plan =
                hybrid_radix::plan_one_partition(n, limits, room, kResident, 0);
            const double digits = std::exp2(plan.digit_bits),
                         mean = hybrid_radix::kSamples / digits;
            // A digit's samples are as good as of Poisson's distribution.
            double more = 0, of_count = std::exp(-mean);
            for (unsigned count = 1; count <= plan.frequent + 40; ++count) {
                of_count *= mean / count;
                if (count > plan.frequent) more += of_count;
            }
            EXPECT_LT(digits * more, 1e-3) << n << " keys, buckets of " << room.keys;
        });
}

TEST(HybridRadixPlan, OnTheGridSplitsAgainBeyondItsHistogram) {
    const auto is_split_again = [](std::size_t n) {
        return hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident).is_split_again;
    };
    EXPECT_FALSE(is_split_again(std::size_t{1} << 29));
    EXPECT_TRUE(is_split_again(std::size_t{1} << 30));
}

TEST(HybridRadixPlan, GivesAllBlocksTheSameNumberOfFewTiles) {
    for (const std::size_t n : {4'000'000u, 16'777'216u, 33'000'000u}) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident);
        const std::size_t tiles = (n + plan.tile - 1) / plan.tile;
        const std::size_t rounds = (tiles + plan.blocks - 2) / (plan.blocks - 1);
        EXPECT_GE(tiles, rounds * (plan.blocks - 1) - rounds) << n;
    }
}

TEST(HybridRadixPlan, DividesBySamplesWhereAClassHardlyEverFillsABucket) {
    using hybrid_radix::most_divided_by_samples;
    for (const std::size_t bucket : {2u, 500u, 11'776u}) {
        EXPECT_LE(11 * most_divided_by_samples(bucket, 4), 512 * bucket)
            << "a class for each sample";
        EXPECT_GT(11 * (most_divided_by_samples(bucket, 4) + 1), 512 * bucket);
        EXPECT_LE(11 * most_divided_by_samples(bucket, 8), 256 * bucket) << "and for two samples";
        EXPECT_GT(11 * (most_divided_by_samples(bucket, 8) + 1), 256 * bucket);
    }
}

}  // namespace
}  // namespace stream_compaction
