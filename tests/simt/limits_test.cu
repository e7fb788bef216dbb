// The emulated backend when memory or threads run out.
#include "simt/emulated/executor.h"
#include "simt/kernel.h"
#include "tests/simt/device_result.h"
#include "tests/simt/probes.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> destructors = 0;  // of thread_local objects, registered so far

}  // namespace

extern "C" {
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library);

/// Replaces the function of libstdc++.
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
    ++destructors;
    return __cxa_thread_atexit_impl(destroy, object, library);
}
}

namespace {

using simt::Order;
using simt::test::expect_that_kernels_work;
using simt::test::meet;
using simt::test::to_device;
using simt::test::WithOptions;
using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

/// Runs the body in a separate process; its failures are failures of this test.
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

// Less than the stack of a thread, in bytes.
constexpr std::size_t kLessThanAThread = std::size_t{1} << 20;

/// Limits the address space that the process can still map.
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

/// Waits in every possible way, so each thread needs a stack. The failure that ends the kernel is
/// not its own.
__global__ void wait_in_a_block(unsigned* arrived, int how, std::atomic<int>* thrown) try {
    if (how == 0) __syncthreads();
    if (how == 1) __shfl_sync(~0u, 0, 0);
    atomicAdd(arrived, 1u);
    const simt::DeviceAtomic<unsigned> count(*arrived);
    while (how == 2 && count.load(simt::memory_order_relaxed) < blockDim.x) simt::relax();
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
                        EXPECT_THAT(error.what(), HasSubstr("limits_test.cu"));
                        EXPECT_THAT(error.what(), HasSubstr("out of memory: no stack "));
                        EXPECT_THAT(error.what(), HasSubstr("(ulimit -v)"));
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

TEST_F(ExecutorAtItsLimits, HasStacksForManyThreadsThatLaunch) {
    constexpr int kThreads = 40;  // with two mappings per stack, 32 would be too many
    std::atomic<int> failed = 0;
    std::barrier all_have_stacks(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            try {
                auto arrived = to_device<unsigned>({0});
                simt::launch(wait_in_a_block, {1, 1024}, arrived.data(), 0, &failed);
            } catch (const std::exception& error) {
                ADD_FAILURE() << error.what();
            }
            all_have_stacks.arrive_and_wait();
        });
    threads.clear();
    EXPECT_EQ(failed, 0);
}

TEST_F(ExecutorAtItsLimits, SaysThatTheProcessHasNoMappingsLeft) {
    std::size_t most = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    if (most > 200'000) GTEST_SKIP() << "filling them would take long";
    in_another_process([] {
        const std::size_t page = sysconf(_SC_PAGESIZE);
        auto arrived = to_device<unsigned>({0});
        std::atomic<int> thrown = 0;
        std::vector<void*> mapped;
        mapped.reserve(200'000);
        // Neighbours have different permissions.
        for (int i = 0; mapped.empty() || mapped.back() != MAP_FAILED; ++i)
            mapped.push_back(mmap(nullptr, page, i % 2 == 0 ? PROT_READ : PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        try {
            simt::launch(wait_in_a_block, {1, 1024}, arrived.data(), 0, &thrown);
            ADD_FAILURE() << "there was a mapping";
        } catch (const simt::OutOfMemory& error) {
            EXPECT_THAT(error.what(), HasSubstr(" memory mappings, at most "));
            EXPECT_THAT(error.what(), HasSubstr("vm.max_map_count"));
        }
        mapped.pop_back();
        for (void* const memory : mapped) munmap(memory, page);
        expect_that_kernels_work();
    });
}

__device__ unsigned sum_down(unsigned depth) {
    volatile unsigned frame[64] = {depth};
    return depth == 0 ? 0 : frame[depth % 64] + sum_down(depth - 1);
}

/// One thread exceeds its stack of 128 KiB, but does not reach the end of its neighbour's.
__global__ void overflow_a_stack(unsigned* sum) {
    constexpr unsigned kThread = 40, kDepth = 600;  // at least 300 bytes per call
    __syncthreads();
    if (threadIdx.x != kThread) return;
    *sum = sum_down(kDepth);
    _exit(0);
}

TEST_F(ExecutorAtItsLimits, EndsBeforeAStackThatIsTooSmallHarmsAnother) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const WithOptions with({.workers = 1});
            simt::DeviceArray<unsigned> sum(1);
            simt::launch(overflow_a_stack, {1, 64}, sum.data());
        },
        testing::KilledBySignal(SIGSEGV), "");
}

__global__ void fill_dynamic_shared(unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) simt::dynamic_shared<char>()[i] = 1;
}

TEST_F(ExecutorAtItsLimits, SaysThatThereIsNoSharedMemory) {
    in_another_process([] {
        constexpr unsigned kLittle = 1000, kMuch = 200'000;
        const WithOptions with({.workers = 1});
        simt::launch(fill_dynamic_shared, {1, 1, kLittle}, kLittle);
        std::vector<void*> held;  // so that the heap has few large free blocks
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

/// Runs long enough for the other workers to be called.
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

TEST_F(ExecutorAtItsLimits, RegistersNoDestructorForWhichGlibcWouldNeedMemory) {
    const WithOptions with({.workers = 4});
    const int before = destructors;
    std::thread([] {
        auto arrived = to_device<unsigned>({0});
        pid_t executed_by[4];
        std::atomic<unsigned> spins = 0;
        simt::launch(meet, {4, 1}, arrived.data(), executed_by, &spins);
    }).join();
    EXPECT_EQ(destructors, before);
}

TEST_F(ExecutorAtItsLimits, SaysThatBlocksWaitForThreadsThatAreMissing) {
    in_another_process([] {
        simt::set_options({.workers = 1});
        expect_that_kernels_work();  // creates the fibers, and no thread
        pid_t executed_by[4];
        std::atomic<unsigned> spins = 0;
        for (const unsigned workers : {2u, 4u})
            for (const bool cooperative : {false, true}) {
                const WithOptions with({.workers = workers});
                auto arrived = to_device<unsigned>({0});
                limit_address_space(kLessThanAThread);
                const simt::LaunchConfig config{
                    .grid = workers, .block = 1, .cooperative = cooperative};
                try {
                    simt::launch(meet, config, arrived.data(), executed_by, &spins);
                    ADD_FAILURE() << "there were threads";
                } catch (const simt::OutOfThreads& error) {
                    EXPECT_THAT(error.what(),
                                HasSubstr("only 1 of " + std::to_string(workers) + " threads"));
                    EXPECT_THAT(error.what(), HasSubstr("limits_test.cu"));
                }
                expect_that_kernels_work();
            }
        const WithOptions with({.workers = 4});
        lift_limit_of_address_space();
        auto arrived = to_device<unsigned>({0});
        simt::launch(meet, {4, 1}, arrived.data(), executed_by, &spins);
    });
}

}  // namespace
