#include "src/harness/harness.h"

#include "src/command_line/usage_error.h"
#include "src/input/input.h"
#include "src/input/key_file.h"
#include "tests/fake_registry.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Result {
    ExitCode code;
    std::string text;
};

/// A correct scan, followed by the rows of the test.
class Harness : public testing::Test {
  public:
    ~Harness() override { fake::machine = {}; }

    Result run(std::vector<Algorithm> rows, std::size_t n = 16) {
        rows.insert(rows.begin(), fake::row(Operation::scan, "cpu", fake::right_scan, Place::host));
        return run(fake::registry_of(rows), n);
    }

    Result run(const Registry& registry, std::optional<std::size_t> n) {
        options_.size = n;
        std::ostringstream out;
        const ExitCode code = stream_compaction::run(registry, options_, out);
        return {code, out.str()};
    }

    HarnessOptions options_;
};

TEST_F(Harness, PrintsTheClassicOutput) {
    constexpr Algorithm kRows[] = {
        fake::row(Operation::scan, "cpu", fake::right_scan, Place::host),
        fake::row(Operation::scan, "fast", fake::fast_scan),
        fake::unavailable(Operation::scan, "absent"),
    };
    options_.operations = {Operation::scan};
    options_.seed = 7;
    const Result result = run(fake::registry_of(kRows), 4);
    const std::vector<int> four = make_input(Distribution::uniform50, std::nullopt, 4, 7);
    const std::string input = "    [ " + [&] {
        std::string text;
        for (const int value : four)
            text += (value < 10 ? "  " : " ") + std::to_string(value) + ' ';
        return text;
    }() + "]\n";
    std::vector<int> sums(4);
    (void)fake::right_scan(four, sums, {});
    std::string output = "    [ ";
    for (const int value : sums)
        output += (value < 10 ? "  " : value < 100 ? " " : "") + std::to_string(value) + ' ';
    output += "]\n";
    EXPECT_EQ(result.text,
              "Fake GPU (CUDA 12.8, CUB 3.1.2, driver for CUDA 13.1), n = 4, seed = 7\n"
              "elapsed time: median of up to 5 calls after an untimed one, each on newly copied "
              "arrays\n"
              "\n"
              "****************\n"
              "** SCAN TESTS **\n"
              "****************\n" +
                  input +
                  "==== cpu scan, n = 4 ====\n"
                  "   elapsed time: 0.4000ms    (std::chrono Measured)    0.0000800 GB/s\n" +
                  output +
                  "    passed\n"
                  "==== cpu scan, n = 1 ====\n"
                  "   elapsed time: 0.4000ms    (std::chrono Measured)    0.0000200 GB/s\n"
                  "    [   0 ]\n"
                  "    passed\n"
                  "==== fast scan, n = 4 ====\n"
                  "   elapsed time: 0.1000ms    (CUDA Measured)    0.000320 GB/s    4.00x cpu\n"
                  "    passed\n"
                  "==== fast scan, n = 1 ====\n"
                  "   elapsed time: 0.1000ms    (CUDA Measured)    0.0000800 GB/s    4.00x cpu\n"
                  "    passed\n"
                  "==== absent scan, n = 4 ====\n"
                  "    skipped: needs a GPU: it has no host backend\n"
                  "==== absent scan, n = 1 ====\n"
                  "    skipped: needs a GPU: it has no host backend\n"
                  "\n"
                  "summary: 4 passed, 0 failed, 2 skipped\n");
    EXPECT_EQ(result.code, ExitCode::right);
}

TEST_F(Harness, RunsEveryOperationUnderItsBanner) {
    const Result result = run(fake::registry_of(fake::kRightRows), 4096);
    EXPECT_EQ(result.code, ExitCode::right);
    EXPECT_THAT(result.text, HasSubstr("** SCAN TESTS **"));
    EXPECT_THAT(result.text, HasSubstr("** STREAM COMPACTION TESTS **"));
    EXPECT_THAT(result.text, HasSubstr("** SORTING TESTS **"));
    EXPECT_THAT(result.text, HasSubstr("==== cpu compact, power-of-two ===="));
    EXPECT_THAT(result.text, HasSubstr("==== quick sort, non-power-of-two ===="));
    EXPECT_THAT(result.text, EndsWith("summary: 14 passed, 0 failed, 2 skipped\n"));
}

TEST_F(Harness, RunsTheSmallestSizes) {
    const Registry registry = fake::registry_of(fake::kRightRows);
    EXPECT_THAT(run(registry, 0).text, EndsWith("summary: 7 passed, 0 failed, 1 skipped\n"));
    EXPECT_THAT(run(registry, 1).text, EndsWith("summary: 7 passed, 0 failed, 1 skipped\n"));
    EXPECT_THAT(run(registry, 2).text, EndsWith("summary: 7 passed, 0 failed, 1 skipped\n"));
    EXPECT_THAT(run(registry, 3).text, EndsWith("summary: 14 passed, 0 failed, 2 skipped\n"));
}

TEST_F(Harness, HasADefaultSizeForEachBackend) {
    options_.algorithms = {"fast"};
    EXPECT_THAT(run(fake::registry_of(fake::kRightRows), std::nullopt).text,
                HasSubstr(", n = 4194304, seed = 1\n"));
    EXPECT_THAT(
        run(fake::registry_of(fake::kRightRows, simt::Backend::emulated), std::nullopt).text,
        HasSubstr(", n = 65536, seed = 1\n"));
}

TEST_F(Harness, NeverTakesEmulationForATime) {
    const Result result = run(fake::registry_of(fake::kRightRows, simt::Backend::emulated), 16);
    EXPECT_THAT(result.text, HasSubstr("==== fast scan, non-power-of-two ====\n"
                                       "   elapsed time: 0.1000ms    "
                                       "(emulated on the CPU, not a GPU time)\n"));
    EXPECT_THAT(result.text, Not(HasSubstr("CUDA Measured")));
}

TEST_F(Harness, CallsEmulatedKernelsOnce) {
    options_.algorithms = {"tunable"};
    options_.operations = {Operation::scan};
    const Result result = run(fake::registry_of(fake::kRightRows, simt::Backend::emulated), 16);
    EXPECT_EQ(fake::machine.tunings.size(), 2u) << "for each of two sizes";
    EXPECT_THAT(result.text, HasSubstr("\nelapsed time: median of up to 5 calls after an untimed "
                                       "one; of emulated kernels, one call\n\n"));
}

TEST_F(Harness, PrintsTheMedianOfTheCallsAfterTheFirst) {
    fake::calls = 0;
    fake::times_us = {9000, 500, 100, 300, 200, 400};
    const Result result = run({fake::row(Operation::scan, "varying", fake::varying_scan)}, 2);
    EXPECT_EQ(fake::calls, 6u);
    EXPECT_THAT(result.text, HasSubstr("   elapsed time: 0.3000ms    (CUDA Measured)"));
    EXPECT_THAT(result.text,
                HasSubstr("\n   map: 0.1500ms, scan: 0.0750ms, scatter: 0.0750ms    (CUDA "))
        << "the phases of the same call";
}

TEST_F(Harness, MakesFewerCallsOfASlowAlgorithm) {
    for (const auto& [us, calls] : {std::pair{300e3, 3u}, {2e6, 2u}, {90e3, 6u}}) {
        fake::calls = 0;
        fake::times_us = {us};
        (void)run({fake::row(Operation::scan, "varying", fake::varying_scan)}, 2);
        EXPECT_LE(fake::calls, calls) << "one of them untimed";
        EXPECT_GE(fake::calls, 2u);
    }
}

TEST_F(Harness, ComparesOnlyWithACpuRowThatRan) {
    options_.algorithms = {"fast"};
    EXPECT_THAT(run(fake::registry_of(fake::kRightRows), 16).text, Not(HasSubstr("x cpu")));
}

TEST_F(Harness, ReportsAWrongElement) {
    options_.seed = 5;
    const Result result = run({fake::tunable(Operation::scan, "wrong", fake::wrong_scan)}, 4096);
    std::vector<int> input = make_input(Distribution::uniform50, std::nullopt, 4096, 5);
    std::vector<int> sums(input.size());
    (void)fake::right_scan(input, sums, {});
    EXPECT_EQ(result.code, ExitCode::wrong_result);
    EXPECT_THAT(result.text,
                HasSubstr("    FAILED: index 10: expected " + std::to_string(sums[10]) + ", got " +
                          std::to_string(sums[10] + 1) +
                          " (n = 4096, seed = 5)\n"
                          "    repeat: stream_compaction_test --backend cuda "
                          "--operation scan --algorithm wrong --size 4096 --seed 5 "
                          "--block-size 128 --items-per-thread 4\n"));
    EXPECT_THAT(result.text, HasSubstr("--size 4093 --seed 5"));
    EXPECT_THAT(result.text, EndsWith("summary: 2 passed, 2 failed, 0 skipped\n"));
}

TEST_F(Harness, JudgesTheFirstRowLikeAnyOther) {
    constexpr Algorithm kRows[] = {
        fake::row(Operation::scan, "cpu", fake::wrong_scan, Place::host),
        fake::row(Operation::scan, "fast", fake::fast_scan),
    };
    const Result result = run(fake::registry_of(kRows), 4096);
    EXPECT_EQ(result.code, ExitCode::wrong_result);
    EXPECT_THAT(result.text, HasSubstr("--operation scan --algorithm cpu --size 4096"));
    EXPECT_THAT(result.text, EndsWith("summary: 2 passed, 2 failed, 0 skipped\n"));
}

TEST_F(Harness, SeesWhatIsWrittenPastTheEnd) {
    const Result result = run({fake::row(Operation::scan, "overrunning", fake::overrunning_scan)});
    EXPECT_EQ(result.code, ExitCode::wrong_result);
    EXPECT_THAT(result.text, HasSubstr("index 16: 13 was written past the end of the output"));
}

TEST_F(Harness, ChecksTheCallThatItTimes) {
    const Result result = run({fake::row(Operation::scan, "lazy", fake::lazy_scan)});
    EXPECT_EQ(result.code, ExitCode::wrong_result);
    EXPECT_THAT(result.text, HasSubstr("index 0: expected 0, got 1549556828"));
}

TEST_F(Harness, ChecksTheCountOfACompaction) {
    constexpr Algorithm kRows[] = {
        fake::row(Operation::compact, "cpu", fake::right_compact, Place::host),
        fake::row(Operation::compact, "forgetful", fake::forgetful_compact),
        fake::row(Operation::compact, "padding", fake::padding_compact),
        fake::row(Operation::compact, "inventive", fake::inventive_compact),
    };
    const Result result = run(fake::registry_of(kRows), 1000);
    EXPECT_EQ(result.code, ExitCode::wrong_result);
    EXPECT_THAT(result.text, ContainsRegex("expected a count of [0-9]+, got [0-9]+ \\(n = 1000"));
    EXPECT_THAT(result.text,
                ContainsRegex("index [0-9]+: 0 was written past the end of the output"));
    EXPECT_THAT(result.text, ContainsRegex("expected a count of [0-9]+, got 2000 \\(n = 1000"));
    EXPECT_THAT(result.text, EndsWith("summary: 2 passed, 6 failed, 0 skipped\n"));
}

TEST_F(Harness, ReportsAnErrorAndGoesOn) {
    const Result result = run({fake::row(Operation::scan, "throwing", fake::throwing_scan),
                               fake::row(Operation::scan, "fast", fake::fast_scan)});
    EXPECT_EQ(result.code, ExitCode::cuda);
    EXPECT_THAT(result.text,
                HasSubstr("cudaErrorLaunchFailure: unspecified launch failure (n = 16, "
                          "seed = 1)\n    repeat: stream_compaction_test "));
    EXPECT_THAT(result.text,
                EndsWith("==== fast scan, non-power-of-two ====\n"
                         "   elapsed time: 0.1000ms    (CUDA Measured)    0.00104 GB/s    "
                         "4.00x cpu\n"
                         "    passed\n"
                         "\n"
                         "summary: 4 passed, 2 failed, 0 skipped\n"));
}

TEST_F(Harness, RunsNothingAfterAnErrorThatStays) {
    const Result result = run({fake::row(Operation::scan, "killing", fake::killing_scan),
                               fake::row(Operation::scan, "fast", fake::fast_scan)});
    EXPECT_EQ(result.code, ExitCode::cuda);
    EXPECT_THAT(result.text, HasSubstr("==== fast scan, power-of-two ====\n    skipped: not run: "
                                       "CUDA does not recover from the error above\n"));
    EXPECT_THAT(result.text, EndsWith("summary: 2 passed, 1 failed, 3 skipped\n"));
}

TEST_F(Harness, RunsOtherRowsAlthoughTheHostHasNoMemoryAfterAnError) {
    const Result result = run({fake::row(Operation::scan, "filling", fake::filling_scan),
                               fake::row(Operation::scan, "simple", fake::fast_scan, Place::host)});
    EXPECT_EQ(result.code, ExitCode::cuda);
    EXPECT_THAT(result.text, HasSubstr("FAILED: "));
    EXPECT_THAT(result.text, Not(HasSubstr("CUDA does not recover")));
    EXPECT_THAT(result.text, EndsWith("summary: 4 passed, 1 failed, 1 skipped\n"));
}

TEST_F(Harness, SkipsWhatTheDeviceHasNoRoomFor) {
    // The rows need input, output and a workspace of the same size.
    fake::machine.free_bytes = 12 * 1000;
    const Result result = run({fake::row(Operation::scan, "fast", fake::fast_scan)}, 1003);
    EXPECT_EQ(result.code, ExitCode::right);
    EXPECT_THAT(result.text, HasSubstr("==== fast scan, n = 1003 ====\n"
                                       "    skipped: needs 11.75 KiB, 11.72 KiB free\n"));
    EXPECT_THAT(result.text, EndsWith("summary: 3 passed, 0 failed, 1 skipped\n"));
}

TEST_F(Harness, SkipsARowThatDoesNotTakeTheSize) {
    const Result result = run({fake::row(Operation::scan, "choosy", fake::choosy_scan)}, 5);
    EXPECT_EQ(result.code, ExitCode::right);
    EXPECT_THAT(result.text, HasSubstr("    skipped: does not accept 5 elements\n"));
}

TEST_F(Harness, SkipsARowThatTheHostHasNoRoomFor) {
    const Result result = run({fake::row(Operation::scan, "greedy", fake::greedy_scan)});
    EXPECT_EQ(result.code, ExitCode::right);
    EXPECT_THAT(result.text,
                HasSubstr("    skipped: out of memory: the machine has no memory left\n"));
}

TEST_F(Harness, SkipsARowWhoseDeviceMemoryEndsInACall) {
    for (const bool once : {false, true}) {
        options_.once = once;
        const Result result = run({fake::row(Operation::scan, "hungry", fake::hungry_scan),
                                   fake::row(Operation::scan, "fast", fake::fast_scan)});
        EXPECT_EQ(result.code, ExitCode::right);
        EXPECT_THAT(result.text, ContainsRegex("skipped: [^ ]*: out of memory: 4000 bytes\n"));
        EXPECT_THAT(result.text,
                    HasSubstr(once ? "scan fast: called once\n" : " 4 passed, 0 failed, "));
    }
}

TEST_F(Harness, RefusesASizeThatTheHostHasNoRoomFor) {
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t n : {std::size_t{1} << 50, most}) {
        try {
            (void)run({}, n);
            FAIL();
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), AllOf(StartsWith("--size: given '" + std::to_string(n) + "'"),
                                            HasSubstr("expected at most ")));
        }
    }
}

TEST_F(Harness, CallsEachRowOnceForAProfiler) {
    options_.algorithms = {"tunable", "absent"};
    options_.operations = {Operation::scan};
    options_.once = true;
    const Result result = run(fake::registry_of(fake::kRightRows), 16);
    EXPECT_EQ(result.code, ExitCode::right);
    EXPECT_EQ(fake::machine.tunings.size(), 1u);
    EXPECT_THAT(result.text,
                EndsWith("scan tunable: called once\n"
                         "scan absent: skipped: needs a GPU: it has no host backend\n"));
}

TEST_F(Harness, TellsTheModelAndRepeatsItWhereItIsWrong) {
    options_.distribution = Distribution::of_model(7);
    const Result result = run({fake::row(Operation::scan, "wrong", fake::wrong_scan)}, 4096);
    EXPECT_EQ(result.code, ExitCode::wrong_result);
    EXPECT_THAT(result.text,
                HasSubstr(", n = 4096, seed = 1, model:7 (" + describe(KeyLaw(7, 4096)) + ")\n"));
    EXPECT_THAT(result.text, HasSubstr(" --size 4096 --seed 1 --distribution model:7\n"));
    EXPECT_THAT(result.text, HasSubstr(" --size 4093 --seed 1 --distribution model:7\n"));
}

TEST_F(Harness, TakesAllKeysOfAFileAsTheyAre) {
    const TemporaryFile file(bytes_of({5, 0, 6, 0, 7, 0, 0}), " of keys");
    const KeyFile keys(file.path());
    options_.distribution = Distribution::of_file(keys);
    Result result = run(fake::registry_of(fake::kRightRows), std::nullopt);
    EXPECT_EQ(result.code, ExitCode::right);
    EXPECT_THAT(result.text, HasSubstr(", n = 7, seed = 1, file:" + file.path() + '\n'));
    EXPECT_THAT(result.text, HasSubstr("[   5   0   6   0   7   0   0 ]\n"));
    EXPECT_THAT(result.text, HasSubstr("[   5   6   7 ]\n"));  // a compaction's
    EXPECT_THAT(result.text, HasSubstr("[   0   0   0   0   5   6   7 ]\n"));
    result = run({fake::row(Operation::scan, "lazy", fake::lazy_scan)}, 7);
    EXPECT_THAT(result.text, HasSubstr(" --distribution 'file:" + file.path() + "'\n"));
}

TEST_F(Harness, RunsRowsWithTheTuningThatWasAskedFor) {
    options_.algorithms = {"tunable"};
    options_.operations = {Operation::scan};
    options_.block_size = 64;
    (void)run(fake::registry_of(fake::kRightRows), 16);
    ASSERT_EQ(fake::machine.tunings.size(), 12u);  // an untimed and 5 timed calls for two sizes
    EXPECT_THAT(fake::machine.tunings, Each(Tuning{.block_size = 64, .items_per_thread = 4}));
}

}  // namespace
}  // namespace stream_compaction
