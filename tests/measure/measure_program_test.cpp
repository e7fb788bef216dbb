// measure_time, started in the same way as by a user.
#include "stream_compaction/registry.h"
#include "tests/program.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace stream_compaction {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// Why the program cannot measure on this machine.
std::optional<std::string> why_not() {
    const Registry* const cuda = registry(simt::Backend::cuda);
    return cuda == nullptr ? "the program was built without CUDA" : cuda->unavailable_reason();
}

TEST(MeasureTime, Helps) {
    const ProgramResult result = program("--help");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("--items-per-thread"));
    EXPECT_EQ(result.err, "");
}

TEST(MeasureTime, ListsItsRowsWithoutAGpu) {
    const ProgramResult result = program("--list");
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* const name : {"cpu", "naive", "efficient_plus", "radix", "cub"})
        EXPECT_THAT(result.out, HasSubstr("\"algorithm\": \"" + std::string(name) + '"'));
}

TEST(MeasureTime, PrintsItsPlanWithoutAGpu) {
    const std::string path = testing::TempDir() + "measure_time_plans.json";
    const ProgramResult result = program(
        "--operation scan --algorithm naive,cpu --size 2^10:2^12:x2,2^11-3 --mode cold,hot,graph "
        "--block-size 64,128 --distribution uniform50,zipf --samples 30 "
        "--seed 1 --output '" +
        path + "' --format json --dry-run");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_THAT(result.out, StartsWith("scan, n = 1024 (2^10), uniform50, cold: cpu\n"
                                       "scan, n = 1024 (2^10), uniform50, cold: naive 64\n"
                                       "scan, n = 1024 (2^10), uniform50, cold: naive 128\n"
                                       "scan, n = 1024 (2^10), uniform50, hot: cpu\n"));
    EXPECT_THAT(result.out, HasSubstr("scan, n = 2045, zipf, graph: cpu: skipped: runs on the "
                                      "host, which has no graphs\n"));
    // 4 sizes, 2 distributions, 3 modes; the cpu row is in 2 of the modes.
    EXPECT_THAT(result.out, EndsWith("\n64 to measure, 8 to skip\n"));
}

TEST(MeasureTime, PlansModelsAndKeysOfOnesOwn) {
    const TemporaryFile file(bytes_of({1, 2, 0}));
    const std::string name = "file:" + file.path();
    ProgramResult result =
        program("--operation sort,compact --algorithm cpu --distribution 'model:1..2," + name +
                "' --dry-run");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("sort, n = 1048576 (2^20), model:2 ("));
    EXPECT_THAT(result.out, HasSubstr("sort, n = 3, " + name + ", cold: cpu\n"));
    EXPECT_THAT(result.out, HasSubstr("compact, n = 3, " + name + ", cold: cpu\n"));
    EXPECT_THAT(result.out, HasSubstr("), kept 0.5, cold: cpu\n"));
    EXPECT_THAT(result.out, EndsWith("\n6 to measure, 0 to skip\n"));

    result = program("--size 2,4 --dry-run --distribution '" + name + '\'');
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "measure_time: --size: given '4', expected at most 3, all keys of '" +
                              file.path() + "'\n");
}

TEST(MeasureTime, SaysInOneLineWhyAFileOfKeysCannotBeRead) {
    const ProgramResult result = program("--dry-run --distribution file:/nonexistent/keys.npy");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "measure_time: --distribution: '/nonexistent/keys.npy' cannot be read: "
              "No such file or directory\n");
}

class WrongCommandLine : public testing::TestWithParam<const char*> {};

TEST_P(WrongCommandLine, IsToldInOneLineWithExitCodeTwo) {
    const ProgramResult result = program(GetParam());
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("measure_time: "));
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Table, WrongCommandLine,
                         testing::Values("--size $'1\\n2'", "--algorithm bogo",
                                         "--operation sort --algorithm naive",
                                         "--block-size 100000", "''", "--list=x",
                                         "--max-device-bytes x", "--commit \"$(printf 'ab\\377')\"",
                                         "--seed 8 --seed 9", "--distribution model:1..99999"));

TEST(MeasureTime, RefusesToMeasureWithoutAGpu) {
    const auto reason = why_not();
    if (!reason) GTEST_SKIP() << "there is a GPU";
    const std::string folder = testing::TempDir() + "measure_time_refuses";
    const ProgramResult result = program("--size 100 --output '" + folder + "/new/file.json'");
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("measure_time: measuring needs a GPU"));
    EXPECT_THAT(result.err, EndsWith(*reason + '\n'));
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(MeasureTime, FindsAnUnwritableFileBeforeItMeasures) {
    for (const char* const more : {"", " --dry-run"}) {
        const ProgramResult result =
            program("--size 100 --output /proc/none/file.json" + std::string(more));
        EXPECT_EQ(result.code, 4) << more;
        EXPECT_EQ(result.out, "") << more;
        EXPECT_EQ(result.err,
                  "measure_time: --output: /proc/none/file.json cannot be written: No such file or "
                  "directory\n")
            << more;
    }
}

TEST(MeasureTime, CannotWriteToAFullDisk) {
    const ProgramResult result = program("--list >/dev/full");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, "measure_time: cannot write the output\n");
}

/// For runs on a GPU.
class MeasureTimeOnGpu : public testing::Test {
  protected:
    void SetUp() override {
        if (const auto reason = why_not()) GTEST_SKIP() << *reason;
    }
};

TEST_F(MeasureTimeOnGpu, MeasuresEveryRowInEveryMode) {
    const ProgramResult result =
        program("--size 1000 --mode cold,hot,graph,host --samples 2 --format json");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\"mode\":\"graph\""));
    EXPECT_EQ(result.out.find("\"verified\":false"), std::string::npos);
}

}  // namespace
}  // namespace stream_compaction
