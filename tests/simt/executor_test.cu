// How the emulated backend fails, that it works afterwards, and in which order it runs blocks.
#include "simt/device.h"
#include "simt/emulated/executor.h"
#include "simt/kernel.h"
#include "simt/memory.h"
#include "tests/simt/device_result.h"
#include "tests/simt/probes.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using simt::Order;
using simt::test::expect_that_kernels_work;
using simt::test::reverse;
using simt::test::to_device;
using simt::test::under_every_schedule;
using simt::test::WithOptions;
using testing::HasSubstr;

std::string at_line(unsigned line) { return "executor_test.cu:" + std::to_string(line); }

constexpr unsigned kBarrierLine = __LINE__ + 2;
__global__ void diverge(unsigned block) {
    if (blockIdx.x != block || threadIdx.x < 7) __syncthreads();
}

TEST(Executor, NamesLaunchAndLineAndThread) {
    const WithOptions with({.workers = 1});
    const unsigned launch_line = __LINE__ + 2;
    try {
        simt::launch(diverge, {10, 64}, 4u);
        FAIL() << "not found";
    } catch (const simt::KernelError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr(at_line(launch_line) + ": block (4,0,0), thread (7,0,0) at "));
        EXPECT_THAT(error.what(), HasSubstr(at_line(kBarrierLine)));
    }
}

TEST(Executor, WorksAfterAFailure) {
    under_every_schedule([] {
        for (int i = 0; i < 5; ++i) {
            EXPECT_THROW(simt::launch(diverge, {10, 64}, 4u), simt::KernelError);
            expect_that_kernels_work();
        }
    });
}

/// One thread throws; the others wait for it, hold memory, or spin for ever.
__global__ void throw_among_others(unsigned* never) {
    const auto held = std::make_shared<std::vector<unsigned>>(1000, threadIdx.x);
    if (blockIdx.x == 2 && threadIdx.x == 37) throw std::runtime_error("thrown by a kernel");
    if (blockIdx.x == 3)
        while (simt::DeviceAtomic<unsigned>(*never).load(simt::memory_order_relaxed) == 0)
            simt::relax();
    if (threadIdx.x / 32 == 0) __shfl_sync(~0u, held->front(), 5);
    __syncthreads();
}

TEST(Executor, PassesOnWhatAKernelThrowsAndUnwindsItsThreads) {
    under_every_schedule([] {
        if (simt::device_properties().multiprocessors < 2)
            return;  // block 3 would keep the others out
        auto never = to_device<unsigned>({0});
        try {
            simt::launch(throw_among_others, {8, 64}, never.data());
            FAIL() << "not thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "thrown by a kernel");
        }
        expect_that_kernels_work();
    });
}

constexpr unsigned kWarpLine = __LINE__ + 4;
constexpr unsigned kBlockLine = __LINE__ + 5;
__global__ void part_within_a_warp() {
    if (threadIdx.x < 16)
        __syncwarp();
    else
        __syncthreads();
}

TEST(Executor, TellsWhoWaitsInADeadlock) {
    const WithOptions with({.workers = 1, .order = Order::reverse});
    try {
        simt::launch(part_within_a_warp, {1, 18});
        FAIL() << "not found";
    } catch (const simt::KernelError& error) {
        EXPECT_THAT(error.what(), HasSubstr("exited"));  // the warp has 18 lanes, not 32
    }
    try {
        simt::launch(part_within_a_warp, {1, 32});
        FAIL() << "not found";
    } catch (const simt::KernelError& error) {
        EXPECT_THAT(error.what(), HasSubstr("block (0,0,0): deadlock"));
        EXPECT_THAT(error.what(), HasSubstr("32 threads wait"));
        EXPECT_THAT(error.what(), HasSubstr(at_line(kWarpLine)));
        EXPECT_THAT(error.what(), HasSubstr(at_line(kBlockLine)));
    }
}

__global__ void launch_a_kernel(int* out) { simt::launch(reverse, {1, 64}, out); }

TEST(Executor, RefusesALaunchWithinAKernel) {
    simt::DeviceArray<int> out(64);
    EXPECT_THROW(simt::launch(launch_a_kernel, {1, 1}, out.data()), simt::KernelError);
    expect_that_kernels_work();
}

TEST(Executor, RefusesBarriersOutsideAKernel) {
    EXPECT_THROW(__syncthreads(), simt::KernelError);
    EXPECT_THROW(simt::relax(), simt::KernelError);
}

void launch_from_threads(int count, int launches) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([=] {
            for (int j = 0; j < launches; ++j) expect_that_kernels_work();
        });
}

TEST(Executor, TakesLaunchesFromSeveralThreads) { launch_from_threads(4, 20); }

// The stacks of each round reuse the memory of earlier ones.
TEST(Executor, ReusesTheMemoryOfStacks) {
    for (int round = 0; round < 30; ++round) launch_from_threads(4, 20);
}

__global__ void note_block(unsigned* order, unsigned* blocks) {
    blocks[atomicAdd(order, 1u)] = blockIdx.x;
}

std::vector<unsigned> order_of_blocks(unsigned count, const simt::Options& options) {
    const WithOptions with(options);
    auto order = to_device<unsigned>({0});
    simt::DeviceArray<unsigned> blocks(count);
    simt::launch(note_block, {count, 1}, order.data(), blocks.data());
    std::vector<unsigned> result(count);
    blocks.copy_to(result);
    return result;
}

TEST(Executor, RunsBlocksInTheOrderAskedFor) {
    std::vector<unsigned> ascending(100);
    for (unsigned i = 0; i < 100; ++i) ascending[i] = i;
    EXPECT_EQ(order_of_blocks(100, {.workers = 1, .order = Order::forward}), ascending);
    EXPECT_EQ(order_of_blocks(100, {.workers = 1, .order = Order::reverse}),
              std::vector<unsigned>(ascending.rbegin(), ascending.rend()));
    const simt::Options random{.workers = 1, .order = Order::random, .seed = 5};
    const simt::Options other{.workers = 1, .order = Order::random, .seed = 6};
    const auto shuffled = order_of_blocks(100, random);
    EXPECT_NE(shuffled, ascending);
    EXPECT_THAT(shuffled, testing::UnorderedElementsAreArray(ascending));
    EXPECT_EQ(shuffled, order_of_blocks(100, random));
    EXPECT_NE(shuffled, order_of_blocks(100, other));
}

TEST(Executor, HasAsManyMultiprocessorsAsWorkers) {
    const WithOptions with({.workers = 3});
    EXPECT_EQ(simt::device_properties().multiprocessors, 3);
    simt::set_options({.workers = 1'000'000});
    EXPECT_LT(simt::device_properties().multiprocessors, 100);
}

}  // namespace
