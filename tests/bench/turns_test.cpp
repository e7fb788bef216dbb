// The turns of rows whose GPU changes its clock, on a simulated machine: see
// sampling/simulated_machine.h.
#include "src/bench/turns.h"

#include "tests/bench/sampling/simulated_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>

namespace stream_compaction {
namespace {

constexpr double kFast = 1980, kSlow = 600, kIdle = 345;  // megahertz
constexpr double kUsAtFullClock = 4000;                   // five samples a turn

/// The GPU's clock, as a function of the time.
std::function<double(double us)> clock_at;
std::size_t readings = 0;

GpuClock read_clock() {
    ++readings;
    machine.host_us += 1000;  // a slow NVML
    return {.megahertz = clock_at(machine.host_us)};
}

/// Calls that take longer at a lower clock.
class Calls final : public Sampler {
  public:
    std::vector<double> take(std::size_t samples) override {
        std::vector<double> times(samples);
        for (double& time : times) {
            time = kUsAtFullClock * kFast / clock_at(machine.host_us);
            machine.host_us += time;
        }
        return times;
    }
    std::size_t calls(std::size_t samples) const override { return samples; }
};

class TurnsTest : public testing::Test {
  protected:
    TurnsTest() {
        machine = {};
        readings = 0;
    }

    /// A row's results after its turns. Without an arena, as for a copy.
    Entrant::Seen seen_after(const Turns& turns, const Algorithm* algorithm = nullptr) {
        Entrant entrant{.contender = {algorithm, {}}, .sampler = std::make_unique<Calls>()};
        Entrant* const entrants[] = {&entrant};
        Round round;
        turns.take(entrants, {}, round);
        EXPECT_TRUE(round.skipped.empty());
        return entrant.seen;
    }

    const std::atomic<bool> stop_ = false;
};

TEST_F(TurnsTest, ReplacesSamplesAtALowClock) {
    clock_at = [](double us) { return us < 30e3 || us > 110e3 ? kFast : kSlow; };
    const Turns turns({.samples = 50}, stop_, read_clock, {});
    const Entrant::Seen seen = seen_after(turns);
    const SteadySamples steady = turns.steady(seen);
    ASSERT_EQ(steady.microseconds.size(), 50u);
    EXPECT_EQ(std::ranges::max(steady.microseconds), kUsAtFullClock);
    EXPECT_GT(steady.discarded, 0u);
    EXPECT_FALSE(turns.lacks_samples(seen));
}

TEST_F(TurnsTest, ReplacesTheLastSample) {
    clock_at = [](double) { return readings == 5 ? kSlow : kFast; };
    const Turns turns({.samples = 3}, stop_, read_clock, {});
    const Entrant::Seen seen = seen_after(turns);
    EXPECT_EQ(turns.steady(seen).microseconds.size(), 3u);
    EXPECT_EQ(seen.samples.size(), 4u);
}

TEST_F(TurnsTest, DiscardsTheFirstSampleOfAGpuThatWasIdle) {
    clock_at = [](double us) { return us < 1500 ? kIdle : kFast; };
    const Turns turns({.min_samples = 20, .min_seconds = 0}, stop_, read_clock, {});
    const Entrant::Seen seen = seen_after(turns);
    EXPECT_EQ(turns.steady(seen).discarded, 1u);
    EXPECT_GE(turns.steady(seen).microseconds.size(), 20u);
}

TEST_F(TurnsTest, KeepsEverySampleOfAGpuThatIsIdleBeforeEachTurn) {
    clock_at = [](double) { return readings % 2 == 1 ? kIdle : kFast; };
    const Turns turns({.samples = 50}, stop_, read_clock, {});
    const Entrant::Seen seen = seen_after(turns);
    EXPECT_EQ(turns.steady(seen).discarded, 0u);
    EXPECT_EQ(seen.samples.size(), 50u);
}

TEST_F(TurnsTest, EndsInTimeIfTooManySamplesAreDiscarded) {
    // The clock is low in one turn of six, and at the end of the turn before.
    clock_at = [](double) { return readings / 2 % 6 == 1 ? kSlow : kFast; };
    const Turns turns({.min_samples = 1000, .min_seconds = 0.01, .max_seconds = 1}, stop_,
                      read_clock, {});
    const Entrant::Seen seen = seen_after(turns);
    EXPECT_GT(turns.steady(seen).discarded, 0u);
    EXPECT_TRUE(turns.lacks_samples(seen));
    EXPECT_GE(seen.seconds, 1);
    EXPECT_LE(seen.seconds, 1.1);
}

TEST_F(TurnsTest, MayKeepSamplesAtALowClock) {
    clock_at = [](double us) { return us < 30e3 || us > 110e3 ? kFast : kSlow; };
    const Turns turns({.samples = 50, .least_clock = 0.2}, stop_, read_clock, {});
    EXPECT_EQ(turns.steady(seen_after(turns)).discarded, 0u);
}

TEST_F(TurnsTest, ReadsNoClockOfTheGpuForARowOnTheHost) {
    clock_at = [](double) { return kFast; };
    Algorithm on_host{};
    on_host.runs_on = Place::host;
    const Turns turns({.samples = 5}, stop_, read_clock, {});
    EXPECT_EQ(seen_after(turns, &on_host).samples.size(), 5u);
    EXPECT_EQ(readings, 0u);
}

TEST_F(TurnsTest, ReadsTheClockOutsideOfTheSamplesTime) {
    clock_at = [](double) { return kFast; };
    const Turns turns({.samples = 41}, stop_, read_clock, {});
    EXPECT_DOUBLE_EQ(seen_after(turns).seconds, 41 * kUsAtFullClock / 1e6);
    EXPECT_EQ(readings, 20u) << "before and after 1, 7 x 5, 4 and 1 samples";
}

}  // namespace
}  // namespace stream_compaction
