// The management library, and ones that lack something. FAKE_NVML is the common beginning of the
// paths of the fakes.
#include "src/bench/nvml.h"

#include <gtest/gtest.h>

#include <string>

namespace stream_compaction {
namespace {

const std::string kWhole = FAKE_NVML "_whole.so";
const std::string kWithoutEnergy = FAKE_NVML "_without_energy.so";
const std::string kWithoutClock = FAKE_NVML "_without_clock.so";

template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const NvmlError& error) {
        return error.what();
    }
    return "no error";
}

std::string error_of(const std::string& bus, const std::string& library) {
    return error_of([&] { const Nvml nvml(bus, library); });
}

TEST(Nvml, SaysWhatTheLibraryKnows) {
    const Nvml nvml("works", kWhole);
    EXPECT_EQ(nvml.driver_version(), "580.82.07");
    EXPECT_EQ(nvml.clock().megahertz, 1965) << "of the multiprocessors";
    EXPECT_FALSE(nvml.clock().is_throttled);
    EXPECT_EQ(nvml.busy_percent(), 63u);
    const double before = nvml.millijoules();
    EXPECT_GE(before, 0x1p40);  // more than 32 bits
    EXPECT_EQ(nvml.millijoules(), before + 1);
}

TEST(Nvml, SaysWhatItDoesNotKnow) {
    const Nvml nvml("fails", kWhole);
    EXPECT_TRUE(nvml.clock().is_throttled);  // it does not report its clock
    EXPECT_EQ(nvml.clock().megahertz, 0);
    EXPECT_EQ(nvml.busy_percent(), std::nullopt);
    EXPECT_EQ(error_of([&] { (void)nvml.millijoules(); }),
              kWhole + ": nvmlDeviceGetTotalEnergyConsumption returned 3");
}

TEST(Nvml, KnowsWhenHeatThrottlesTheDevice) {
    EXPECT_TRUE(Nvml("hot", kWhole).clock().is_throttled);
    EXPECT_EQ(Nvml("hot", kWhole).clock().megahertz, 1965);
}

TEST(Nvml, NeedNotCountEnergy) {
    const Nvml nvml("works", kWithoutEnergy);
    EXPECT_EQ(nvml.driver_version(), "580.82.07");
    EXPECT_EQ(error_of([&] { (void)nvml.millijoules(); }),
              kWithoutEnergy + " has no nvmlDeviceGetTotalEnergyConsumption");
}

TEST(Nvml, SaysWhatIsMissing) {
    EXPECT_EQ(error_of("works", "/none/libnvidia-ml.so.1"),
              "/none/libnvidia-ml.so.1 cannot be loaded");
    EXPECT_EQ(error_of("works", kWithoutClock), kWithoutClock + " has no nvmlDeviceGetClockInfo");
    EXPECT_EQ(error_of("elsewhere", kWhole),
              kWhole + ": nvmlDeviceGetHandleByPciBusId_v2 returned 6");
}

}  // namespace
}  // namespace stream_compaction
