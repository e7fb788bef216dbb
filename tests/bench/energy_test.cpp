// The energy of a call, on a simulated machine with known times and a known power: see
// sampling/simulated_machine.h.
#include "src/bench/energy.h"

#include "tests/bench/sampling/simulated_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stream_compaction {
namespace {

constexpr double kCallUs = 2000, kMillijoulesAUs = 0.3;  // 300 W

/// Calls back to back, three per sample.
class Calls final : public Sampler {
  public:
    std::vector<double> take(std::size_t samples) override {
        machine.host_us += static_cast<double>(calls(samples)) * kCallUs;
        return std::vector<double>(samples, kCallUs);
    }
    std::size_t calls(std::size_t samples) const override { return 3 * samples; }
};

class Energy : public testing::Test {
  protected:
    Energy() { machine = {}; }

    /// The energy from a counter that is updated at this interval.
    static double counted(double every_us) {
        return kMillijoulesAUs * every_us * std::floor(machine.host_us / every_us);
    }

    Calls calls_;
};

TEST_F(Energy, IsWhatIsCountedOverTheCalls) {
    for (const std::size_t samples : {1, 5, 100})  // 6, 30 and 600 ms
        EXPECT_DOUBLE_EQ(millijoules_of_a_call(calls_, samples, [] { return counted(1); }),
                         kMillijoulesAUs * kCallUs)
            << samples;
}

TEST_F(Energy, IsOfHalfASecondAtLeast) {
    (void)millijoules_of_a_call(calls_, 5, [] { return counted(1); });
    EXPECT_GE(machine.host_us, 5e5);
    EXPECT_LE(machine.host_us, 6e5);
}

TEST_F(Energy, IsCountedFromWhereTheCounterCountsOn) {
    // Updates every 90 ms, which is three times 5 samples: begun shortly before an update, and yet
    // exact.
    machine.host_us = 80e3;
    EXPECT_NEAR(millijoules_of_a_call(calls_, 5, [] { return counted(90e3); }),
                kMillijoulesAUs * kCallUs, 1e-9);
}

TEST_F(Energy, IsNotKnownOfACounterThatStandsStill) {
    EXPECT_THROW(millijoules_of_a_call(calls_, 5, [] { return 7.; }), NvmlError);
    EXPECT_LE(machine.host_us, 6e6);
}

TEST_F(Energy, IsNotKnownWhereTheCounterFails) {
    int readings = 0;
    const auto counter = [&] {
        if (++readings == 3) throw NvmlError("lost");
        return counted(1);
    };
    EXPECT_THROW(millijoules_of_a_call(calls_, 5, counter), NvmlError);
}

}  // namespace
}  // namespace stream_compaction
