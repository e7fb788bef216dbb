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
using hybrid_radix::GridDigits;
using hybrid_radix::GridPlan;
using hybrid_radix::kMaxDigitBits;
using hybrid_radix::Limits;
using hybrid_radix::PartitionDigits;
using hybrid_radix::PartitionTiles;
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
            const auto keys = static_cast<unsigned>(n);
            const PartitionTiles tiles = hybrid_radix::plan_tiles(keys, room, kResident, 0);
            EXPECT_LE(tiles.blocks, kResident);
            EXPECT_LE(tiles.tile, room.keys);
            EXPECT_GE(std::size_t{tiles.blocks} * tiles.tile, n);
            EXPECT_LT((std::size_t{tiles.blocks} - 1) * tiles.tile, n) << "a block without keys";
            const PartitionDigits digits =
                hybrid_radix::plan_digits(keys, {room.keys, room.keys}, 0);
            EXPECT_GE(digits.bits, 8u);
            EXPECT_LE(digits.bits, kMaxDigitBits);
            EXPECT_LE(digits.countable_bits, kMaxDigitBits);
        });
}

// Where a cluster sorts what is uneven, clusters are whole, and a bucket is at most twice a tile,
// or what a block sorts soon.
TEST(HybridRadixPlan, BesideAClusterHasWholeClustersAndSmallBuckets) {
    for (const unsigned cluster : {8u, 16u})
        for (const unsigned n : {11'777u, 20'000u, 32'768u, 65'537u, 100'000u}) {
            const PartitionTiles tiles = hybrid_radix::plan_tiles(n, kRoom, kResident, cluster);
            EXPECT_EQ(tiles.blocks % cluster, 0u) << n;
            EXPECT_LE(tiles.blocks, hybrid_radix::kBlocksOfFew) << n;
            EXPECT_LT((tiles.blocks - 1) * tiles.tile, n) << "a block without keys";
            const PartitionDigits digits = hybrid_radix::plan_digits(n, kLimits, cluster);
            EXPECT_LE(digits.bucket, std::max(2 * tiles.tile, 2048u)) << n;
            EXPECT_LT(digits.frequent, 128u) << n << ": of 512 samples";
            EXPECT_LE(digits.digit, digits.bucket) << n;
            const double even = n / 57.0;  // where even keys have the fewest digits
            EXPECT_GE(digits.digit, even + 3 * std::sqrt(even)) << n;
        }
    EXPECT_EQ(hybrid_radix::plan_digits(20'000, {0, 300}, 8).bucket, 300u);
}

// Without a cluster, blocks sort what they hold, however few digits there are.
TEST(HybridRadixPlan, WithoutAClusterADigitMayFillABucket) {
    for (const unsigned n : {11'777u, 32'767u, 1'000'000u}) {
        const PartitionDigits digits = hybrid_radix::plan_digits(n, kLimits, 0);
        EXPECT_EQ(digits.digit, digits.bucket) << n;
        EXPECT_EQ(digits.least, 0u) << n;
    }
    EXPECT_EQ(hybrid_radix::plan_digits(32'767, kLimits, 8).least, 96u);
    EXPECT_EQ(hybrid_radix::plan_digits(32'768, kLimits, 8).least, 0u);
}

TEST(HybridRadixPlan, OnTheGridFillsBuckets) {
    for_sizes([](std::size_t n) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident);
        EXPECT_GE(plan.blocks, 1u);
        EXPECT_LE(plan.blocks, kResident);
        EXPECT_GE(plan.tile, 1u);
        EXPECT_LE(plan.tile, kRoom.keys);
        EXPECT_LE(n >> plan.digit_bits, kLimits.bucket * 5 / 6);
        if (plan.digit_bits == 8) return;
        EXPECT_GE(n >> (plan.digit_bits - 1), kLimits.bucket * 4 / 5) << "fewer bits would do";
    });
}

TEST(HybridRadixPlan, OnTheGridHasOneDigitOrTwo) {
    for (unsigned bits = 8; bits <= 24; ++bits) {
        const GridDigits digits = hybrid_radix::digits_on_grid(bits, kRoom.histogram_bits);
        EXPECT_LE(digits.first, kMaxDigitBits);
        EXPECT_LE(digits.second, kMaxDigitBits);
        EXPECT_EQ(digits.first + digits.second, std::min(bits, 2 * kMaxDigitBits));
        EXPECT_EQ(digits.second == 0, bits <= kMaxDigitBits) << bits;
        EXPECT_EQ(digits.is_split_again, bits > kRoom.histogram_bits) << bits;
    }
}

/// So many digits of `bits` have keys, where these are evenly spread over `share` of a range of 32
/// bits.
double filled(unsigned bits, double share) { return std::exp2(bits) * share; }

/// What bits_to_fill makes of the keys that filled() is about.
unsigned bits_for(unsigned wanted, unsigned bits, double share) {
    return hybrid_radix::bits_to_fill(wanted, bits, 32, static_cast<unsigned>(share * 0xffffffff));
}

// Whatever share of a range it is that keys are evenly spread over: a fifth or more.
TEST(HybridRadixPlan, TakesMoreBitsWhereDigitsWouldBeTooFull) {
    for_sizes([](std::size_t n) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident);
        EXPECT_EQ(bits_for(plan.filled_digits, plan.digit_bits, 0.99), plan.digit_bits);
        for (const double share : {0.22, 0.3, 0.5, 0.51, 0.6, 0.75, 0.9}) {
            const unsigned bits = bits_for(plan.filled_digits, plan.digit_bits, share);
            EXPECT_LE(static_cast<double>(n) / filled(bits, share),
                      0.91 * static_cast<double>(kLimits.bucket) + 1)
                << share;
            EXPECT_LE(bits, plan.digit_bits + 3);
        }
    });
    EXPECT_EQ(hybrid_radix::bits_to_fill(300, 8, 9, 1u), 9u) << "no more than the keys have";
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
    for (const unsigned n : {20'000u, 100'000u, 1'000'000u, 3'000'000u}) {
        const PartitionDigits plan = hybrid_radix::plan_digits(n, kLimits, 0);
        const double expected = 512.0 * kLimits.bucket / n;
        EXPECT_GT(plan.frequent, std::min(expected + 2 * std::sqrt(expected), 511.0)) << n;
        EXPECT_LE(plan.frequent, std::max(expected * 5, 512.0)) << n;
        EXPECT_LE(plan.frequent, 512u) << n;
    }
}

/// How likely it is that one of so many digits has more than `frequent` samples, where keys are
/// evenly spread over them. A digit's samples are as good as of Poisson's distribution.
double likelihood_of_more(unsigned frequent, double digits) {
    const double mean = hybrid_radix::kSamples / digits;
    double more = 0, of_count = std::exp(-mean);
    for (unsigned count = 1; count <= frequent + 40; ++count) {
        of_count *= mean / count;
        if (count > frequent) more += of_count;
    }
    return digits * more;
}

// Of one sort of evenly spread keys in some thousands, at most, a digit has so many samples that
// they are taken for uneven ones; of those that have part of a range, of one in fifty.
TEST(HybridRadixPlan, HardlyEverTakesEvenlySpreadKeysForUneven) {
    for (const BlockRoom room : {kRoom, BlockRoom{5'632, 4096, 16}, BlockRoom{3'584, 2048, 15}})
        for_sizes([=](std::size_t n) {
            if (n > kResident * room.keys) return;
            const PartitionDigits plan =
                hybrid_radix::plan_digits(static_cast<unsigned>(n), {room.keys, room.keys}, 0);
            EXPECT_LT(likelihood_of_more(plan.frequent, std::exp2(plan.bits)), 1e-3) << room.keys;
            for (const double share : {0.3, 0.4, 0.51, 0.6, 0.75, 0.9}) {
                const unsigned bits =
                    std::min(bits_for(plan.filled, plan.bits, share), kMaxDigitBits);
                EXPECT_LT(likelihood_of_more(plan.frequent, filled(bits, share)), 0.02)
                    << share << ", buckets of " << room.keys;
            }
        });
}

TEST(HybridRadixPlan, OnTheGridSplitsAgainBeyondItsHistogram) {
    const auto is_split_again = [](std::size_t n) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kLimits, kRoom, kResident);
        return hybrid_radix::digits_on_grid(plan.digit_bits, kRoom.histogram_bits).is_split_again;
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
    for (const unsigned bucket : {2u, 500u, 11'776u}) {
        EXPECT_LE(11 * most_divided_by_samples(bucket, 4), 512 * bucket)
            << "a class for each sample";
        EXPECT_GT(11 * (most_divided_by_samples(bucket, 4) + 1), 512 * bucket);
        EXPECT_LE(11 * most_divided_by_samples(bucket, 8), 256 * bucket) << "and for two samples";
        EXPECT_GT(11 * (most_divided_by_samples(bucket, 8) + 1), 256 * bucket);
    }
}

}  // namespace
}  // namespace stream_compaction
