#include "src/measure/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

namespace stream_compaction {
namespace {

using namespace std::chrono_literals;
using testing::MatchesRegex;

TEST(Progress, IsALine) {
    EXPECT_EQ(progress_line(0, 10, 5s, "scan"), "[--------------------]   0%  scan");
    EXPECT_EQ(progress_line(5, 10, 65s, "scan"), "[##########----------]  50%  scan  1:05 left");
    // A quarter took 41 s, so three times that is left.
    EXPECT_EQ(progress_line(2, 8, 41s, "scan"), "[#####---------------]  25%  scan  2:03 left");
    EXPECT_EQ(progress_line(10, 10, 65s, "scan"), "[####################] 100%  scan  0:00 left");
    EXPECT_EQ(progress_line(0, 0, 1s, "scan"), "[####################] 100%  scan");
}

/// What it writes to a terminal; to a pipe, where there is none.
std::string written_to(bool terminal) {
    std::array<int, 2> ends{};
    if (terminal ? openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0
                 : pipe(ends.data()) != 0)
        return "there is none";
    const int before = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    {
        const Progress progress(4);
        progress.show(1, "scan");
        progress.clear();
        progress.show(3, "sort");
    }
    dup2(before, STDERR_FILENO);
    close(before);
    (void)!write(ends[1], "end", 3);
    std::string text;
    std::array<char, 256> piece{};
    while (!text.ends_with("end"))
        text.append(piece.data(), static_cast<std::size_t>(read(ends[0], piece.data(), 256)));
    close(ends[0]);
    close(ends[1]);
    return text;
}

TEST(Progress, IsOnATerminalsLastLine) {
    constexpr const char* kClear = "\r\x1b\\[K";
    EXPECT_THAT(
        written_to(true),
        MatchesRegex(std::string(kClear) + "\\[#####-+\\]  25%  scan  [0-9]:[0-9][0-9] left" +
                     kClear + kClear + "\\[###############-+\\]  75%  sort  [0-9]:[0-9][0-9] left" +
                     kClear + "end"));
}

TEST(Progress, IsNowhereElse) { EXPECT_EQ(written_to(false), "end"); }

}  // namespace
}  // namespace stream_compaction
