// DeviceStopwatch compared with the GPU's own clock: a kernel that runs for a known time.
#include "simt/kernel.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/stopwatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace stream_compaction {
namespace {

#if defined(SIMT_EMULATED)

TEST(DeviceStopwatch, AgreesWithTheGpusOwnClock) {
    GTEST_SKIP() << "the CPU that executes kernels has no such clock";
}

#else

__device__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void spin(unsigned long long wanted_ns, unsigned long long* took_ns) {
    const unsigned long long start = nanoseconds();
    unsigned long long now = start;
    while (now - start < wanted_ns) now = nanoseconds();
    *took_ns = now - start;
}

TEST(DeviceStopwatch, AgreesWithTheGpusOwnClock) {
    const simt::Stream stream;
    simt::DeviceArray<unsigned long long> device_took(1);
    for (const unsigned long long wanted_us : {200, 1000, 5000, 20000}) {
        // The fastest of this many calls was not disturbed, even on a busy machine.
        constexpr int kMostCalls = 1000;
        const double most_excess_us = 30 + 0.001 * static_cast<double>(wanted_us);
        double least_excess_us = 1e9;
        for (int call = 0; call < kMostCalls && least_excess_us > most_excess_us; ++call) {
            DeviceStopwatch watch(stream.get());
            watch.mark();
            simt::launch(spin, {1, 1, 0, stream.get()}, wanted_us * 1000, device_took.data());
            watch.mark();
            const double elapsed_us = watch.laps().front().count();
            unsigned long long took_ns = 0;
            device_took.copy_to(std::span(&took_ns, 1));
            const double took_us = static_cast<double>(took_ns) / 1e3;
            EXPECT_GE(took_us, static_cast<double>(wanted_us));
            // Events have a resolution of half a microsecond, the global timer of about one.
            EXPECT_GE(elapsed_us, took_us - 3) << "the laps leave work out";
            least_excess_us = std::min(least_excess_us, elapsed_us - took_us);
        }
        EXPECT_LE(least_excess_us, most_excess_us) << "the laps hold more than the launch";
    }
}

#endif

}  // namespace
}  // namespace stream_compaction
