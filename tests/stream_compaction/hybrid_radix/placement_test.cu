// Which neighbours among a launch's blocks are on the most multiprocessors.
#include "simt/device.h"
#include "stream_compaction/hybrid_radix/placement.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using hybrid_radix::first_spread;

TEST(HybridRadixPlacement, BeginsWhereEachBlockIsAlone) {
    EXPECT_EQ(first_spread(std::vector{0u, 1u, 2u, 0u, 1u, 2u}, 3), 0u);
    EXPECT_EQ(first_spread(std::vector{5u, 5u, 0u, 7u, 0u, 7u}, 3), 1u);
    EXPECT_EQ(first_spread(std::vector{4u, 4u, 4u, 4u}, 2), 0u) << "nowhere is better";
    EXPECT_EQ(first_spread(std::vector{1u, 1u, 1u, 0u}, 2), 2u) << "the last ones";
}

TEST(HybridRadixPlacement, SkipsWhatAnH100FillsFirst) {
    constexpr unsigned kFilledFirst = 8, kOthers = 124;  // as was seen there
    std::vector<unsigned> multiprocessors;
    for (int turn = 0; turn < 2; ++turn)
        for (unsigned m = 0; m < kFilledFirst; ++m) multiprocessors.push_back(kOthers + m);
    for (int turn = 0; turn < 2; ++turn)
        for (unsigned m = 0; m < kOthers; ++m) multiprocessors.push_back(m);
    EXPECT_EQ(first_spread(multiprocessors, kOthers + kFilledFirst), kFilledFirst);
}

TEST(HybridRadixPlacement, IsOfALaunchOnThisDevice) {
    constexpr unsigned kThreads = 512;
    const auto multiprocessors = static_cast<unsigned>(simt::device_properties().multiprocessors);
    const unsigned blocks =
        simt::resident_blocks(hybrid_radix::record_multiprocessors<kThreads>, kThreads, 16'384);
    simt::DeviceArray<std::byte> memory(blocks * sizeof(unsigned));
    const auto first_of = [&](unsigned blocks) {
        return hybrid_radix::find_first_spread<kThreads>(blocks, 16'384, multiprocessors, memory);
    };
    EXPECT_EQ(first_of(multiprocessors), 0u) << "all are needed";
    EXPECT_LE(first_of(blocks) + multiprocessors, blocks);
    if (simt::kBackend == simt::Backend::emulated && 1 < multiprocessors &&
        multiprocessors < blocks) {
        EXPECT_EQ(first_of(blocks), 1u) << "there, the first two share one";
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
