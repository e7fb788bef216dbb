#include "src/measure/host_load.h"

#include "tests/temporary_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;

/// A machine with a simulated clock.
struct Simulated {
    double now_s = 1000;
    CpuSeconds used = {.machine = 5e6, .process = 20};

    HostLoad load(unsigned cpus, std::optional<double> quota = {}) {
        return {[this] { return std::optional(used); }, [this] { return now_s; }, cpus, quota};
    }
    void run(double seconds, double own_cpus, double other_cpus) {
        now_s += seconds;
        used.process += seconds * own_cpus;
        used.machine += seconds * (own_cpus + other_cpus);
    }
};

TEST(HostLoad, IsWhatOthersUse) {
    Simulated machine;
    const HostLoad load = machine.load(16);
    machine.run(10, 15, 0);
    machine.run(10, 0, 6);
    const auto shared = load.shared();
    ASSERT_TRUE(shared);
    EXPECT_DOUBLE_EQ(shared->used_by_others, 3);
    EXPECT_EQ(shared->cpus, 16u);
    EXPECT_EQ(describe(*shared), "other processes use 3.00 of 16 CPUs");
}

TEST(HostLoad, IsNothingOnAMachineOfOnesOwn) {
    Simulated machine;
    const HostLoad load = machine.load(16);
    machine.run(10, 16, 0.4);
    EXPECT_FALSE(load.shared());
}

TEST(HostLoad, GrowsWithTheMachine) {
    Simulated machine;
    const HostLoad load = machine.load(128);
    machine.run(10, 100, 2.5);
    EXPECT_FALSE(load.shared()) << "less than 2 %";
    machine.run(10, 100, 2.7);
    EXPECT_TRUE(load.shared());
}

TEST(HostLoad, IsNotJudgedInAMoment) {
    Simulated machine;
    const HostLoad load = machine.load(4);
    machine.run(0.4, 0, 4);
    EXPECT_FALSE(load.shared());
}

TEST(HostLoad, IncludesAQuota) {
    Simulated machine;
    const auto shared = machine.load(16, 4).shared();
    ASSERT_TRUE(shared);
    EXPECT_EQ(describe(*shared),
              "other processes use 0.00 of 16 CPUs; the cgroup allows 4.00 CPUs");
    EXPECT_FALSE(machine.load(16, 16).shared());
}

TEST(HostLoad, IsNothingIfItIsNotKnown) {
    double now_s = 0;
    const HostLoad load([] { return std::optional<CpuSeconds>(); }, [&] { return now_s; }, 4, {});
    now_s = 100;
    EXPECT_FALSE(load.shared());
}

TEST(CpuSeconds, AreReadFromTheSystemsFile) {
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const TemporaryFile file("cpu  100 20 30 99999 88888 4 5 600 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
    const auto read = read_cpu_seconds(file.path());
    ASSERT_TRUE(read);
    EXPECT_DOUBLE_EQ(read->machine, 759 / ticks) << "without idle time and waits";
    EXPECT_GT(read->process, 0);
    EXPECT_FALSE(read_cpu_seconds("/none/stat"));
    EXPECT_FALSE(read_cpu_seconds(TemporaryFile("nonsense").path()));
}

class CpuQuota : public testing::Test {
  protected:
    ~CpuQuota() override { fs::remove_all(root_); }

    void write(const fs::path& path, const std::string& text) const {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text << '\n';
    }
    std::optional<double> quota(const std::string& cgroups) const {
        return cpu_quota(TemporaryFile(cgroups).path(), root_);
    }

    const fs::path root_ = testing::TempDir() + "cpu_quota_" + std::to_string(getpid());
};

TEST_F(CpuQuota, IsThatOfTheTightestGroup) {
    write("cpu.max", "max 100000");
    EXPECT_FALSE(quota("0::/a/b\n"));
    write("a/cpu.max", "250000 100000");
    write("a/b/cpu.max", "800000 100000");
    EXPECT_EQ(quota("0::/a/b\n"), 2.5);
    EXPECT_EQ(quota("0::/elsewhere\n"), std::nullopt);
    write("cpu.max", "150000 100000");
    EXPECT_EQ(quota("0::/elsewhere\n"), 1.5) << "a container sees its own group at the top";
}

TEST_F(CpuQuota, IsReadFromVersionOneToo) {
    write("cpu/a/cpu.cfs_quota_us", "-1");
    write("cpu/a/cpu.cfs_period_us", "100000");
    EXPECT_FALSE(quota("4:memory:/a\n3:cpu,cpuacct:/a\n0::/\n"));
    write("cpu/a/cpu.cfs_quota_us", "300000");
    EXPECT_EQ(quota("4:memory:/a\n3:cpu,cpuacct:/a\n0::/\n"), 3);
    EXPECT_FALSE(quota("4:memory:/a\n3:cpuset:/a\n0::/\n"));
    EXPECT_FALSE(quota(""));
}

}  // namespace
}  // namespace stream_compaction
