#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/stopwatch.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace stream_compaction {
namespace {

TEST(DeviceStopwatch, MakesALapBetweenTwoMarks) {
    const simt::Stream stream;
    DeviceStopwatch watch(stream.get());
    for (std::size_t marks = 1; marks <= 5; ++marks) {
        watch.mark();
        EXPECT_EQ(watch.laps().size(), marks - 1);
    }
    for (const Microseconds lap : watch.laps()) EXPECT_GE(lap.count(), 0);
}

TEST(DeviceStopwatch, HasNoLapsWithoutMarks) { EXPECT_TRUE(DeviceStopwatch().laps().empty()); }

TEST(DeviceStopwatch, ReadsTheClockOfItsStreamsWork) {
    constexpr std::size_t kBytes = std::size_t{32} << 20;
    simt::DeviceArray<char> memory(kBytes);
    const simt::Stream stream;
    DeviceStopwatch watch(stream.get());
    watch.mark();
    for (int round = 0; round < 4; ++round)
        simt::fill_async(memory.data(), 0, kBytes, stream.get());
    watch.mark();
    const double bytes_per_microsecond = 4 * kBytes / watch.laps().front().count();
    EXPECT_GT(bytes_per_microsecond, 0);
    EXPECT_LT(bytes_per_microsecond, 1e8) << "100 TB/s: the lap does not cover the work";
}

}  // namespace
}  // namespace stream_compaction
