#include "src/bench/steady_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

using testing::ElementsAre;

constexpr double kSamples[] = {1, 2, 3, 4, 5, 6, 7, 8};

SteadySamples at_clocks(std::initializer_list<double> megahertz, double least = 0.75) {
    return steady_samples(std::span(kSamples).first(megahertz.size()),
                          std::span(megahertz.begin(), megahertz.size()), least);
}

TEST(SteadySamples, AreAtTheUsualClock) {
    const SteadySamples steady = at_clocks({345, 1980, 1980, 1485, 1484, 1980, 1980, 1980});
    EXPECT_THAT(steady.microseconds, ElementsAre(2, 3, 4, 6, 7, 8));
    EXPECT_EQ(steady.discarded, 2u);
}

TEST(SteadySamples, AreAllIfEveryClockIsLow) {
    EXPECT_EQ(at_clocks({345, 345, 345}).discarded, 0u);
    EXPECT_EQ(at_clocks({1980, 345, 345}).discarded, 0u) << "it was high by chance";
}

TEST(SteadySamples, AreTheFasterOnesOfTwo) {
    EXPECT_THAT(at_clocks({345, 1980}).microseconds, ElementsAre(2));
}

TEST(SteadySamples, AreThoseWhoseClockIsNotKnown) {
    EXPECT_EQ(at_clocks({0, 0, 0}).discarded, 0u);
    EXPECT_THAT(at_clocks({0, 1980, 345, 1980, 0}).microseconds, ElementsAre(1, 2, 4, 5));
}

TEST(SteadySamples, DependOnTheLeastShare) {
    EXPECT_EQ(at_clocks({1000, 990, 500, 1010}, 0).discarded, 0u);
    EXPECT_THAT(at_clocks({1000, 990, 500, 1010}, 1).microseconds, ElementsAre(1, 4));
    EXPECT_TRUE(at_clocks({}).microseconds.empty());
}

}  // namespace
}  // namespace stream_compaction
