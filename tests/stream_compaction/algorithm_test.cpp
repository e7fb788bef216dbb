#include "stream_compaction/algorithm.h"

#include "simt/checked_size.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr int kBlockSizes[] = {32, 64};
constexpr int kItems[] = {1, 4};
constexpr LegalTuning kBoth{kBlockSizes, kItems};
constexpr LegalTuning kBlockSizeOnly{kBlockSizes, {}};
constexpr int kPaddings[] = {0, 1};
constexpr LegalTuning kPadded{{}, {}, kPaddings};

TEST(Operation, HasAName) {
    EXPECT_EQ(to_string(Operation::scan), "scan");
    EXPECT_EQ(to_string(Operation::compact), "compact");
    EXPECT_EQ(to_string(Operation::sort), "sort");
    EXPECT_THROW(to_string(static_cast<Operation>(3)), std::invalid_argument);
}

TEST(LegalTuning, ContainsTheListedValuesOnly) {
    EXPECT_TRUE(kBoth.contains({32, 1}));
    EXPECT_TRUE(kBoth.contains({64, 4}));
    EXPECT_FALSE(kBoth.contains({48, 4}));
    EXPECT_FALSE(kBoth.contains({64, 2}));
    EXPECT_FALSE(kBoth.contains({0, 0}));
    EXPECT_TRUE(kBlockSizeOnly.contains({32, 0}));
    EXPECT_FALSE(kBlockSizeOnly.contains({32, 1}));
    EXPECT_TRUE(LegalTuning().contains({0, 0}));
    EXPECT_FALSE(LegalTuning().contains({32, 0}));
    EXPECT_TRUE(kPadded.contains({0, 0, 0}));
    EXPECT_TRUE(kPadded.contains({0, 0, 1}));
    EXPECT_FALSE(kPadded.contains({0, 0, 2}));
    EXPECT_FALSE(LegalTuning().contains({0, 0, 0}));
}

TEST(RequireLegalTuning, SaysWhatIsLegal) {
    EXPECT_NO_THROW(require(kBoth, {64, 1}));
    EXPECT_THAT(
        [] {
            require(kBoth, {48, 1});
        },
        testing::ThrowsMessage<std::invalid_argument>("block size is 48, expected 32 64"));
    EXPECT_THAT(
        [] {
            require(kBoth, {32, -2});
        },
        testing::ThrowsMessage<std::invalid_argument>("items per thread is -2, expected 1 4"));
    EXPECT_THAT(
        [] {
            require({}, {8, 0});
        },
        testing::ThrowsMessage<std::invalid_argument>(
            "block size is 8, expected 0: the algorithm does not have this parameter"));
    EXPECT_THAT(
        [] {
            require({}, {0, 0, 0});
        },
        testing::ThrowsMessage<std::invalid_argument>(
            "padding is 0, expected 1: the algorithm does not have this parameter"));
}

TEST(RequireCapacity, RefusesMore) {
    EXPECT_NO_THROW(require_capacity(Capacity(0), 0));
    EXPECT_NO_THROW(require_capacity(Capacity(7), 7));
    EXPECT_THAT([] { require_capacity(Capacity(7), 8); },
                testing::ThrowsMessage<std::invalid_argument>("a plan for 7 elements was given 8"));
}

TEST(RequireCapacity, RefusesWhatWasMovedFrom) {
    Capacity first(7);
    Capacity second = std::move(first);
    EXPECT_NO_THROW(require_capacity(second, 7));
    EXPECT_THROW(require_capacity(first, 0), std::logic_error);
    first = std::move(second);
    EXPECT_NO_THROW(require_capacity(first, 7));
    EXPECT_THROW(require_capacity(second, 0), std::logic_error);
}

TEST(Capacity, IsWhatAMemoryCanHold) {
    EXPECT_EQ(Capacity(kLargestSize), kLargestSize);
    EXPECT_THROW(Capacity(kLargestSize + 1), simt::OutOfMemory);
}

TEST(CheckedSize, DoesNotWrapAround) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(simt::checked_sum(kMost - 1, 1), kMost);
    EXPECT_THROW((void)simt::checked_sum(kMost, 1), simt::OutOfMemory);
    EXPECT_EQ(simt::checked_product(kMost / 4, 4), kMost - 3);
    EXPECT_THROW((void)simt::checked_product(kMost / 4 + 1, 4), simt::OutOfMemory);
    EXPECT_EQ(simt::checked_product(kMost, 0), 0u);
}

TEST(CeilDiv, RoundsUpWithoutOverflow) {
    EXPECT_EQ(ceil_div(0, 4), 0u);
    EXPECT_EQ(ceil_div(1, 4), 1u);
    EXPECT_EQ(ceil_div(4, 4), 1u);
    EXPECT_EQ(ceil_div(5, 4), 2u);
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(ceil_div(kMost, 2), std::size_t{1} << 63);
    EXPECT_EQ(ceil_div(kMost, kMost), 1u);
}

TEST(BlocksFor, CoverEveryThreadAsFarAsAGridReaches) {
    EXPECT_EQ(blocks_for(1, 256), 1u);
    EXPECT_EQ(blocks_for(257, 256), 2u);
    constexpr std::size_t kMostBlocks = std::numeric_limits<int>::max();
    EXPECT_EQ(blocks_for(kMostBlocks * 8, 8), kMostBlocks);
    EXPECT_THROW(blocks_for(kMostBlocks * 8 + 1, 8), std::invalid_argument);
}

TEST(Dispatch, CallsForTheMatchingValueAlone) {
    std::vector<int> called;
    const auto call = [&]<int Value>() { called.push_back(Value); };
    EXPECT_TRUE((dispatch<1, 2, 4>(2, call)));
    EXPECT_TRUE((dispatch<1, 2, 4>(4, call)));
    EXPECT_FALSE((dispatch<1, 2, 4>(3, call)));
    EXPECT_THAT(called, testing::ElementsAre(2, 4));
}

}  // namespace
}  // namespace stream_compaction
