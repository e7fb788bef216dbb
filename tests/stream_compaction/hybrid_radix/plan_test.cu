// The host's decisions, for any n and any device: without a kernel.
#include "stream_compaction/hybrid_radix/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stream_compaction {
namespace {

using namespace hybrid_radix;

constexpr Room kRoom{11'776, 10'240, 9};
constexpr Thresholds kThresholds{.few = 11'764, .bucket = 11'776};
constexpr unsigned kResident = 264;  // two blocks on each of 132 multiprocessors
constexpr std::size_t kMost = std::size_t{1} << 31;

/// Small and large, powers of two and their neighbours.
template <class F>
void for_sizes(std::size_t least, std::size_t most, F f) {
    for (std::size_t power = 1; power <= most; power *= 2)
        for (const std::size_t n : {power, power + 1, power + power / 3}) {
            if (n < least || n > most) continue;
            SCOPED_TRACE(n);
            f(n);
        }
}

Way way_of(std::size_t n, Thresholds thresholds = kThresholds) {
    return choose_way(n, thresholds, kRoom, kResident);
}

TEST(HybridRadixPlan, ChoosesTheWayBySize) {
    EXPECT_EQ(way_of(11'764), Way::onesweep);
    EXPECT_EQ(way_of(11'765), Way::in_registers);
    EXPECT_EQ(way_of(264 * 11'776), Way::in_registers);
    EXPECT_EQ(way_of(264 * 11'776 + 1), Way::on_grid);
    EXPECT_EQ(way_of(kMost), Way::on_grid);
    EXPECT_EQ(way_of(kMost + 1), Way::onesweep) << "positions have 32 bits";

    const Thresholds thresholds{.few = 0, .bucket = 2, .in_registers = 300};
    EXPECT_EQ(way_of(1, thresholds), Way::in_registers);
    EXPECT_EQ(way_of(300, thresholds), Way::in_registers);
    EXPECT_EQ(way_of(301, thresholds), Way::on_grid);
    // Two digits of 9 bits have 2^18 bins of two keys.
    EXPECT_EQ(way_of((std::size_t{2} << 18) - 1, thresholds), Way::on_grid);
    EXPECT_EQ(way_of(std::size_t{2} << 18, thresholds), Way::onesweep);
}

TEST(HybridRadixPlan, InRegistersGivesEachBlockATile) {
    for (const Room room : {kRoom, Room{3'584, 2'048, 8}})
        for_sizes(1, std::size_t{kResident} * room.block_keys, [=](std::size_t n) {
            const Plan plan = plan_in_registers(n, {0, room.block_keys}, room, kResident);
            EXPECT_EQ(plan.n, n);
            EXPECT_LE(plan.blocks, kResident);
            EXPECT_LE(plan.tile, room.block_keys);
            EXPECT_GE(std::size_t{plan.blocks} * plan.tile, n);
            EXPECT_LT(std::size_t{plan.blocks - 1} * plan.tile, n) << "a block without keys";
            EXPECT_LE(plan.bits, kMaxRegisterBits);
            EXPECT_EQ(plan.bucket,
                      std::min<std::size_t>(room.block_keys, std::max<std::size_t>(2048, n / 32)));
        });
    EXPECT_EQ(plan_in_registers(100'000, {0, 300}, kRoom, kResident).bucket, 300u);
}

TEST(HybridRadixPlan, StartsNoBlockForFewKeysUnlessMultiprocessorsWouldBeIdle) {
    EXPECT_EQ(blocks_worth(1), 1u);
    EXPECT_EQ(blocks_worth(512), 1u);
    EXPECT_EQ(blocks_worth(513), 2u);
    EXPECT_EQ(blocks_worth(64 * 512), 64u);
    EXPECT_EQ(blocks_worth(64 * 2048), 64u);
    EXPECT_EQ(blocks_worth(64 * 2048 + 1), 65u);
}

TEST(HybridRadixPlan, OnTheGridFillsBuckets) {
    for_sizes(1, kMost, [](std::size_t n) {
        const Plan plan = plan_on_grid(n, kThresholds, kRoom, kResident);
        EXPECT_EQ(plan.n, n);
        EXPECT_GE(plan.blocks, 1u);
        EXPECT_LE(plan.blocks, kResident);
        EXPECT_GE(plan.tile, 1u);
        EXPECT_LE(plan.tile, kRoom.tile_keys);
        EXPECT_EQ(plan.bucket, kThresholds.bucket);
        EXPECT_LE(n >> plan.bits, kThresholds.bucket * 83 / 100 + 1);
        if (plan.bits == 8) return;
        EXPECT_GE(n >> (plan.bits - 1), kThresholds.bucket * 83 / 100) << "fewer bits would do";
    });
}

TEST(HybridRadixPlan, GivesAllBlocksTheSameNumberOfFewTiles) {
    constexpr std::size_t kTiles = std::size_t{kResident} * 10'240;
    for (const std::size_t n : {kTiles, kTiles + 1, 12 * kTiles - 5, 12 * kTiles}) {
        const Plan plan = plan_on_grid(n, kThresholds, kRoom, kResident);
        EXPECT_LE(ceil_div(n, std::size_t{plan.tile}), ceil_div(n, kTiles) * plan.blocks) << n;
        EXPECT_LT(std::size_t{plan.tile - 1} * plan.blocks * ceil_div(n, kTiles), n) << n;
    }
    EXPECT_EQ(plan_on_grid(12 * kTiles + 1, kThresholds, kRoom, kResident).tile, kRoom.tile_keys);
}

TEST(HybridRadixPlan, HasEnoughBitsForFullBuckets) {
    EXPECT_EQ(bits_for_buckets(1, 2, 83), 8u) << "the least";
    EXPECT_EQ(buckets_of(999, 100, 100), 9u);
    EXPECT_EQ(bits_for_buckets(256 * 83 - 1, 100, 83), 8u);
    EXPECT_EQ(bits_for_buckets(256 * 83, 100, 83), 9u);
    EXPECT_EQ(bits_for_buckets(kMost, 2, 83), 31u);
}

TEST(HybridRadixPlan, OnTheGridHasOneDigitOrTwo) {
    for (unsigned bits = 1; bits <= 18; ++bits) {
        const Digits digits = digits_of(bits, 9);
        EXPECT_EQ(digits.both(), bits);
        EXPECT_EQ(digits.second == 0, bits <= 9) << bits;
        EXPECT_LE(std::max(digits.first, digits.second), 9u) << bits;
        if (bits > 9) {
            EXPECT_LE(digits.second - digits.first, 1u) << bits;
        }
    }
    EXPECT_EQ(digits_of(21, 9).both(), 18u) << "no more than two";
}

// Keys are evenly spread over any share of a range, from one fifth on.
TEST(HybridRadixPlan, AddsBitsIfBinsWouldBeTooFull) {
    for_sizes(1, kMost, [](std::size_t n) {
        const Plan plan = plan_on_grid(n, kThresholds, kRoom, kResident);
        for (const double share : {0.22, 0.3, 0.5, 0.51, 0.6, 0.75, 0.99}) {
            const auto spread = static_cast<unsigned>(share * 0xffffffff);
            const unsigned bits = bits_to_fill(plan.buckets, plan.bits, 32, spread);
            EXPECT_LE(static_cast<double>(n) / (std::exp2(bits) * share), 0.91 * 11'776) << share;
            EXPECT_LE(bits, plan.bits + kMostAddedBits);
            if (share > 0.98) {
                EXPECT_EQ(bits, plan.bits);
            }
        }
    });
    EXPECT_EQ(bits_to_fill(300, 8, 9, 1u), 9u) << "no more than the keys have";
    EXPECT_EQ(bits_to_fill(256, 8, 64, ~0ull), 9u) << "255 bins above the least key";
    EXPECT_EQ(bits_to_fill(255, 8, 64, ~0ull), 8u);
}

}  // namespace
}  // namespace stream_compaction
