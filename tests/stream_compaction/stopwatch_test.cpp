#include "stream_compaction/stopwatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

TEST(HostStopwatch, MakesALapBetweenTwoMarks) {
    HostStopwatch watch;
    EXPECT_TRUE(watch.laps().empty());
    for (std::size_t marks = 1; marks <= 5; ++marks) {
        watch.mark();
        EXPECT_EQ(watch.laps().size(), marks - 1);
    }
    for (const Microseconds lap : watch.laps()) EXPECT_GE(lap.count(), 0);
}

TEST(HostStopwatch, MeasuresWhatLiesBetweenTheMarks) {
    using namespace std::chrono_literals;
    HostStopwatch watch;
    watch.mark();
    watch.mark();
    std::this_thread::sleep_for(20ms);
    watch.mark();
    const std::vector<Microseconds> laps = watch.laps();
    ASSERT_EQ(laps.size(), 2u);
    EXPECT_GE(laps[1], 20ms);
}

TEST(Outcome, OfOneLapIsTheWholeTime) {
    const Microseconds laps[] = {Microseconds(12.5)};
    const Outcome result = outcome(7, laps);
    EXPECT_EQ(result.count, 7u);
    EXPECT_EQ(result.elapsed, Microseconds(12.5));
    EXPECT_FALSE(result.phases.has_value());
}

TEST(Outcome, OfThreeLapsHasPhases) {
    const Microseconds laps[] = {Microseconds(1), Microseconds(2), Microseconds(4)};
    const Outcome result = outcome(7, laps);
    EXPECT_EQ(result.elapsed, Microseconds(7));
    ASSERT_TRUE(result.phases.has_value());
    EXPECT_EQ(result.phases->map, Microseconds(1));
    EXPECT_EQ(result.phases->scan, Microseconds(2));
    EXPECT_EQ(result.phases->scatter, Microseconds(4));
}

TEST(Outcome, OfSeveralSlicesHasTheSumsOfTheirPhases) {
    const Microseconds laps[] = {Microseconds(1),  Microseconds(2),  Microseconds(4),
                                 Microseconds(10), Microseconds(20), Microseconds(40)};
    const Outcome result = outcome(7, laps);
    EXPECT_EQ(result.elapsed, Microseconds(77));
    ASSERT_TRUE(result.phases.has_value());
    EXPECT_EQ(result.phases->map, Microseconds(11));
    EXPECT_EQ(result.phases->scan, Microseconds(22));
    EXPECT_EQ(result.phases->scatter, Microseconds(44));
}

TEST(Outcome, OfNoLapsHasNoTime) {
    const Outcome result = outcome(0, {});
    EXPECT_EQ(result.elapsed, Microseconds(0));
    EXPECT_FALSE(result.phases.has_value());
}

}  // namespace
}  // namespace stream_compaction
