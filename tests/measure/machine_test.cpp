// What a results file says of the machine and the commit.
#include "src/measure/machine.h"

#include "src/program/host_memory.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;
using testing::MatchesRegex;

/// Works in a folder of its own, which no repository is around.
class FolderTest : public testing::Test {
  protected:
    FolderTest()
        : before_(fs::current_path()),
          folder_(fs::path(testing::TempDir()) / ("machine_test." + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        setenv("GIT_CEILING_DIRECTORIES", folder_.parent_path().c_str(), 1);
        fs::current_path(folder_);
    }
    ~FolderTest() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    fs::path before_, folder_;
};

using CurrentCommit = FolderTest;
using HostMemory = FolderTest;

TEST_F(CurrentCommit, IsUnknownWithoutARepository) { EXPECT_EQ(current_commit(), "unknown"); }

TEST_F(CurrentCommit, SaysWhereFilesWereChanged) {
    std::ofstream("file") << "committed";
    ASSERT_EQ(std::system("git init --quiet && git add file && git -c user.name=Somebody "
                          "-c user.email=somebody@example.com commit --quiet --message=First"),
              0);
    const std::string hash = current_commit();
    EXPECT_THAT(hash, MatchesRegex("[0-9a-f]+"));
    EXPECT_GE(hash.size(), 40u);
    std::ofstream("another") << "that git does not know";
    EXPECT_EQ(current_commit(), hash);
    std::ofstream("file") << "changed";
    EXPECT_EQ(current_commit(), hash + "-dirty");
}

TEST_F(HostMemory, IsWhatCanBeTakenWithoutSwapping) {
    std::ofstream("meminfo") << "MemTotal:       24000000 kB\n"
                                "MemFree:          100000 kB\n"
                                "MemAvailable:    5000000 kB\n"
                                "Buffers:            1000 kB\n";
    EXPECT_EQ(available_host_bytes("meminfo"), std::size_t{5000000} * 1024);
    EXPECT_EQ(available_host_bytes("nowhere"), std::numeric_limits<std::size_t>::max());
    EXPECT_LT(available_host_bytes(), std::numeric_limits<std::size_t>::max());
}

TEST(Machine, IsTheDeviceAndItsHost) {
    const Registry registry = fake::registry_of(fake::kRightRows);
    const Machine machine = machine_of(registry, "580.82.07", "abc");
    EXPECT_EQ(machine.gpu, "Fake GPU");
    EXPECT_EQ(machine.driver, "580.82.07");
    EXPECT_EQ(machine.cuda, "12.8");
    EXPECT_EQ(machine.cub, "3.1.2");
    EXPECT_EQ(machine.commit, "abc");
    EXPECT_THAT(machine.date, MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
    EXPECT_EQ(machine_of(registry, std::nullopt, "abc").driver, "for CUDA 13.1");
    std::ifstream file("/proc/cpuinfo");
    const std::string cpus(std::istreambuf_iterator<char>(file), {});
    if (cpus.find("model name") == std::string::npos)
        EXPECT_EQ(machine.host_cpu, "unknown");
    else
        EXPECT_NE(cpus.find(": " + machine.host_cpu + '\n'), std::string::npos);
}

}  // namespace
}  // namespace stream_compaction
