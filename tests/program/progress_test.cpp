#include "src/program/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <string>
#include <thread>

namespace stream_compaction {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::MatchesRegex;
using Clock = TransferWatch::Clock;

TEST(Progress, IsALine) {
    EXPECT_EQ(progress_line(0, 10, 5s, "scan"), "[--------------------]   0%  scan");
    EXPECT_EQ(progress_line(5, 10, 65s, "scan"), "[##########----------]  50%  scan  1:05 left");
    // A quarter took 41 s, so three times as much remains.
    EXPECT_EQ(progress_line(2, 8, 41s, "scan"), "[#####---------------]  25%  scan  2:03 left");
    EXPECT_EQ(progress_line(10, 10, 65s, "scan"), "[####################] 100%  scan  0:00 left");
    EXPECT_EQ(progress_line(0, 0, 1s, "scan"), "[####################] 100%  scan");
}

TEST(Progress, OfACallHasBytesRateAndTimeLeft) {
    const Clock::time_point start = Clock::now();
    const auto line = [&](std::size_t moved, Clock::duration elapsed) {
        return progress_line(
            {.moved = moved, .expected = 4'000'000'000, .start = start, .is_running = true},
            start + elapsed, 1s);
    };
    EXPECT_EQ(line(1'000'000'000, 2s),
              "[#####---------------]  25%  1.00 of 4.00 GB, 0.5 GB/s  0:06 left");
    EXPECT_EQ(line(3'500'000'000, 100s),
              "[#################---]  88%  3.50 of 4.00 GB, 0.035 GB/s  0:14 left");
    EXPECT_EQ(line(0, 1s), "[--------------------]   0%  0.00 of 4.00 GB, 0 GB/s");
}

TEST(Progress, OfACallWaitsUntilItIsALongOne) {
    const Clock::time_point start = Clock::now();
    const auto has_line = [&](bool is_running, Clock::duration elapsed) {
        return progress_line({.moved = 1, .expected = 2, .start = start, .is_running = is_running},
                             start + elapsed, 1s)
            .has_value();
    };
    EXPECT_FALSE(has_line(true, 0s));
    EXPECT_FALSE(has_line(true, 999ms));
    EXPECT_TRUE(has_line(true, 1s));
    EXPECT_FALSE(has_line(false, 2s));
}

/// While this object lives, stderr is a terminal or a pipe.
class OtherStderr {
  public:
    explicit OtherStderr(bool is_terminal) : before_(dup(STDERR_FILENO)) {
        if (is_terminal ? openpty(&ends_[0], &ends_[1], nullptr, nullptr, nullptr) != 0
                        : pipe(ends_.data()) != 0)
            ADD_FAILURE() << "there is none";
        dup2(ends_[1], STDERR_FILENO);
    }
    OtherStderr(const OtherStderr&) = delete;
    OtherStderr& operator=(const OtherStderr&) = delete;
    ~OtherStderr() {
        dup2(before_, STDERR_FILENO);
        for (const int end : {ends_[0], ends_[1], before_}) close(end);
    }

    /// Waits until this text has been written.
    std::string read_until(const std::string& end) const {
        std::string text;
        for (char character = 0; !text.ends_with(end);)
            if (read(ends_[0], &character, 1) == 1) text += character;
        return text;
    }

    /// All text that was written and not yet read.
    std::string rest() const {
        (void)!write(ends_[1], "end", 3);
        return read_until("end");
    }

  private:
    std::array<int, 2> ends_{};
    int before_;
};

const std::string kClear = "\r\x1b[K";
const std::string kClearInRegex = "\r\x1b\\[K";

std::string written_to(bool is_terminal) {
    const OtherStderr other(is_terminal);
    {
        const Progress progress(4);
        progress.show(1, "scan");
        progress.clear();
        progress.show(3, "sort");
    }
    return other.rest();
}

TEST(Progress, IsOnATerminalsLastLine) {
    const std::string& clear = kClearInRegex;
    EXPECT_THAT(
        written_to(true),
        MatchesRegex(clear + "\\[#####-+\\]  25%  scan  [0-9]:[0-9][0-9] left" + clear + clear +
                     "\\[###############-+\\]  75%  sort  [0-9]:[0-9][0-9] left" + clear + "end"));
}

TEST(Progress, IsNowhereElse) { EXPECT_EQ(written_to(false), "end"); }

TEST(CallProgress, ShowsALineWhileACallRuns) {
    const OtherStderr terminal(true);
    CallProgress progress([] { std::cerr << "before" << std::flush; },
                          {.patience = 0s, .every = 1ms});
    for (int call = 0; call < 2; ++call) {
        SCOPED_TRACE(call);
        ASSERT_NE(TransferWatch::of_this_thread(), nullptr);
        {
            const Transfer transfer(4'000'000'000);
            TransferWatch::of_this_thread()->add_moved(1'000'000'000);
            // A line may have been written before anything had moved.
            EXPECT_THAT(terminal.read_until(" left"),
                        MatchesRegex(".*" + kClearInRegex +
                                     "\\[#####-+\\]  25%  1\\.00 of 4\\.00 GB, "
                                     "[0-9.e+]+ GB/s  [0-9]:[0-9][0-9] left"));
        }
        EXPECT_THAT(terminal.read_until("before"), EndsWith(kClear + "before"));
    }
    EXPECT_EQ(terminal.rest(), "end") << "the call is over";
}

TEST(CallProgress, LeavesNothingBehindAtItsEnd) {
    const OtherStderr terminal(true);
    {
        CallProgress progress({}, {.patience = 0s, .every = 1ms});
        const Transfer transfer(8);
        (void)terminal.read_until("GB/s");
    }
    EXPECT_EQ(TransferWatch::of_this_thread(), nullptr);
    EXPECT_THAT(terminal.rest(), EndsWith(kClear + "end"));
}

TEST(CallProgress, HasNoLineForShortCalls) {
    const OtherStderr terminal(true);
    {
        CallProgress progress({}, {.patience = 1h, .every = 1ms});
        const Transfer transfer(8);
        std::this_thread::sleep_for(20ms);  // time to write a line
    }
    EXPECT_EQ(terminal.rest(), "end");
}

TEST(CallProgress, DoesNothingWhereThereIsNoTerminal) {
    const OtherStderr pipe(false);
    {
        CallProgress progress({}, {.patience = 0s, .every = 1ms});
        EXPECT_EQ(TransferWatch::of_this_thread(), nullptr);
        const Transfer transfer(8);
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_EQ(pipe.rest(), "end");
}

}  // namespace
}  // namespace stream_compaction
