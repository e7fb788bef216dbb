// How the emulated backend fails, and that it works afterwards.
#include "simt/async_copy.h"
#include "simt/device.h"
#include "simt/emulated/executor.h"
#include "simt/kernel.h"
#include "simt/memory.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using simt::Order;
using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;
using simt::test::WithOptions;
using testing::HasSubstr;

std::string at_line(unsigned line) { return "executor_test.cu:" + std::to_string(line); }

__global__ void reverse(int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

void expect_that_kernels_work() {
    const auto out = device_result<int>(640, reverse, {10, 64});
    for (int i = 0; i < 640; ++i) ASSERT_EQ(out[i], 63 - i % 64);
}

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
        while (simt::DeviceAtomic<unsigned>(*never).load() == 0) simt::relax();
    if (threadIdx.x / 32 == 0) __shfl_sync(~0u, held->front(), 5);
    __syncthreads();
}

TEST(Executor, PassesOnWhatAKernelThrowsAndUnwindsItsThreads) {
    under_every_schedule([] {
        if (simt::device_properties().multiprocessors < 2)
            return;  // block 3 would keep the rest out
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

__global__ void spin(unsigned* never, bool in_company) {
    while (simt::DeviceAtomic<unsigned>(*never).load() == 0) {
        if (in_company) __any_sync(~0u, 1);
        simt::relax();
    }
}

TEST(Executor, EndsAKernelThatMakesNoProgress) {
    for (const bool in_company : {false, true})
        for (const Order order : {Order::forward, Order::reverse, Order::random}) {
            const WithOptions with({.workers = 2, .order = order, .stall_seconds = 0.1});
            auto never = to_device<unsigned>({0});
            const auto start = std::chrono::steady_clock::now();
            try {
                simt::launch(spin, {3, 64}, never.data(), in_company);
                FAIL() << "not found";
            } catch (const simt::KernelError& error) {
                EXPECT_THAT(error.what(), HasSubstr("no block makes progress"));
                EXPECT_THAT(error.what(), HasSubstr("executor_test.cu"));
            }
            const auto elapsed = std::chrono::steady_clock::now() - start;
            EXPECT_GE(elapsed, std::chrono::milliseconds(100));
        }
    expect_that_kernels_work();
}

/// One block works for longer than a stall may last; the other waits for it.
__global__ void work_and_wait(unsigned* done) {
    const simt::DeviceAtomic<unsigned> progress(*done);
    if (blockIdx.x == 0) {
        for (unsigned step = 1; step <= 20; ++step) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            progress.store(step);
        }
    } else {
        while (progress.load() < 20) simt::relax();
    }
}

TEST(Executor, IsPatientWhileAnyBlockGetsSomewhere) {
    const WithOptions with({.workers = 2, .stall_seconds = 0.3});
    auto done = to_device<unsigned>({0});
    simt::launch(work_and_wait, {2, 1}, done.data());
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

TEST(Executor, TakesLaunchesFromSeveralThreads) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            for (int j = 0; j < 20; ++j) expect_that_kernels_work();
        });
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

/// Takes a GPU's shape for as long as it lives.
class InTheShapeOf {
  public:
    explicit InTheShapeOf(std::string_view name) { simt::emulate(simt::find_device_profile(name)); }
    InTheShapeOf(const InTheShapeOf&) = delete;
    InTheShapeOf& operator=(const InTheShapeOf&) = delete;
    ~InTheShapeOf() { simt::emulate(nullptr); }
};

__global__ void do_nothing() {}
__global__ void reduce_lanes(unsigned* sum) { *sum = __reduce_add_sync(~0u, threadIdx.x); }
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
        const InTheShapeOf shape(gpu);
        EXPECT_EQ(simt::device_properties().shared_bytes_per_block, bytes);
        EXPECT_NO_THROW(simt::launch(do_nothing, {1, 32, bytes}));
        EXPECT_THROW(simt::launch(do_nothing, {1, 32, bytes + 1}), simt::KernelError);
    }
}

/// By hand: of threads, of blocks, of shared memory with what the system takes, whatever is least.
TEST(Profiles, HoldAsManyBlocksAsTheGpuDoes) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer carries fewer";
#endif
    {
        const InTheShapeOf shape("t4");                              // 40 multiprocessors
        EXPECT_EQ(simt::resident_blocks(do_nothing, 1024, 0), 20u);  // the machine carries no more
        EXPECT_EQ(simt::resident_blocks(do_nothing, 512, 33'000), 40u);
        EXPECT_EQ(simt::resident_blocks(do_nothing, 32, 0), 640u);
        EXPECT_EQ(simt::resident_blocks(do_nothing, 32, 16'384), 160u);
        EXPECT_EQ(simt::resident_blocks(do_nothing, 32, 65'536), 40u);
    }
    const InTheShapeOf shape("rtx3060");  // 28
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
        const InTheShapeOf shape("t4");
        EXPECT_THROW(has_reduce(), simt::KernelError);
        EXPECT_THROW(has_bulk_copies(), simt::KernelError);
    }
    {
        const InTheShapeOf shape("a100");
        EXPECT_NO_THROW(has_reduce());
        EXPECT_THROW(has_bulk_copies(), simt::KernelError);
    }
    const InTheShapeOf shape("h200");
    EXPECT_NO_THROW(has_reduce());
    EXPECT_NO_THROW(has_bulk_copies());
}

TEST(Executor, HasAsManyMultiprocessorsAsWorkers) {
    const WithOptions with({.workers = 3});
    EXPECT_EQ(simt::device_properties().multiprocessors, 3);
    simt::set_options({.workers = 1'000'000});
    EXPECT_LT(simt::device_properties().multiprocessors, 100);
}

}  // namespace
