// What the host decides, for any n and any device: without a kernel.
#include "stream_compaction/hybrid_radix/plan.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace stream_compaction {
namespace {

using hybrid_radix::BlockRoom;
using hybrid_radix::GridPlan;
using hybrid_radix::kMaxDigitBits;
using hybrid_radix::Limits;
using hybrid_radix::PartitionPlan;
using hybrid_radix::Way;

constexpr BlockRoom kRoom{11'776, 16};
constexpr Limits kLimits{11'776, 11'776};
constexpr unsigned kResident = 264;  // two blocks on each of 132 multiprocessors
constexpr KeyOrder kIntegers{.is_signed = true, .is_floating = false};
constexpr KeyOrder kFloats{.is_signed = true, .is_floating = true};

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
    return hybrid_radix::choose_way(n, is_large, limits, kRoom, kResident);
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

TEST(HybridRadixPlan, OfOnePartitionGivesEachBlockAPart) {
    for (const BlockRoom room : {kRoom, BlockRoom{3'584, 15}})
        for_sizes([=](std::size_t n) {
            if (n > kResident * room.keys) return;
            const Limits limits{room.keys, room.keys};
            const PartitionPlan plan = hybrid_radix::plan_one_partition(n, limits, room, kResident);
            EXPECT_LE(plan.blocks, kResident);
            EXPECT_LE(plan.tile, room.keys);
            EXPECT_GE(std::size_t{plan.blocks} * plan.tile, n);
            EXPECT_LT((std::size_t{plan.blocks} - 1) * plan.tile, n) << "a block without keys";
            EXPECT_GE(plan.digit_bits, 8u);
            EXPECT_LE(plan.digit_bits, kMaxDigitBits);
            EXPECT_LE(plan.countable_bits, kMaxDigitBits);
        });
}

TEST(HybridRadixPlan, OnTheGridFillsBucketsByTwoThirds) {
    for_sizes([](std::size_t n) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kIntegers, kLimits, kRoom, kResident);
        EXPECT_GE(plan.blocks, 1u);
        EXPECT_LE(plan.blocks, kResident);
        EXPECT_GE(plan.tile, 1u);
        EXPECT_LE(plan.tile, kRoom.keys);
        EXPECT_GE(plan.digit_bits[0], 5u);  // lists.h counts on it
        EXPECT_LE(plan.digit_bits[0], kMaxDigitBits);
        EXPECT_LE(plan.digit_bits[1], kMaxDigitBits);
        const unsigned bits = plan.digit_bits[0] + plan.digit_bits[1];
        EXPECT_LE(bits, kRoom.histogram_bits);
        if (plan.is_split_again) return;
        EXPECT_LE(n >> bits, kLimits.bucket * 3 / 4);
        if (bits == 8) return;
        EXPECT_GE(n >> (bits - 1), kLimits.bucket * 2 / 3) << "fewer bits would do";
    });
}

// Where the numbers of a range are more than a block can stage, each is there so often that the
// kernel counts their first digit alone.
TEST(HybridRadixPlan, StagesNoMoreCountsThanABlockHolds) {
    constexpr std::size_t kOften = 1024;
    struct Case {
        BlockRoom room;
        unsigned staged_bits;  // of positions of 32 bits
    };
    for (const Case& one : {Case{{11'776, 16}, 14}, Case{{5'632, 16}, 14}, Case{{6'656, 15}, 13},
                            Case{{3'584, 15}, 13}})
        for_sizes([&](std::size_t n) {
            const Limits limits{one.room.keys, one.room.keys};
            const GridPlan plan =
                hybrid_radix::plan_on_grid(n, kIntegers, limits, one.room, kResident);
            const unsigned bits = plan.digit_bits[0] + plan.digit_bits[1];
            if (bits <= one.staged_bits) return;
            EXPECT_GE(n >> bits, kOften) << one.room.keys << " keys of a block";
        });
}

TEST(HybridRadixPlan, OnTheGridSplitsAgainBeyondItsHistogram) {
    const auto is_split_again = [](std::size_t n) {
        return hybrid_radix::plan_on_grid(n, kIntegers, kLimits, kRoom, kResident).is_split_again;
    };
    EXPECT_FALSE(is_split_again(std::size_t{1} << 29));
    EXPECT_TRUE(is_split_again(std::size_t{1} << 30));
}

TEST(HybridRadixPlan, LeavesUnevenKeysToPassesWhereThatMayPay) {
    const auto plan_of = [](std::size_t n, KeyOrder order, unsigned uneven) {
        return hybrid_radix::plan_on_grid(n, order, {11'776, 11'776, uneven}, kRoom, kResident);
    };
    constexpr std::size_t kMany = std::size_t{1} << 26;
    EXPECT_TRUE(plan_of(kMany - 1, kIntegers, 4).looks);
    EXPECT_EQ(plan_of(kMany - 1, kIntegers, 4).uneven, 4u);
    EXPECT_FALSE(plan_of(kMany - 1, kIntegers, 4).passes_follow);
    EXPECT_TRUE(plan_of(kMany, kIntegers, 4).passes_follow);
    EXPECT_EQ(plan_of(kMany + 1, kIntegers, 4).uneven, 1u) << "they have been read by then";
    for (const auto& plan : {plan_of(kMany, kFloats, 4), plan_of(kMany, kIntegers, 1)}) {
        EXPECT_FALSE(plan.looks);
        EXPECT_EQ(plan.uneven, 1u);
        EXPECT_FALSE(plan.passes_follow);
    }
}

TEST(HybridRadixPlan, GivesAllBlocksTheSameNumberOfFewTiles) {
    for (const std::size_t n : {4'000'000u, 16'777'216u, 33'000'000u}) {
        const GridPlan plan = hybrid_radix::plan_on_grid(n, kIntegers, kLimits, kRoom, kResident);
        const std::size_t tiles = (n + plan.tile - 1) / plan.tile;
        const std::size_t rounds = (tiles + plan.blocks - 2) / (plan.blocks - 1);
        EXPECT_GE(tiles, rounds * (plan.blocks - 1) - rounds) << n;
    }
}

}  // namespace
}  // namespace stream_compaction
