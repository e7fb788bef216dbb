// The calls of the two helper programs, and how their answers are used: with fake programs.
#include "src/explain/explainer.h"

#include "src/command_line/usage_error.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Algorithm kCpu = fake::row(Operation::scan, "cpu", fake::right_scan, Place::host);
constexpr Algorithm kFast = fake::row(Operation::scan, "fast", fake::fast_scan);
constexpr Algorithm kTunable = fake::tunable(Operation::scan, "tunable", fake::fast_scan);
constexpr Algorithm kRows[] = {kCpu, kFast, kTunable};

/// One row of 1000 elements: 2 launches, 16 sectors in each direction.
constexpr const char* kCounts = R"({"rows": [{"n": 1000, "launches": [{}, {}], "total": {
    "global_loads": {"requests": 4, "lanes": 128, "sectors": 16, "bytes_asked": 512},
    "global_stores": {"requests": 4, "lanes": 64, "sectors": 16, "bytes_asked": 256},
    "shared": {"requests": 0, "lanes": 0, "conflicts": 0},
    "global_atomics": {"requests": 0, "operations": 0, "most_in_request": 0},
    "shared_atomics": {"requests": 0, "operations": 0, "most_in_request": 0},
    "bulk_loads": {"copies": 0, "bytes": 0}}}]})";

class ExplainerTest : public testing::Test {
  public:
    void SetUp() override {
#if !defined(STREAM_COMPACTION_HAS_COUNTS)
        GTEST_SKIP() << "built without count_accesses";
#endif
        std::filesystem::create_directories(folder_);
    }
    ~ExplainerTest() override { std::filesystem::remove_all(folder_); }

  protected:
    /// Adds a program that records its arguments and the keys, and prints the answer.
    void add_program(const std::string& name, const std::string& answer, int code = 0) {
        const std::string path = (folder_ / name).string();
        std::ofstream(path) << "#!/bin/sh\n"
                               "echo \"$@\" >\"$0.called\"\n"
                               "for word; do\n"
                               "  case $word in file:*) cp \"${word#file:}\" \"$0.keys\" ;; esac\n"
                               "done\n"
                               "cat \"$0.answer\" "
                            << (name == "count_accesses" ? ">&3" : "") << "\nexit " << code << '\n';
        std::ofstream(path + ".answer") << answer;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }

    std::string read(const std::string& name) const {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string line(const Algorithm& row, std::size_t n, double us = 100,
                     simt::Backend backend = simt::Backend::cuda) {
        std::vector<int> input(n);
        std::iota(input.begin(), input.end(), 0);
        const Registry registry = fake::registry_of(kRows, backend);
        return Explainer(registry, shape_, folder_)
            .line({&row, row.tuned}, input, Microseconds(us));
    }

    const std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) / ("it's explained." + std::to_string(getpid()));
    const simt::DeviceProfile* shape_ = nullptr;
    // A copy of 2^26 ints, in both directions, in this many microseconds: 1024 bytes per
    // microsecond.
    const std::string costs_ =
        R"({"empty_launch_us": {"hot": 2.5}, "rows": [{"copy_us": 524288}]})";
};

TEST_F(ExplainerTest, JoinsCountsAndCosts) {
    add_program("count_accesses", kCounts);
    add_program("measure_time", costs_);
    EXPECT_EQ(line(kFast, 1000, 10),
              "bound by launches: 2 launches would take 50 % of the time, 1.0 kB moved 10 %; "
              "75 % of these used, 24.0 of 32 lanes active, no shared memory");
    EXPECT_THAT(read("measure_time.called"),
                AllOf(HasSubstr("--mode hot "), HasSubstr("--format json "),
                      HasSubstr("--operation scan --algorithm fast --size 67108864\n")));
}

TEST_F(ExplainerTest, CountsTheSameCall) {
    add_program("count_accesses", kCounts);
    add_program("measure_time", costs_);
    (void)line(kTunable, 1000);
    const std::string called = read("count_accesses.called");
    EXPECT_THAT(called, StartsWith("--operation scan --algorithm tunable --size 1000 "));
    EXPECT_THAT(called, EndsWith(" --emulate h200 --block-size 128 --items-per-thread 4 --padding "
                                 "1 --json /dev/fd/3\n"));
    const std::string keys = read("count_accesses.keys");
    ASSERT_EQ(keys.size(), 1000 * sizeof(int));
    EXPECT_EQ(keys[4 * 999] + 256 * keys[4 * 999 + 1], 999 - 256);  // char is signed
    (void)line(kFast, 1000);
    EXPECT_THAT(read("count_accesses.called"), Not(HasSubstr("--block-size")));
}

TEST_F(ExplainerTest, CountsTheFirstElementsOfALargeArray) {
    add_program("count_accesses", kCounts);
    add_program("measure_time", costs_);
    EXPECT_THAT(line(kFast, Explainer::kMostCounted + 1), HasSubstr("counted at n = 1000"));
    EXPECT_THAT(read("count_accesses.called"), HasSubstr(" --size 65536 "));
    EXPECT_EQ(read("count_accesses.keys").size(), Explainer::kMostCounted * sizeof(int));
    EXPECT_THAT(line(kFast, 4000, 100, simt::Backend::emulated),
                AllOf(HasSubstr(": 2 launches, 4.1 kB moved"), HasSubstr("counted at n = 1000")));
}

TEST_F(ExplainerTest, TakesTheShapeThatIsAskedFor) {
    add_program("count_accesses", kCounts);
    shape_ = simt::find_device_profile("t4");
    EXPECT_EQ(line(kFast, 1000, 8, simt::Backend::emulated),
              "bound unknown without a GPU's time: 2 launches, 1.0 kB moved, 75 % of these used, "
              "24.0 of 32 lanes active, no shared memory");
    EXPECT_THAT(read("count_accesses.called"), HasSubstr(" --emulate t4 "));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "measure_time.called"));
}

TEST_F(ExplainerTest, SaysWhichRowsHaveNoKernelsOfOurs) {
    add_program("count_accesses", R"({"rows": []})", 3);
    add_program("measure_time", costs_);
    EXPECT_EQ(line(kCpu, 1000), "no bound: runs on the host");
    EXPECT_EQ(line(fake::row(Operation::scan, "cub", fake::fast_scan), 1000),
              "no bound: launches no kernel of ours");
    EXPECT_EQ(read("count_accesses.called"), "") << "it would fail";
}

TEST_F(ExplainerTest, SaysWhichProgramHasNotAnswered) {
    add_program("count_accesses", "", 3);
    add_program("measure_time", costs_);
    EXPECT_EQ(line(kFast, 1000), "no bound: count_accesses ended with exit code 3");
    add_program("count_accesses", "<html>");
    EXPECT_EQ(line(kFast, 1000), "no bound: the output of count_accesses could not be parsed");
    add_program("count_accesses", R"({"rows": [{"n": "many"}]})");
    EXPECT_EQ(line(kFast, 1000), "no bound: the output of a program lacks a field");
    add_program("count_accesses", kCounts);
    add_program("measure_time", "", 3);
    EXPECT_THAT(line(kFast, 1000),
                StartsWith("no bound: measure_time ended with exit code 3: 2 launches, "));
    add_program("measure_time", R"({"empty_launch_us": {"hot": 2.5}, "rows": []})");
    EXPECT_THAT(line(kFast, 1000), StartsWith("no bound: measure_time has measured no copy: 2 "));
    add_program("measure_time", costs_);
    EXPECT_THAT(line(kFast, 1000, 0), StartsWith("bound unknown without a time: 2 launches, "));
}

TEST_F(ExplainerTest, WantsCountAccesses) {
    try {
        (void)line(kFast, 1000);
        FAIL() << "there is none";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), StartsWith("--explain: there is no count_accesses in '"));
    }
}

TEST(Explainer, IsRefusedByABuildThatCannotCount) {
#if defined(STREAM_COMPACTION_HAS_COUNTS)
    GTEST_SKIP() << "this build can count";
#else
    const Registry registry = fake::registry_of(kRows);
    EXPECT_THROW(Explainer(registry, nullptr, testing::TempDir()), UsageError);
#endif
}

}  // namespace
}  // namespace stream_compaction
