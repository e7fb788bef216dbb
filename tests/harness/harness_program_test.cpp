// stream_compaction_test, started in the same way as by a user.
#include "stream_compaction/registry.h"
#include "tests/program.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace stream_compaction {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

/// For runs of kernels that are the same with and without a GPU.
class Emulated : public testing::Test {
  public:
    void SetUp() override {
        if (registry(simt::Backend::emulated) == nullptr)
            GTEST_SKIP() << "built without the emulated backend";
    }
};

TEST(Program, Helps) {
    const ProgramResult result = program("--help");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("--items-per-thread"));
    EXPECT_EQ(result.err, "");
}

TEST(Program, KnowsItsVersion) {
    const ProgramResult result = program("--version");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, StartsWith("stream_compaction "));
}

TEST(Program, SaysInOneLineThatItCannotRunInSuchSurroundings) {
    EXPECT_EQ(program("--list", "SIMT_SHAPE=t5").code, 2);
    EXPECT_THAT(program("--list", "SIMT_SHAPE=t5").err,
                StartsWith("stream_compaction_test: SIMT_SHAPE: given 't5', expected t4, a100, "));
    const ProgramResult result = program("--size 100", "ulimit -s 50;");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err,
              "stream_compaction_test: ulimit -s: given '50', expected at least 64 KiB\n");
}

constexpr const char* kNothingMeasured =
    "stream_compaction_test: nothing was measured: every selected algorithm was skipped\n";

TEST_F(Emulated, SkipsARowWhoseThreadsHaveNoMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory is beyond the limit";
#endif
    // With some of these, there is memory for stacks once, but not twice.
    for (int kibibytes = 6'000; kibibytes <= 30'000; kibibytes += 1'500) {
        const ProgramResult result =
            program("--backend emulated --operation scan --algorithm cpu,cpu_parallel --size 1000",
                    "ulimit -d " + std::to_string(kibibytes) + ';');
        EXPECT_EQ(result.code, 0) << kibibytes;
        EXPECT_EQ(result.err, "") << kibibytes;
        EXPECT_THAT(result.out, ContainsRegex("summary: [24] passed, 0 failed, [02] skipped\n$"));
    }
}

TEST_F(Emulated, SkipsRowsIfNextToNoMemoryIsLeft) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory is beyond the limit";
#endif
    // With less than about 400, not even the program's libraries can start; the first limits with
    // which they start leave rows the least memory.
    int first = 10'000;
    for (int kibibytes = 300; kibibytes < std::min(first + 60, 10'000); kibibytes += 4) {
        const ProgramResult result = program("--backend emulated --size 1000 --operation scan",
                                             "ulimit -d " + std::to_string(kibibytes) + ';');
        EXPECT_THAT(result.out, Not(HasSubstr("FAILED"))) << kibibytes;
        EXPECT_THAT(result.out, Not(HasSubstr("CUDA does not recover"))) << kibibytes;
        if (result.code != 0) continue;
        EXPECT_THAT(result.out, HasSubstr("(ulimit -d)\n")) << kibibytes;
        first = std::min(first, kibibytes);
    }
    EXPECT_LT(first, 10'000);
}

class EmulatedUntil : public Emulated, public testing::WithParamInterface<const char*> {};

TEST_P(EmulatedUntil, ASignalKeepsTheRowsBefore) {
    const ProgramResult result =
        interrupted("--backend emulated --operation scan --algorithm cpu,efficient --size 2^24",
                    "==== efficient", GetParam());
    EXPECT_EQ(result.code, 130);
    EXPECT_EQ(result.err, "stream_compaction_test: interrupted\n");
    EXPECT_THAT(result.out, ContainsRegex("passed\n.*==== cpu .*\n.*passed\n==== efficient"));
}

INSTANTIATE_TEST_SUITE_P(Signals, EmulatedUntil, testing::Values("INT", "TERM", "HUP"));

TEST_F(Emulated, StopsWhenNobodyReadsWhatItPrints) {
    const ProgramResult result = cut_off("--backend emulated --size 100");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, "stream_compaction_test: cannot write the output\n");
}

class WrongCommandLine : public testing::TestWithParam<const char*> {};

TEST_P(WrongCommandLine, IsToldInOneLineWithExitCodeTwo) {
    const ProgramResult result = program(GetParam());
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("stream_compaction_test: "));
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Table, WrongCommandLine,
                         testing::Values("--size $'1\\n2'", "--algorithm bogo",
                                         "--operation sort --algorithm naive",
                                         "--block-size 100000", "--algorithm cpu --block-size 128",
                                         "--items-per-thread 1000", "2^22", "''", "--",
                                         "--max-device-bytes x", "--distribution model:x",
                                         "--distribution file:"));

TEST(Program, NamesTheLegalAlgorithms) {
    const ProgramResult result = program("--operation scan --algorithm bogo");
    EXPECT_THAT(result.err,
                StartsWith("stream_compaction_test: --algorithm: given 'bogo', expected "
                           "cpu, cpu_parallel, naive, "));
}

TEST(Program, SaysThatAnOptionMayBeGivenOnce) {
    EXPECT_EQ(program("--size 8 --seed 1 --size 9").err,
              "stream_compaction_test: --size: given twice ('8', '9')\n");
}

TEST(Program, ExplainsNoCallThatIsNotTimed) {
    const ProgramResult result = program("--once --explain");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(
        result.err,
        "stream_compaction_test: --explain cannot be combined with --once, which times nothing\n");
}

#if defined(STREAM_COMPACTION_HAS_COUNTS)

TEST_F(Emulated, ExplainsEachRowBelowItsResult) {
    const ProgramResult result = program(
        "--backend emulated --operation scan --algorithm cpu,efficient,cub --size 64 --explain",
        "exec 3>&- 4>&-; TMPDIR=/none");  // no descriptor and no folder is needed
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("    passed\n    no bound: runs on the host\n"));
    // 6 levels up and 6 down.
    EXPECT_THAT(result.out,
                HasSubstr("    passed\n    bound unknown without a GPU's time: 12 launches, "));
    EXPECT_THAT(result.out, HasSubstr(" of 32 lanes active, no shared memory\n"));
    EXPECT_THAT(result.out, HasSubstr("skipped: needs a GPU"));
}

TEST(Program, SaysThatItCannotExplainAlone) {
    const std::string folder = testing::TempDir() + "alone." + std::to_string(getpid());
    std::filesystem::create_directory(folder);
    const std::string copy = folder + "/stream_compaction_test";
    std::filesystem::copy_file(TESTED_PROGRAM, copy);
    const ProgramResult result = start(copy, "--explain --size 8");
    std::filesystem::remove_all(folder);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "stream_compaction_test: --explain: there is no count_accesses in '" +
                              folder +
                              "'; 'scripts/setup release stream_compaction_explain' builds it\n");
}

#else

TEST(Program, SaysThatThisBuildCannotCount) {
    const ProgramResult result = program("--explain --size 8");
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, StartsWith("stream_compaction_test: --explain: this build cannot "));
}

#endif

TEST(Program, CannotWriteToAFullDisk) {
    const ProgramResult result = program("--help >/dev/full");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, "stream_compaction_test: cannot write the output\n");
}

TEST(Program, InsistsOnAGpuWhereOneIsAskedFor) {
    const Registry* const cuda = registry(simt::Backend::cuda);
    const auto reason =
        cuda == nullptr ? "the program was built without CUDA" : cuda->unavailable_reason();
    if (!reason) GTEST_SKIP() << "there is a GPU";
    const ProgramResult result = program("--backend cuda --size 100");
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "stream_compaction_test: --backend cuda: " + *reason + '\n');
}

#if defined(OLD_DRIVER)

TEST(Program, SaysThatTheDriverIsTooOld) {
    const std::string reason = "the NVIDIA driver is older than this program's CUDA runtime";
    const std::string old_driver = "LD_LIBRARY_PATH='" OLD_DRIVER "'";
    const ProgramResult result = program("--backend cuda --size 100", old_driver);
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "stream_compaction_test: --backend cuda: " + reason + '\n');

    if (registry(simt::Backend::emulated) == nullptr) return;
    const ProgramResult automatic = program("--size 100", old_driver);
    EXPECT_EQ(automatic.code, 0);
    EXPECT_THAT(automatic.out, StartsWith("no usable GPU: " + reason + "; the CPU executes "));
}

#endif

TEST_F(Emulated, RunsWhereNoGpuCanBeUsed) {
    // This hides all GPUs from CUDA's libraries and the programs.
    const std::string no_gpu = "CUDA_VISIBLE_DEVICES=-1";
    const ProgramResult result = program("--size 100", no_gpu);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, StartsWith("no usable GPU: "));
    EXPECT_THAT(result.out, HasSubstr("; the CPU executes the kernels\n"));
    EXPECT_THAT(result.out, HasSubstr(" passed, 0 failed, "));

    const ProgramResult insisting = program("--size 100 --backend cuda", no_gpu);
    EXPECT_EQ(insisting.code, 3);
    EXPECT_EQ(insisting.out, "");
    EXPECT_THAT(insisting.err, StartsWith("stream_compaction_test: --backend cuda: "));
    EXPECT_EQ(insisting.err.find('\n'), insisting.err.size() - 1) << insisting.err;
}

TEST_F(Emulated, ListsEveryRow) {
    const ProgramResult result = program("--list --backend emulated");
    EXPECT_EQ(result.code, 0);
    for (const Algorithm& row : registry(simt::Backend::emulated)->rows) {
        EXPECT_THAT(result.out, HasSubstr(std::string(row.name)));
        EXPECT_THAT(result.out, HasSubstr(std::string(row.description)));
    }
}

TEST_F(Emulated, PassesEveryRow) {
    for (const char* const size : {"0", "1", "2^10"}) {
        const ProgramResult result = program(std::string("--backend emulated --size ") + size);
        EXPECT_EQ(result.code, 0);
        EXPECT_EQ(result.err, "");
        EXPECT_THAT(result.out, HasSubstr("kernels emulated on the CPU, n = "));
        EXPECT_THAT(result.out, HasSubstr("\nsummary: "));
        EXPECT_THAT(result.out, HasSubstr(" passed, 0 failed, "));
        EXPECT_THAT(result.out, Not(HasSubstr("CUDA Measured")));
        EXPECT_THAT(result.out, EndsWith(" skipped\n"));
    }
}

TEST_F(Emulated, PassesEveryRowWithTheProfileOfEveryGpu) {
    for (const simt::DeviceProfile& gpu : simt::device_profiles()) {
        const ProgramResult result = program("--size 2^12 --emulate " + std::string(gpu.name));
        EXPECT_EQ(result.code, 0) << gpu.name;
        EXPECT_THAT(result.out, HasSubstr(" emulating " + std::string(gpu.gpu) + ", kernels"));
        EXPECT_THAT(result.out, HasSubstr(" passed, 0 failed, "));
    }
}

TEST_F(Emulated, RunsARowWithATuning) {
    const ProgramResult result = program(
        "--backend emulated --size 1000 --operation scan --algorithm naive --block-size 64");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, EndsWith("summary: 2 passed, 0 failed, 0 skipped\n"));
}

TEST_F(Emulated, PassesEveryRowOnKeysOfOnesOwn) {
    const TemporaryFile file(bytes_of({3, -1, 0, 3, 2147483647, 0}));
    const std::string option = "--backend emulated --distribution 'file:" + file.path() + "' ";
    ProgramResult result = program(option);
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr(", n = 6, seed = 1, file:" + file.path() + '\n'));
    EXPECT_THAT(result.out, HasSubstr(" passed, 0 failed, "));
    EXPECT_EQ(program(option + "--size 4").code, 0);
    result = program(option + "--size 7");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err,
              "stream_compaction_test: --size: given '7', expected at most 6, all keys "
              "of '" +
                  file.path() + "'\n");
}

TEST_F(Emulated, PassesEveryRowOnRandomKeyModels) {
    for (const char* const model : {"model:1", "model:2", "model:8", "model:22"}) {
        const ProgramResult result =
            program(std::string("--backend emulated --size 5000 --distribution ") + model);
        EXPECT_EQ(result.code, 0) << result.out;
        EXPECT_THAT(result.out, HasSubstr(", " + std::string(model) + " ("));
    }
}

TEST(Program, SaysInOneLineWhyAFileOfKeysCannotBeRead) {
    const ProgramResult result = program("--distribution file:/nonexistent/keys.npy");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "stream_compaction_test: --distribution: '/nonexistent/keys.npy' cannot "
              "be read: No such file or directory\n");
    EXPECT_EQ(program("--distribution file:/tmp").code, 4);
}

TEST_F(Emulated, StartsNoMoreThreadsThanThereIsRoomFor) {
    const ProgramResult result = program(
        "--backend emulated --algorithm cpu,cpu_parallel --size 2^18", "OMP_NUM_THREADS=100000");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(" passed, 0 failed, "));
}

/// The peak memory of any program that was started here, in bytes.
double peak() {
    rusage usage{};
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

TEST_F(Emulated, NeedsNoMoreHostMemoryThanItSays) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer keeps what was freed";
#endif
    const std::string err = program("--backend emulated --size 2^50").err;
    const std::string_view before = "each element needs ";
    const std::size_t at = err.find(before);
    ASSERT_NE(at, std::string::npos) << err;
    const double bytes = std::stod(err.substr(at + before.size()));

    const std::string rows =
        "--backend emulated --operation compact,sort --algorithm cpu,cpu_scan,cpu_parallel --size ";
    EXPECT_EQ(program(rows + "1000").code, 0);
    const double without_arrays = peak();
    constexpr int kSize = 1 << 22;
    EXPECT_EQ(program(rows + std::to_string(kSize)).code, 0);
    EXPECT_LE(peak(), without_arrays + bytes * kSize);
}

TEST_F(Emulated, SaysThatEveryRowWasSkipped) {
    for (const char* const arguments : {"--algorithm cub", "--algorithm cub --once",
                                        "--algorithm naive --max-device-bytes 100"}) {
        const ProgramResult result =
            program("--backend emulated --size 1000 --operation scan " + std::string(arguments));
        EXPECT_EQ(result.code, 3) << arguments;
        EXPECT_EQ(result.err, kNothingMeasured) << arguments;
        EXPECT_THAT(result.out, HasSubstr("skipped: needs ")) << arguments;
    }
}

TEST_F(Emulated, CallsOnceWhatThereIsMemoryFor) {
    const ProgramResult result =
        program("--backend emulated --operation scan --once --size 1000 --max-device-bytes 100");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("scan cpu: called once\n"));
    EXPECT_THAT(result.out,
                ContainsRegex("scan naive: skipped: needs [0-9.]+ KiB, 100 bytes free\n"));
}

TEST_F(Emulated, StreamsWhatTheDeviceHasNoRoomFor) {
    const ProgramResult result = program(
        "--backend emulated --algorithm naive,streamed --size 2^18 --max-device-bytes 2^20");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("summary: 6 passed, 0 failed, 4 skipped\n"));
}

TEST_F(Emulated, SkipsARowThatHasNoThreads) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become a user who may start nothing";
    const auto limited = [](const std::string& algorithms) {
        return program("--backend emulated --operation sort --size 10000 --algorithm " + algorithms,
                       kNothingStarts);
    };
    const ProgramResult some = limited("cpu,cpu_parallel,streamed,onesweep");
    EXPECT_EQ(some.code, 0) << some.err;
    EXPECT_THAT(some.out, HasSubstr("summary: 2 passed, 0 failed, 6 skipped\n"));
    for (const char* const algorithm : {"cpu_parallel", "streamed"}) {
        const ProgramResult none = limited(algorithm);
        EXPECT_EQ(none.code, 3) << algorithm;
        EXPECT_THAT(none.out, HasSubstr("summary: 0 passed, 0 failed, 2 skipped\n"));
    }
}

TEST_F(Emulated, SaysWhichLimitLeavesNoMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory is beyond the limit";
#endif
    const auto limited = [](const std::string& arguments) {
        return program("--backend emulated " + arguments, "ulimit -d 3000;");
    };
    // The input does not fit.
    const ProgramResult large = limited("--operation scan --size 3*2^19");
    EXPECT_EQ(large.code, 3);
    EXPECT_THAT(large.err, MatchesRegex("stream_compaction_test: out of memory: the process has "
                                        "[0-9]+ bytes of data, at most 3072000 \\(ulimit -d\\)\n"));
    // No thread of a kernel gets a stack.
    for (const char* const more : {"", " --once"}) {
        const std::string arguments = "--operation scan --size 700 --algorithm ";
        const ProgramResult none = limited(arguments + "efficient_plus,single_pass" + more);
        EXPECT_EQ(none.code, 3) << more;
        EXPECT_EQ(none.err, kNothingMeasured);
        EXPECT_THAT(none.out, ContainsRegex("skipped: .*: out of memory: no stack .*, at most "
                                            "3072000 \\(ulimit -d\\)\n"));
        EXPECT_EQ(limited(arguments + "cpu,single_pass" + more).code, 0) << more;
    }
}

TEST_F(Emulated, RefusesASizeThatTheHostHasNoRoomFor) {
    for (const char* const size : {"2^50", "2^62", "2^63", "2^64-1"}) {
        const ProgramResult result = program(std::string("--backend emulated --size ") + size);
        EXPECT_EQ(result.code, 2);
        EXPECT_THAT(result.err, StartsWith("stream_compaction_test: --size: given "));
    }
}

}  // namespace
}  // namespace stream_compaction
