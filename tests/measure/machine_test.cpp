// The machine and the commit in a results file.
#include "src/measure/machine.h"

#include "src/program/host_memory.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
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

/// Uses its own folder, which is not inside a repository.
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

using BuiltCommit = FolderTest;
using HostMemory = FolderTest;

/// The commit in a build of the folder's sources.
std::string commit_built_in(const std::string& folder) {
    const std::string command =
        "'" CMAKE "' -D SOURCE_DIR='" + folder + "' -D FILE=commit.cpp -P '" WRITE_COMMIT "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file("commit.cpp");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t begin = text.find("return \"") + 8;
    return text.substr(begin, text.find('"', begin) - begin);
}

TEST_F(BuiltCommit, IsThatOfTheSources) {
    fs::create_directories("sources/part");
    const std::string sources = (folder_ / "sources").string();
    const auto git = [](const std::string& arguments) {
        const std::string command =
            "git -C sources -c user.name=Somebody "
            "-c user.email=somebody@example.com " +
            arguments;
        ASSERT_EQ(std::system(command.c_str()), 0);
    };
    std::ofstream("sources/file") << "committed";
    EXPECT_EQ(commit_built_in(sources), "unknown");  // without a repository
    git("init --quiet");
    EXPECT_EQ(commit_built_in(sources), "unknown");  // without a commit
    git("add file");
    git("commit --quiet --message=First");
    const std::string hash = commit_built_in(sources);
    EXPECT_THAT(hash, MatchesRegex("[0-9a-f]{40,}"));
    EXPECT_EQ(commit_built_in(sources + "/part"), "unknown");  // in a repository of another project

    std::ofstream("sources/another") << "that git does not know";
    EXPECT_EQ(commit_built_in(sources), hash);
    std::ofstream("sources/file") << "changed";
    EXPECT_EQ(commit_built_in(sources), hash + "-dirty");
}

TEST_F(BuiltCommit, IsNotWrittenAgainIfItIsTheSame) {
    (void)commit_built_in(folder_.string());
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time("commit.cpp", long_ago);
    const auto before = fs::last_write_time("commit.cpp");
    (void)commit_built_in(folder_.string());
    EXPECT_EQ(fs::last_write_time("commit.cpp"), before);
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
