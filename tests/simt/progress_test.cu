// The emulated backend aborts a kernel that only spins, and no other kernel, however long it takes.
#include "simt/emulated/executor.h"
#include "simt/kernel.h"
#include "tests/simt/device_result.h"
#include "tests/simt/probes.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using simt::Order;
using simt::test::expect_that_kernels_work;
using simt::test::meet;
using simt::test::to_device;
using simt::test::WithOptions;
using testing::HasSubstr;

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

__global__ void spin(unsigned* never, bool in_company, unsigned* spins) {
    while (simt::DeviceAtomic<unsigned>(*never).load(simt::memory_order_relaxed) == 0) {
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
                EXPECT_THAT(error.what(), HasSubstr("progress_test.cu"));
            }
            // Both running blocks have spun for this many rounds. The third block cannot begin.
            std::vector<unsigned> counts(3 * 64);
            spins.copy_to(counts);
            unsigned spun = 0;
            for (const unsigned count : counts) spun += count >= 30;
            EXPECT_EQ(spun, 2 * 64u);
        }
    expect_that_kernels_work();
}

constexpr unsigned kManySpins = 20'000;  // of one thread; a stall is one hundredth of it
constexpr std::uint64_t kShortStall = 20;

/// Ends all waiting if a kernel that should spin was aborted.
class EndOfWaiting {
  public:
    explicit EndOfWaiting(std::atomic<unsigned>& spins) : spins_(spins) {}
    EndOfWaiting(const EndOfWaiting&) = delete;
    EndOfWaiting& operator=(const EndOfWaiting&) = delete;
    ~EndOfWaiting() { spins_ = ~0u / 2; }

  private:
    std::atomic<unsigned>& spins_;
};

/// One of two blocks works at a time, as if it were alone, until the other has waited for very
/// long.
__global__ void work_and_wait(unsigned* done, std::atomic<unsigned>* spins) {
    const simt::DeviceAtomic<unsigned> turns_done(*done);
    const EndOfWaiting end(*spins);
    for (unsigned turn = 0; turn < 4; ++turn) {
        if (turn % 2 == blockIdx.x) {
            while (*spins < (turn + 1) * kManySpins) std::this_thread::yield();
            turns_done.store(turn + 1, simt::memory_order_relaxed);
        } else {
            for (; turns_done.load(simt::memory_order_relaxed) <= turn; simt::relax()) ++*spins;
        }
    }
}

TEST(Executor, IsPatientWhileAnyBlockWorks) {
    const WithOptions with({.workers = 2, .order = Order::reverse, .stall_rounds = kShortStall});
    auto done = to_device<unsigned>({0});
    std::atomic<unsigned> spins = 0;
    simt::launch(work_and_wait, {2, 1}, done.data(), &spins);
}

/// One warp shuffles for long while another one waits for it.
__global__ void shuffle_and_wait(unsigned* done) {
    const simt::DeviceAtomic<unsigned> is_done(*done);
    if (threadIdx.x < 32) {
        for (unsigned i = 0; i < 30'000; ++i) __shfl_sync(~0u, i, 0);
        if (threadIdx.x == 0) is_done.store(1, simt::memory_order_relaxed);
    } else {
        while (is_done.load(simt::memory_order_relaxed) == 0) simt::relax();
    }
}

TEST(Executor, SeesThatAWarpWorksWhileAnotherSpins) {
    const WithOptions with({.workers = 1, .order = Order::random, .stall_rounds = kShortStall});
    auto done = to_device<unsigned>({0});
    simt::launch(shuffle_and_wait, {1, 64}, done.data());
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

}  // namespace
