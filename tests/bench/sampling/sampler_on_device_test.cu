// The samplers with a kernel that runs for a known time and counts its calls. No check depends on
// how busy the machine is: a call takes at least the time that the kernel measures, and all calls
// of a turn together at most the time of the turn.
#include "simt/kernel.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "src/bench/measurement.h"
#include "src/bench/sampling/host_clock.h"
#include "src/bench/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

namespace stream_compaction {
namespace {

using Nanoseconds = unsigned long long;

__device__ Nanoseconds nanoseconds() {
#if defined(SIMT_EMULATED)
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
#else
    Nanoseconds now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#endif
}

/// The totals of all calls of the kernel.
struct Calls {
    Nanoseconds count = 0, shortest_ns = 0;
};

__global__ void spin(Nanoseconds wanted_ns, Calls* calls) {
    const Nanoseconds start = nanoseconds();
    Nanoseconds now = start;
    while (now - start < wanted_ns) now = nanoseconds();
    ++calls->count;
    calls->shortest_ns = min(calls->shortest_ns, now - start);
}

class SamplerOnDevice : public testing::TestWithParam<Mode> {
  protected:
    SamplerOnDevice() { store({.count = 0, .shortest_ns = ~0ull}); }

    std::unique_ptr<Sampler> sampler(Nanoseconds wanted_ns) {
        const Enqueue call = [this, wanted_ns](simt::stream_t stream) {
            simt::launch(spin, {1, 1, 0, stream}, wanted_ns, calls_.data());
        };
        switch (GetParam()) {
            case Mode::cold:
                return cold_sampler(call, true, flush_, stream_);
            case Mode::hot:
                return hot_sampler(call, stream_);
            case Mode::graph:
                return graph_sampler(call, stream_);
            case Mode::host:
                break;
        }
        return hot_host_sampler([this, call] {
            call(stream_.get());
            stream_.synchronize();
        });
    }

    void store(const Calls& calls) { calls_.copy_from(std::span(&calls, 1)); }
    Calls calls() {
        stream_.synchronize();
        Calls host;
        calls_.copy_to(std::span(&host, 1));
        return host;
    }

    simt::Stream stream_;
    L2Flush flush_{1 << 20};
    simt::DeviceArray<Calls> calls_{1};
};

TEST_P(SamplerOnDevice, AgreesWithTheKernelsOwnClock) {
    for (const Nanoseconds wanted_ns : {20'000, 1'000'000}) {
        const auto timed = sampler(wanted_ns);
        const Calls before = calls();
        const double start = host_clock_us();
        const std::vector<double> samples = timed->take(8);
        const double turn_us = host_clock_us() - start;
        const Calls after = calls();

        ASSERT_EQ(samples.size(), 8u);
        const double least_us = *std::ranges::min_element(samples);
        const double kernel_us = static_cast<double>(after.shortest_ns) / 1e3;
        EXPECT_GE(kernel_us, static_cast<double>(wanted_ns) / 1e3);
        // Events have a resolution of half a microsecond, the global timer of about one.
        EXPECT_GE(least_us, kernel_us - 3) << "the samples leave work out";
        // The batch before the first sample may have been as short as the kernel allows.
        const double calls_of_sample = static_cast<double>(after.count - before.count) / 9;
        EXPECT_LE(8 * calls_of_sample * least_us, 1.01 * turn_us)
            << "the samples hold more than the calls";
        store({.count = 0, .shortest_ns = ~0ull});
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, SamplerOnDevice, testing::ValuesIn(kModes),
                         [](const auto& mode) { return std::string(to_string(mode.param)); });

}  // namespace
}  // namespace stream_compaction
