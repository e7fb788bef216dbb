// How onesweep divides keys into tiles, for a given number of launched blocks.
#include "stream_compaction/grid.h"
#include "stream_compaction/onesweep/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

constexpr unsigned kMultiprocessors = 132, kLaunched = 2 * kMultiprocessors;

template <class Shape>
class OnesweepTiles : public testing::Test {
  protected:
    using Job = onesweep::Job<Shape, unsigned>;
    static constexpr std::size_t kLargest = Shape::tile_keys(Shape::kMaxGroups);

    static Job job_of(std::size_t n) {
        Job job{};
        job.n = static_cast<unsigned>(n);
        job.multiprocessors = kMultiprocessors;
        job.choose_tiles(kLaunched);
        return job;
    }
    static std::size_t tiles_of(const Job& job) {
        return ceil_div(job.n, Shape::tile_keys(job.groups));
    }
};
using Shapes = testing::Types<onesweep::LargeShape<unsigned, onesweep::NoValue>,
                              onesweep::FewShape<unsigned, onesweep::NoValue>,
                              onesweep::Shape<unsigned, onesweep::NoValue, 3, 8, 16384, 2>,
                              onesweep::SmallShape<unsigned long long, unsigned>>;
TYPED_TEST_SUITE(OnesweepTiles, Shapes);

TYPED_TEST(OnesweepTiles, AreNoLargerThanTheyCanBe) {
    for (std::size_t n = 1; n < std::size_t{1} << 30; n += n / 7 + 1) {
        const auto job = this->job_of(n);
        ASSERT_GE(job.groups, 1u) << n;
        ASSERT_LE(job.groups, TypeParam::kMaxGroups) << n;
        ASSERT_GE(job.blocks, 1u) << n;
        ASSERT_LE(job.blocks, std::min<std::size_t>(kLaunched, this->tiles_of(job))) << n;
    }
}

TYPED_TEST(OnesweepTiles, AreOneForEachMultiprocessorWhereThatHoldsTheKeys) {
    for (std::size_t n = 1; n <= kMultiprocessors * this->kLargest; n += n / 7 + 1) {
        const auto job = this->job_of(n);
        ASSERT_LE(job.blocks, kMultiprocessors) << n;
        ASSERT_EQ(job.blocks, this->tiles_of(job)) << n;
        const auto smaller = job.groups - 1;
        ASSERT_TRUE(smaller == 0 || kMultiprocessors * TypeParam::tile_keys(smaller) < n) << n;
    }
}

TYPED_TEST(OnesweepTiles, AreNoMoreForABlockThanOfTheLargest) {
    for (std::size_t n = kMultiprocessors * this->kLargest + 1; n < std::size_t{1} << 30;
         n += n / 7) {
        const std::size_t rounds = ceil_div(n, kLaunched * this->kLargest);
        ASSERT_LE(this->tiles_of(this->job_of(n)), rounds * kLaunched) << n;
    }
}

TYPED_TEST(OnesweepTiles, AreOfWholeCohortsWhereBlocksHaveSeveral) {
    for (std::size_t n = kLaunched * this->kLargest + 1; n < std::size_t{1} << 30; n += n / 7) {
        const auto job = this->job_of(n);
        ASSERT_EQ(job.blocks % job.cohort, 0u) << n;
    }
}

TEST(OnesweepShapes, AreOfTheFewestKeysThatTheyAreFor) {
    using Shapes = onesweep::LargeShapes<unsigned, onesweep::NoValue>;
    const auto items_for = [](std::size_t n) {
        return onesweep::with_shape_for(Shapes(), n, kLaunched,
                                        []<class Shape>(Shape) { return Shape::kMaxItems; });
    };
    constexpr std::size_t kOneOfEach = kLaunched * onesweep::kThreads;
    EXPECT_EQ(items_for(1), 20u);
    EXPECT_EQ(items_for(20 * kOneOfEach), 20u);
    EXPECT_EQ(items_for(20 * kOneOfEach + 1), 32u);
    EXPECT_EQ(items_for(32 * kOneOfEach), 32u);
    EXPECT_EQ(items_for(32 * kOneOfEach + 1), 24u) << "two tiles";
    EXPECT_EQ(items_for(48 * kOneOfEach), 24u);
    EXPECT_EQ(items_for(48 * kOneOfEach + 1), 32u);
    EXPECT_EQ(items_for(std::size_t{1} << 40), 32u) << "many tiles";
}

/// Blocks that start together have one tile each, whatever is launched and however many keys there
/// are.
template <class Shape>
void expect_one_tile_each(unsigned launched) {
    for (std::size_t n = 1; Shape::is_for(n, launched); n += n / 5 + 1) {
        onesweep::Job<Shape, unsigned> job{};
        job.n = static_cast<unsigned>(n);
        job.multiprocessors = kMultiprocessors;
        job.choose_tiles(launched);
        ASSERT_EQ(job.blocks, ceil_div(n, Shape::tile_keys(job.groups))) << n << ", " << launched;
    }
}
TEST(OnesweepShapes, HaveOneTileEachWhereAllStartTogether) {
    for (const unsigned launched :
         {1u, 7u, kMultiprocessors, kLaunched, onesweep::kMaxBlocks + 100}) {
        expect_one_tile_each<onesweep::FewShape<unsigned, onesweep::NoValue>>(launched);
        expect_one_tile_each<onesweep::FewShape<unsigned, unsigned>>(launched);
        expect_one_tile_each<onesweep::Shape<unsigned, onesweep::NoValue, 4, 8, 16384, 1>>(
            launched);
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
