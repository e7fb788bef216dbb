#include "src/progress.h"

#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

using std::chrono::seconds;

TEST(Progress, TellsHowFarItIsAndWhatIsLeft) {
    EXPECT_EQ(progress_line(0, 8, seconds(9), "scan"), "[--------------------]   0%  scan");
    // A quarter took 41 s, so three times that is left.
    EXPECT_EQ(progress_line(2, 8, seconds(41), "scan"),
              "[#####---------------]  25%  scan  2:03 left");
    EXPECT_EQ(progress_line(8, 8, seconds(60), "scan"),
              "[####################] 100%  scan  0:00 left");
    EXPECT_EQ(progress_line(0, 0, seconds(0), "nothing"), "[####################] 100%  nothing");
}

}  // namespace
}  // namespace stream_compaction
