#include "src/bench/statistics.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace stream_compaction {
namespace {

// The expected values are numpy's (1.24), for samples `a`:
//   numpy.percentile(a, [50, 25, 75]), a.min(), len(a)
TEST(Statistics, AreNumpys) {
    const struct {
        std::vector<double> samples;
        Statistics expected;
    } kTable[] = {
        {{3.5}, {.median = 3.5, .min = 3.5, .q1 = 3.5, .q3 = 3.5, .samples = 1}},
        {{4, 1}, {.median = 2.5, .min = 1, .q1 = 1.75, .q3 = 3.25, .samples = 2}},
        {{5, 1, 4}, {.median = 4, .min = 1, .q1 = 2.5, .q3 = 4.5, .samples = 3}},
        {{9.25, 1.5, 3, 7}, {.median = 5, .min = 1.5, .q1 = 2.625, .q3 = 7.5625, .samples = 4}},
        {{10, 2, 38, 23, 38, 23, 21, 0.5},
         {.median = 22, .min = 0.5, .q1 = 8, .q3 = 26.75, .samples = 8}},
        {{0.001, 1000, 5, 5, 5, 2.75, 8},
         {.median = 5, .min = 0.001, .q1 = 3.875, .q3 = 6.5, .samples = 7}},
    };
    for (const auto& [samples, expected] : kTable) EXPECT_EQ(summarize(samples), expected);
}

// numpy.quantile([1, 2, 4, 8, 16], q)
TEST(Quantile, IsNumpys) {
    const std::vector<double> ascending = {1, 2, 4, 8, 16};
    const std::pair<double, double> kTable[] = {{0, 1},   {0.1, 1.4},  {0.33, 2.64},
                                                {0.5, 4}, {0.9, 12.8}, {1, 16}};
    for (const auto& [q, expected] : kTable) EXPECT_DOUBLE_EQ(quantile(ascending, q), expected);
}

TEST(Quantile, RefusesWhatHasNone) {
    const std::vector<double> one = {1};
    EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
    EXPECT_THROW(quantile(one, -0.1), std::invalid_argument);
    EXPECT_THROW(quantile(one, 1.1), std::invalid_argument);
    EXPECT_THROW(summarize({}), std::invalid_argument);
}

TEST(Statistics, AreUnstableAboveHalfOfTheMedian) {
    EXPECT_FALSE(is_unstable({.median = 8, .min = 1, .q1 = 6, .q3 = 10, .samples = 9}));
    EXPECT_TRUE(is_unstable({.median = 8, .min = 1, .q1 = 6, .q3 = 10.1, .samples = 9}));
}

}  // namespace
}  // namespace stream_compaction
