// Kernels in a process, in its children, and in it again.
#include "simt/kernel.h"
#include "tests/child_process.h"
#include "tests/simt/probes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace {

using stream_compaction::succeeds_in_child;

/// Launches blocks that wait for each other, so threads of the executor are needed.
bool blocks_meet() {
    constexpr unsigned kBlocks = 4;
    auto arrived = simt::test::to_device<unsigned>({0});
    simt::DeviceArray<pid_t> executed_by(kBlocks);
    std::atomic<unsigned> spins = 0;
    simt::launch(simt::test::meet, {kBlocks, 1}, arrived.data(), executed_by.data(), &spins);
    std::vector<unsigned> count(1);
    arrived.copy_to(count);
    return count[0] == kBlocks;
}

TEST(Fork, LeavesAParentAndAChildThatCanLaunchAndExit) {
    if (!stream_compaction::kForks) GTEST_SKIP() << "ThreadSanitizer allows no threads there";
    EXPECT_TRUE(blocks_meet());
    EXPECT_TRUE(succeeds_in_child([] { return true; }));
    EXPECT_TRUE(succeeds_in_child([] { return blocks_meet() && succeeds_in_child(blocks_meet); }));
    EXPECT_TRUE(blocks_meet());
}

}  // namespace
