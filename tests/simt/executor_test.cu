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

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
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

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

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

__global__ void spin(unsigned* never, bool in_company, unsigned* spins) {
    while (simt::DeviceAtomic<unsigned>(*never).load() == 0) {
        if (in_company) __any_sync(~0u, 1);
        ++spins[blockIdx.x * 64 + threadIdx.x];
        simt::relax();
    }
}

TEST(Executor, EndsAKernelThatMakesNoProgress) {
    for (const bool in_company : {false, true})
        for (const Order order : {Order::forward, Order::reverse, Order::random}) {
            const WithOptions with({.workers = 2, .order = order, .stall_rounds = 30});
            auto never = to_device<unsigned>({0});
            auto spins = to_device(std::vector<unsigned>(3 * 64));
            try {
                simt::launch(spin, {3, 64}, never.data(), in_company, spins.data());
                FAIL() << "not found";
            } catch (const simt::KernelError& error) {
                EXPECT_THAT(error.what(), HasSubstr("no block makes progress"));
                EXPECT_THAT(error.what(), HasSubstr("executor_test.cu"));
            }
            // Both blocks that run have spun for so many rounds. The third cannot begin.
            std::vector<unsigned> counts(3 * 64);
            spins.copy_to(counts);
            unsigned spun = 0;
            for (const unsigned count : counts) spun += count >= 30;
            EXPECT_EQ(spun, 2 * 64u);
        }
    expect_that_kernels_work();
}

constexpr unsigned kManySpins = 20'000;  // of one thread, where a stall is a hundred of them
constexpr std::uint64_t kShortStall = 20;

/// Lets nobody wait any longer where what should spin was ended.
class EndOfWaiting {
  public:
    explicit EndOfWaiting(std::atomic<unsigned>& spins) : spins_(spins) {}
    EndOfWaiting(const EndOfWaiting&) = delete;
    EndOfWaiting& operator=(const EndOfWaiting&) = delete;
    ~EndOfWaiting() { spins_ = ~0u / 2; }

  private:
    std::atomic<unsigned>& spins_;
};

/// One of two blocks works in turn, as if it were alone, until the other has waited for very long.
__global__ void work_and_wait(unsigned* done, std::atomic<unsigned>* spins) {
    const simt::DeviceAtomic<unsigned> turns_done(*done);
    const EndOfWaiting end(*spins);
    for (unsigned turn = 0; turn < 4; ++turn) {
        if (turn % 2 == blockIdx.x) {
            while (*spins < (turn + 1) * kManySpins) std::this_thread::yield();
            turns_done.store(turn + 1);
        } else {
            for (; turns_done.load() <= turn; simt::relax()) ++*spins;
        }
    }
}

TEST(Executor, IsPatientWhileAnyBlockWorks) {
    const WithOptions with({.workers = 2, .order = Order::reverse, .stall_rounds = kShortStall});
    auto done = to_device<unsigned>({0});
    std::atomic<unsigned> spins = 0;
    simt::launch(work_and_wait, {2, 1}, done.data(), &spins);
}

/// One warp shuffles for long, while another waits for it.
__global__ void shuffle_and_wait(unsigned* done) {
    const simt::DeviceAtomic<unsigned> is_done(*done);
    if (threadIdx.x < 32) {
        for (unsigned i = 0; i < 30'000; ++i) __shfl_sync(~0u, i, 0);
        if (threadIdx.x == 0) is_done.store(1);
    } else {
        while (is_done.load() == 0) simt::relax();
    }
}

TEST(Executor, SeesThatAWarpWorksWhileAnotherSpins) {
    const WithOptions with({.workers = 1, .order = Order::random, .stall_rounds = kShortStall});
    auto done = to_device<unsigned>({0});
    simt::launch(shuffle_and_wait, {1, 64}, done.data());
}

/// Each block waits for all others, and says which thread executes it.
__global__ void meet(unsigned* arrived, pid_t* executed_by, std::atomic<unsigned>* spins) {
    executed_by[blockIdx.x] = gettid();
    atomicAdd(arrived, 1u);
    const simt::DeviceAtomic<unsigned> count(*arrived);
    for (; count.load() < gridDim.x; simt::relax()) ++*spins;
}

std::atomic<bool> is_held_up = false;
std::atomic<unsigned> spins_of_others = 0;

void hold_up_this_thread(int) {
    is_held_up = true;
    while (spins_of_others < kManySpins) std::this_thread::yield();
}

bool sleeps(pid_t thread) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(stat, text);
    return text.at(text.rfind(')') + 2) == 'S';
}

TEST(Executor, WaitsForAWorkerThatTheMachineHoldsUp) {
    if (kThreadSanitizer) GTEST_SKIP() << "there, no worker begins before all have come";
    const WithOptions with({.workers = 2, .stall_rounds = kShortStall});
    pid_t executed_by[2];
    auto arrived = to_device<unsigned>({0});
    simt::launch(meet, {2, 1}, arrived.data(), executed_by, &spins_of_others);
    const pid_t helper = executed_by[executed_by[0] == gettid() ? 1 : 0];
    ASSERT_NE(helper, gettid());

    spins_of_others = 0;
    const EndOfWaiting end(spins_of_others);
    std::signal(SIGUSR1, hold_up_this_thread);
    while (!sleeps(helper)) std::this_thread::yield();  // so it holds no mutex
    ASSERT_EQ(tgkill(getpid(), helper, SIGUSR1), 0);
    while (!is_held_up) std::this_thread::yield();
    arrived = to_device<unsigned>({0});
    simt::launch(meet, {2, 1}, arrived.data(), executed_by, &spins_of_others);
    std::signal(SIGUSR1, SIG_DFL);
}

// ---- Memory and threads that end ----------------------------------------------------------------

/// Runs the body in a process of its own; its failures are this test's.
template <class Body>
void in_another_process(Body body) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            body();
            std::exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
}

constexpr std::size_t kLessThanAThread = std::size_t{1} << 20;  // bytes of a thread's stack

/// The process may map so many bytes more.
void limit_address_space(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    setrlimit(RLIMIT_AS, &limit);
}

void lift_limit_of_address_space() {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

class ExecutorAtItsLimits : public testing::Test {
  protected:
    void SetUp() override {
        if (kSanitizer) GTEST_SKIP() << "a sanitizer needs memory of its own";
    }
};

/// Waits in every way, so that each thread needs a stack. What ends it is none of its own business.
__global__ void wait_in_a_block(unsigned* arrived, int how, std::atomic<int>* thrown) try {
    if (how == 0) __syncthreads();
    if (how == 1) __shfl_sync(~0u, 0, 0);
    atomicAdd(arrived, 1u);
    const simt::DeviceAtomic<unsigned> count(*arrived);
    while (how == 2 && count.load() < blockDim.x) simt::relax();
    __syncthreads();
} catch (const std::exception&) {
    ++*thrown;
    throw;
}

TEST_F(ExecutorAtItsLimits, SaysThatThereIsNoMemoryForABlock) {
    in_another_process([] {
        for (const unsigned workers : {1u, 2u})
            for (const Order order : {Order::forward, Order::reverse, Order::random})
                for (const int how : {0, 1, 2}) {
                    SCOPED_TRACE(testing::Message() << workers << " workers, order "
                                                    << static_cast<int>(order) << ", " << how);
                    const WithOptions with({.workers = workers, .order = order});
                    auto arrived = to_device<unsigned>({0});
                    std::atomic<int> thrown = 0;
                    limit_address_space(std::size_t{40} << 20);
                    try {
                        simt::launch(wait_in_a_block, {2, 1024}, arrived.data(), how, &thrown);
                        ADD_FAILURE() << "there was memory";
                    } catch (const simt::OutOfMemory& error) {
                        EXPECT_THAT(error.what(), HasSubstr("executor_test.cu"));
                        EXPECT_THAT(error.what(), HasSubstr("memory"));
                    } catch (const std::exception& error) {
                        ADD_FAILURE() << error.what();
                    }
                    EXPECT_EQ(thrown, 0);
                    void* const rest = std::malloc(std::size_t{16} << 20);
                    EXPECT_NE(rest, nullptr) << "the emulation keeps all that there was";
                    std::free(rest);
                    expect_that_kernels_work();
                    lift_limit_of_address_space();
                }
    });
}

__global__ void fill_dynamic_shared(unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) simt::dynamic_shared<char>()[i] = 1;
}

TEST_F(ExecutorAtItsLimits, SaysThatThereIsNoSharedMemory) {
    in_another_process([] {
        constexpr unsigned kLittle = 1000, kMuch = 200'000;
        const WithOptions with({.workers = 1});
        simt::launch(fill_dynamic_shared, {1, 1, kLittle}, kLittle);
        std::vector<void*> held;  // so that the heap has little left in one piece
        held.reserve(1000);
        void* const for_texts = std::malloc(kMuch / 10);
        limit_address_space(kLessThanAThread);
        while (void* const piece = std::malloc(kMuch / 2)) held.push_back(piece);
        std::free(for_texts);
        for (int i = 0; i < 3; ++i)
            EXPECT_THROW(simt::launch(fill_dynamic_shared, {1, 1, kMuch}, kMuch),
                         simt::OutOfMemory);
        for (void* const piece : held) std::free(piece);
        simt::launch(fill_dynamic_shared, {1, 1, kLittle}, kLittle);
        lift_limit_of_address_space();
        simt::launch(fill_dynamic_shared, {1, 1, kMuch}, kMuch);
    });
}

/// Long enough for the other workers to be called.
__global__ void count_slowly(unsigned* count) {
    for (int i = 0; i < 1000; ++i) simt::relax();
    atomicAdd(count, 1u);
}

TEST_F(ExecutorAtItsLimits, MakesDoWithFewerThreads) {
    in_another_process([] {
        const WithOptions with({.workers = 4});
        std::vector<unsigned> count{0};
        auto counted = to_device(count);
        limit_address_space(kLessThanAThread);
        simt::launch(count_slowly, {100, 1}, counted.data());
        simt::launch(count_slowly, {.grid = 4, .block = 1, .cooperative = true}, counted.data());
        lift_limit_of_address_space();
        counted.copy_to(count);
        EXPECT_EQ(count.front(), 104u);
    });
}

TEST_F(ExecutorAtItsLimits, SaysThatBlocksWaitForThreadsThatAreMissing) {
    in_another_process([] {
        simt::set_options({.workers = 1});
        expect_that_kernels_work();  // makes the fibers, and no thread
        const WithOptions with({.workers = 4});
        pid_t executed_by[4];
        std::atomic<unsigned> spins = 0;
        for (const bool cooperative : {false, true}) {
            auto arrived = to_device<unsigned>({0});
            limit_address_space(kLessThanAThread);
            const simt::LaunchConfig config{.grid = 4, .block = 1, .cooperative = cooperative};
            try {
                simt::launch(meet, config, arrived.data(), executed_by, &spins);
                ADD_FAILURE() << "there were threads";
            } catch (const simt::KernelError& error) {
                ADD_FAILURE() << "accuses the kernel: " << error.what();
            } catch (const simt::Error& error) {
                EXPECT_THAT(error.what(), HasSubstr("only 1 of 4 threads"));
                EXPECT_THAT(error.what(), HasSubstr("executor_test.cu"));
            }
            expect_that_kernels_work();
        }
        lift_limit_of_address_space();
        auto arrived = to_device<unsigned>({0});
        simt::launch(meet, {4, 1}, arrived.data(), executed_by, &spins);
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
