// cpu_parallel with varying numbers of threads, and without enough memory.
#include "stream_compaction/cpu_parallel.h"

#include "tests/child_process.h"
#include "tests/inputs.h"
#include "tests/reference.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 21;  // more chunks than a few threads would use

class CpuParallel : public testing::Test {
  protected:
    ~CpuParallel() override { omp_set_num_threads(before_); }

    /// Makes a plan with 1 thread, and enqueues it with 64 threads: from this thread, and from
    /// another one.
    template <class Plan, class Enqueue>
    static void with_more_threads(Enqueue enqueue) {
        omp_set_num_threads(1);
        Plan plan(kSize);
        omp_set_num_threads(64);
        enqueue(plan);
        std::thread([&] {
            omp_set_num_threads(64);
            enqueue(plan);
        }).join();
    }

    const std::vector<int> input_ = inputs::random(kSize);
    std::vector<int> output_ = std::vector<int>(kSize);

  private:
    int before_ = omp_get_max_threads();
};

TEST_F(CpuParallel, ScansWithMoreThreadsThanThereWereForThePlan) {
    with_more_threads<cpu_parallel::Scan>([this](cpu_parallel::Scan& plan) {
        plan.enqueue(input_.data(), output_.data(), kSize);
        EXPECT_TRUE(equal(output_, reference(Operation::scan, input_)));
    });
}

TEST_F(CpuParallel, CompactsWithMoreThreadsThanThereWereForThePlan) {
    with_more_threads<cpu_parallel::Compact>([this](cpu_parallel::Compact& plan) {
        std::size_t count = 0;
        plan.enqueue(input_.data(), output_.data(), &count, kSize);
        const std::vector<int> expected = reference(Operation::compact, input_);
        ASSERT_EQ(count, expected.size());
        EXPECT_TRUE(equal(std::span(output_).first(count), expected));
    });
}

TEST_F(CpuParallel, SortsWithMoreThreadsThanThereWereForThePlan) {
    with_more_threads<cpu_parallel::Sort>([this](cpu_parallel::Sort& plan) {
        plan.enqueue(input_.data(), output_.data(), kSize);
        EXPECT_TRUE(equal(output_, reference(Operation::sort, input_)));
    });
}

TEST_F(CpuParallel, LeavesTheNumberOfThreadsAsItWas) {
    omp_set_num_threads(1234);
    cpu_parallel::Sort(kSize).enqueue(input_.data(), output_.data(), kSize);
    EXPECT_EQ(omp_get_max_threads(), 1234);
}

/// The CPUs that each thread of this process may use, by its number.
std::map<pid_t, std::vector<int>> cpus_of_threads() {
    std::map<pid_t, std::vector<int>> cpus;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const pid_t thread = std::stoi(entry.path().filename());
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        if (sched_getaffinity(thread, sizeof allowed, &allowed) != 0) continue;
        std::vector<int>& of_thread = cpus[thread];
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &allowed)) of_thread.push_back(cpu);
    }
    return cpus;
}

/// Calls wake_threads() and a scan in a new process, with this variable in the environment. Exits
/// with the number of threads that are bound to a CPU of their own.
void exit_with_bound_threads(const char* variable) {
    for (const char* one : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) unsetenv(one);
    if (variable != nullptr) setenv(variable, "false", 1);
    const std::vector<int> before = cpus_of_threads().at(getpid());
    std::vector<int> output(kSize);
    cpu_parallel::Scan scan(kSize);
    for (int call = 0; call < 2; ++call) {
        cpu_parallel::wake_threads();
        scan.enqueue(output.data(), output.data(), kSize);
    }
    std::set<int> bound;
    for (const auto& [thread, cpus] : cpus_of_threads()) {
        if (thread == getpid() && cpus != before) std::_Exit(100);  // its threads would inherit it
        if (thread != getpid() && cpus.size() == 1) bound.insert(cpus[0]);
    }
    std::_Exit(static_cast<int>(bound.size()));
}

TEST_F(CpuParallel, BindsEachThreadThatItWakesButTheCallers) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // OpenMP's threads do not survive a fork
    const int threads = std::min(omp_get_max_threads(), omp_get_num_procs());
    if (threads == 1) GTEST_SKIP() << "needs two CPUs";
    EXPECT_EXIT(exit_with_bound_threads(nullptr), testing::ExitedWithCode(threads - 1), "");
}

TEST_F(CpuParallel, BindsNoThreadIfOpenMPIsToldWhere) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    if (omp_get_num_procs() == 1) GTEST_SKIP() << "needs two CPUs";
    for (const char* variable : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"})
        EXPECT_EXIT(exit_with_bound_threads(variable), testing::ExitedWithCode(0), "") << variable;
}

/// OpenMP would wait for ever for threads that do not exist in the child.
TEST_F(CpuParallel, IsRefusedInAChildOfAProcessThatHasUsedIt) {
    cpu_parallel::Scan plan(kSize);
    plan.enqueue(input_.data(), output_.data(), kSize);
    EXPECT_TRUE(succeeds_in_child([&] {
        try {
            plan.enqueue(input_.data(), output_.data(), kSize);
        } catch (const std::runtime_error& error) {
            return std::string(error.what()).starts_with("cpu_parallel cannot run");
        }
        return false;
    }));
}

/// Limits the memory that the process can allocate from now on.
void limit_memory(std::size_t bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(1);
}

TEST_F(CpuParallel, ThrowsWhereTheMemoryOfASortEnds) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer's shadow does not fit into any limit";
#endif
    constexpr std::size_t kLarge = std::size_t{1} << 24;
    const auto sort_with_little_memory = [&] {
        const std::vector<int> input = inputs::random(kLarge);
        std::vector<int> output(kLarge);
        cpu_parallel::Sort sort(kLarge);
        sort.enqueue(input.data(), output.data(), kSize);  // starts the threads
        limit_memory(kLarge);                              // a quarter of the keys
        try {
            sort.enqueue(input.data(), output.data(), kLarge);
        } catch (const std::bad_alloc&) {
            std::_Exit(0);
        }
        std::_Exit(2);
    };
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // OpenMP's threads do not survive a fork
    EXPECT_EXIT(sort_with_little_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stream_compaction
