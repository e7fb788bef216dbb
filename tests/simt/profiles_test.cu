// The emulated device with the profile of a GPU.
#include "simt/async_copy.h"
#include "simt/device.h"
#include "simt/emulated/executor.h"
#include "simt/kernel.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gtest/gtest.h>

#include <utility>

namespace {

using simt::test::to_device;
using simt::test::WithProfileOf;

__global__ void do_nothing() {}
__global__ void reduce_lanes(unsigned* sum) {
    const unsigned of_all = __reduce_add_sync(~0u, threadIdx.x);
    if (threadIdx.x == 0) *sum = of_all;
}
__global__ void init_barrier() { simt::dynamic_shared<simt::TransactionBarrier>()->init(1); }

TEST(Profiles, RefuseMoreSharedMemoryThanTheGpuHas) {
    for (const auto& [gpu, bytes] : {std::pair{"t4", 65'536u},
                                     {"a100", 166'912u},
                                     {"rtx3060", 101'376u},
                                     {"rtx4090", 101'376u},
                                     {"h200", 232'448u},
                                     {"b200", 232'448u},
                                     {"rtx5090", 101'376u}}) {
        SCOPED_TRACE(gpu);
        const WithProfileOf profile(gpu);
        EXPECT_EQ(simt::device_properties().shared_bytes_per_block, bytes);
        EXPECT_NO_THROW(simt::launch(do_nothing, {1, 32, bytes}));
        EXPECT_THROW(simt::launch(do_nothing, {1, 32, bytes + 1}), simt::KernelError);
    }
}

/// Computed by hand from the limits of threads, of blocks, and of shared memory including the
/// system's part: the smallest result counts.
TEST(Profiles, HoldAsManyBlocksAsTheGpuDoes) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer carries fewer";
#endif
    {
        const WithProfileOf profile("t4");                           // 40 multiprocessors
        EXPECT_EQ(simt::resident_blocks(do_nothing, 1024, 0), 20u);  // this machine can run no more
        EXPECT_EQ(simt::resident_blocks(do_nothing, 512, 33'000), 40u);
        EXPECT_EQ(simt::resident_blocks(do_nothing, 32, 0), 640u);
        EXPECT_EQ(simt::resident_blocks(do_nothing, 32, 16'384), 160u);
        EXPECT_EQ(simt::resident_blocks(do_nothing, 32, 65'536), 40u);
    }
    const WithProfileOf profile("rtx3060");  // 28
    EXPECT_EQ(simt::resident_blocks(do_nothing, 256, 49'152), 56u);
    EXPECT_EQ(simt::resident_blocks(do_nothing, 256, 51'200), 28u);
    EXPECT_NO_THROW(simt::launch(do_nothing, {28, 256, 51'200, nullptr, true}));
    EXPECT_THROW(simt::launch(do_nothing, {29, 256, 51'200, nullptr, true}), simt::KernelError);
}

TEST(Profiles, LackWhatTheGpuLacks) {
    auto sum = to_device<unsigned>({0});
    const auto has_reduce = [&] { simt::launch(reduce_lanes, {1, 32}, sum.data()); };
    const auto has_bulk_copies = [] { simt::launch(init_barrier, {1, 1, 64}); };
    {
        const WithProfileOf profile("t4");
        EXPECT_THROW(has_reduce(), simt::KernelError);
        EXPECT_THROW(has_bulk_copies(), simt::KernelError);
    }
    {
        const WithProfileOf profile("a100");
        EXPECT_NO_THROW(has_reduce());
        EXPECT_THROW(has_bulk_copies(), simt::KernelError);
    }
    const WithProfileOf profile("h200");
    EXPECT_NO_THROW(has_reduce());
    EXPECT_NO_THROW(has_bulk_copies());
}

}  // namespace
