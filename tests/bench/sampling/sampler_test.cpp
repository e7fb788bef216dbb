// Samples on a simulated machine with known times: see simulated_machine.h.
#include "src/bench/sampling/sampler.h"

#include "simt/error.h"
#include "src/bench/measurement.h"
#include "tests/bench/sampling/simulated_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

namespace stream_compaction {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::Each;
using testing::SizeIs;

constexpr double kLoadingUs = 10'000;  // additional time of the first call

class SamplerTest : public testing::Test {
  protected:
    SamplerTest() { machine = {}; }

    /// Calls that do this work and are counted. The first one loads the code.
    Enqueue calls_of(const DeviceWork& work) {
        return [this, work](simt::stream_t) {
            if (calls_++ == 0) machine.host_us += kLoadingUs;
            machine.run(work);
        };
    }

    std::function<void()> host_calls_of(double cold_us, double warm_us) {
        return [this, cold_us, warm_us] {
            if (calls_++ == 0) machine.host_us += kLoadingUs;
            machine.run_on_host(cold_us, warm_us);
        };
    }

    static auto are(std::size_t samples, double us) {
        return AllOf(SizeIs(samples), Each(DoubleNear(us, 1e-6)));
    }

    std::size_t calls_ = 0;
    simt::Stream stream_;
    L2Flush flush_{0};
    HostCacheFlush host_flush_{0};
};

TEST_F(SamplerTest, ColdIsOneCallAfterTheL2HasBeenOverwritten) {
    const auto sampler =
        cold_sampler(calls_of({.cold_us = 100, .warm_us = 40}), true, flush_, stream_);
    EXPECT_THAT(sampler->take(5), are(5, 100));
    const std::size_t before = calls_, flushes = machine.l2_flushes;
    EXPECT_THAT(sampler->take(Sampler::kMostSamples), are(Sampler::kMostSamples, 100));
    EXPECT_EQ(calls_ - before, Sampler::kMostSamples);
    EXPECT_GE(machine.l2_flushes - flushes, Sampler::kMostSamples);
}

TEST_F(SamplerTest, KnowsHowManyCallsItMakes) {
    // Except those of a graph, which are captured once.
    const std::unique_ptr<Sampler> samplers[] = {
        cold_sampler(calls_of({}), true, flush_, stream_), hot_sampler(calls_of({}), stream_),
        cold_host_sampler(host_calls_of(40, 40), host_flush_),
        hot_host_sampler(host_calls_of(40, 40))};
    for (const auto& sampler : samplers)
        for (const std::size_t samples : {1, 7}) {
            const std::size_t before = calls_;
            (void)sampler->take(samples);
            EXPECT_EQ(calls_ - before, sampler->calls(samples));
        }
}

TEST_F(SamplerTest, ColdLeavesOutThatTheDeviceWaitsForTheHost) {
    // The host needs 400 us to enqueue work that takes the device 20 us.
    const auto sampler =
        cold_sampler(calls_of({.launches = 20, .enqueue_us = 20, .cold_us = 1, .warm_us = 1}), true,
                     flush_, stream_);
    EXPECT_THAT(sampler->take(10), are(10, 20));
}

TEST_F(SamplerTest, ColdHoldsTheWaitOfACallThatIsNotAsynchronous) {
    const auto call = [calls = calls_of({.cold_us = 100, .warm_us = 40})](simt::stream_t stream) {
        calls(stream);
        machine.host_us = machine.device_us + 500;  // works on the results that it waited for
        machine.run({.cold_us = 100, .warm_us = 40});
    };
    const auto sampler = cold_sampler(call, false, flush_, stream_);
    const std::size_t flushes = machine.l2_flushes;
    EXPECT_THAT(sampler->take(10), are(10, 100 + 500 + 1 + 40));
    EXPECT_EQ(machine.l2_flushes - flushes, 10u) << "if nothing can be hidden, one is enough";
}

TEST_F(SamplerTest, FlushesHideTheHostsPartOfACall) {
    for (const double enqueue_us : {0., 1., 40., 1000.}) {
        int attempts = 0;
        const auto call = [&](simt::stream_t) {
            machine.host_us += attempts++ == 1 ? 0 : 3000;  // disturbed, except in one attempt
            machine.run({.enqueue_us = enqueue_us});
        };
        const std::size_t flushes = flushes_to_hide(call, flush_, stream_);
        EXPECT_GT(attempts, 1);
        const double hidden_us = static_cast<double>(flushes) * SimulatedMachine::kFlushUs;
        EXPECT_GE(hidden_us, enqueue_us + 5) << "the call, and an event before it";
        EXPECT_LE(hidden_us, 3 * enqueue_us + 2 * SimulatedMachine::kFlushUs);
    }
    const auto slow = [](simt::stream_t) { machine.host_us += 1e6; };
    EXPECT_EQ(flushes_to_hide(slow, flush_, stream_), 200u) << "or it would never end";
}

TEST_F(SamplerTest, HotIsOneOfManyCallsBackToBack) {
    for (const double us : {0.5, 7., 300., 5000., 50'000.}) {
        calls_ = 0;
        const auto sampler = hot_sampler(
            calls_of({.enqueue_us = us / 2, .cold_us = 2 * us, .warm_us = us}), stream_);
        const std::size_t before = calls_;
        EXPECT_THAT(sampler->take(4), are(4, us));
        const double batches = static_cast<double>(calls_ - before) / 4;
        EXPECT_GE(batches * us, std::min(500., 256 * us)) << "too short for the events' clock";
        EXPECT_LE(batches * us, 2 * (500 + us)) << "a turn would take too long";
        EXPECT_LE(batches, 1.25 * 256);
        EXPECT_THAT(sampler->take(Sampler::kMostSamples), are(Sampler::kMostSamples, us));
    }
}

TEST_F(SamplerTest, HotHoldsTheLaunchesWhereTheyTakeLonger) {
    const auto sampler = hot_sampler(calls_of({.enqueue_us = 5, .warm_us = 2}), stream_);
    EXPECT_THAT(sampler->take(10), are(10, 5));
}

TEST_F(SamplerTest, HotBeginsWhereTheDeviceIsBusy) {
    const auto sampler = hot_sampler(calls_of({.enqueue_us = 3, .warm_us = 4}), stream_);
    for (int turn = 0; turn < 3; ++turn) {
        machine.host_us += 1e6;  // the device becomes idle between two turns
        EXPECT_THAT(sampler->take(3), are(3, 4));
    }
}

TEST_F(SamplerTest, GraphLeavesTheLaunchesOut) {
    for (const double us : {0.5, 2., 300., 5000., 50'000.}) {
        calls_ = 0;
        const auto sampler = graph_sampler(
            calls_of({.launches = 3, .enqueue_us = us, .cold_us = us, .warm_us = us / 3}), stream_);
        const std::size_t captured = calls_;
        for (int turn = 0; turn < 3; ++turn) {
            machine.host_us += 1e6;
            EXPECT_THAT(sampler->take(4), are(4, us));
        }
        EXPECT_EQ(calls_, captured) << "what was captured is launched, and no more";
    }
}

TEST_F(SamplerTest, GraphHoldsManyCalls) {
    const auto sampler = graph_sampler(calls_of({.warm_us = 20}), stream_);
    (void)sampler->take(1);
    const double start = machine.device_us;
    (void)sampler->take(10);
    EXPECT_GE(machine.device_us - start, 11 * 900) << "short against the launch of a graph";
    EXPECT_LE(machine.device_us - start, 11 * 1500);

    calls_ = 0;
    (void)graph_sampler(calls_of({.enqueue_us = 0.1, .warm_us = 0.1}), stream_);
    EXPECT_LE(calls_, 9u + 128u) << "too large a graph";
}

TEST_F(SamplerTest, ColdHostIsOneCallAfterTheCachesHaveBeenOverwritten) {
    const auto sampler = cold_host_sampler(host_calls_of(90, 20), host_flush_);
    EXPECT_THAT(sampler->take(10), are(10, 90));
    EXPECT_EQ(calls_, 11u);
}

TEST_F(SamplerTest, HotHostIsOneOfManyCallsBackToBack) {
    for (const double us : {0.001, 0.5, 30., 5000.}) {
        calls_ = 0;
        const auto sampler = hot_host_sampler(host_calls_of(2 * us, us));
        const std::size_t before = calls_;
        EXPECT_THAT(sampler->take(4), are(4, us));
        const double batch_us = static_cast<double>(calls_ - before) / 4 * us;
        EXPECT_GE(batch_us, std::min(100., 1024 * us)) << "too short for the clock";
        EXPECT_LE(batch_us, 1.5 * (100 + us));
        EXPECT_LE(batch_us, 1024 * us + 1e-6);
    }
}

TEST_F(SamplerTest, WakesTheThreadsRightBeforeEachSampleAndUntimed) {
    bool is_awake = false, was_cold = false;
    std::size_t wakes = 0;
    const auto wake = [&] {
        was_cold = machine.host_cache_is_cold;
        is_awake = true;
        ++wakes;
        machine.host_us += 70;
    };
    const auto call = [&] {
        machine.run_on_host(is_awake ? 90 : 900, 90);
        is_awake = false;
    };
    const auto cold = cold_host_sampler(call, host_flush_, wake);
    wakes = 0;
    EXPECT_THAT(cold->take(4), are(4, 90));
    EXPECT_EQ(wakes, 4u);
    EXPECT_TRUE(was_cold) << "the threads would fall asleep again while the caches are overwritten";
    const auto hot = hot_host_sampler(call, wake);
    wakes = 0;
    EXPECT_THAT(hot->take(3), are(3, 90));
    EXPECT_EQ(wakes, 3u);
}

TEST_F(SamplerTest, CallsWhatIsSlowNoMoreOftenThanItMust) {
    constexpr double kSlow = 15'000;  // 25 ms at first
    const auto sampler = hot_sampler(calls_of({.warm_us = kSlow}), stream_);
    EXPECT_EQ(calls_, 1u);
    EXPECT_THAT(sampler->take(2), are(2, kSlow));
    EXPECT_EQ(calls_, 1u + 3u);
}

TEST_F(SamplerTest, JudgesTheBatchByLaterCallsThanTheFirst) {
    (void)hot_sampler(calls_of({.warm_us = 100}), stream_);
    EXPECT_GE(calls_, 1u + 4u) << "the first one loads the code";
}

TEST_F(SamplerTest, ReportsAFaultOfTheCalls) {
    const auto sampler_of = [&](Mode mode) {
        machine = {};
        const Enqueue call = calls_of({});
        return mode == Mode::cold  ? cold_sampler(call, true, flush_, stream_)
               : mode == Mode::hot ? hot_sampler(call, stream_)
                                   : graph_sampler(call, stream_);
    };
    for (const Mode mode : {Mode::cold, Mode::hot, Mode::graph}) {
        const auto sampler = sampler_of(mode);
        machine.has_faulted = true;
        EXPECT_THROW(sampler->take(1), simt::Error);
    }
}

}  // namespace
}  // namespace stream_compaction
