#include "src/measure/gpu_load.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace stream_compaction {
namespace {

/// A GPU whose use depends on a simulated clock.
struct Simulated {
    std::function<std::optional<unsigned>(double)> percent_at;
    double now_s = 0;

    std::optional<unsigned> use_by_others() {
        return gpu_use_by_others([this] { return percent_at(now_s); },
                                 [this](double seconds) { now_s += seconds; });
    }
};

TEST(GpuLoad, IsWhatOthersUse) {
    Simulated gpu{[](double) { return std::optional(97u); }};
    EXPECT_EQ(gpu.use_by_others(), 97u);
}

TEST(GpuLoad, IsNothingOnAGpuOfOnesOwn) {
    for (const unsigned percent : {0u, 4u}) {
        Simulated gpu{[&](double) { return std::optional(percent); }};
        EXPECT_EQ(gpu.use_by_others(), std::nullopt);
        EXPECT_EQ(gpu.now_s, 0) << "an idle GPU costs no time";
    }
}

TEST(GpuLoad, IsNotOfAProgramThatHasJustEnded) {
    constexpr double kSamplePeriod = 1;  // the longest that NVIDIA documents
    Simulated gpu{[](double now_s) { return std::optional(now_s < kSamplePeriod ? 80u : 0u); }};
    EXPECT_EQ(gpu.use_by_others(), std::nullopt);
}

TEST(GpuLoad, IsThatOfTheSecondLook) {
    Simulated gpu{[](double now_s) { return std::optional(now_s == 0 ? 100u : 5u); }};
    EXPECT_EQ(gpu.use_by_others(), 5u);
}

TEST(GpuLoad, IsNothingIfItIsNotKnown) {
    Simulated gpu{[](double) { return std::optional<unsigned>(); }};
    EXPECT_EQ(gpu.use_by_others(), std::nullopt);
}

}  // namespace
}  // namespace stream_compaction
