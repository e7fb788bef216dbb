// property_test, started in the same way as by a user, and interrupted.
#include "tests/program.h"

#include "simt/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* kName =
    simt::kBackend == simt::Backend::emulated ? "property_test_emulated" : "property_test_gpu";

TEST(PropertyProgram, CountsTheCasesBeforeASignal) {
    for (const char* const signal : {"INT", "TERM", "HUP"}) {
        // Nothing is printed before the end.
        const ProgramResult result = program("--budget 600s --operation scan & sleep 2; kill -" +
                                             std::string(signal) + " $!; wait $!");
        EXPECT_EQ(result.code, 130);
        EXPECT_EQ(result.err, std::string(kName) + ": interrupted\n");
        EXPECT_THAT(result.out, MatchesRegex("[1-9][0-9]* cases of [0-9]+ rows, 0 mismatches, "
                                             "seed 1, [0-9]+ s\n"));
    }
}

TEST(PropertyProgram, RefusesASeedOfCasesForOneCase) {
    const ProgramResult result = program("--case 1 --seed 2");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, std::string(kName) +
                              ": --case: cannot be combined with --cases, --budget or --seed\n");
}

TEST(PropertyProgram, RefusesToRunNoCase) {
    const ProgramResult result = program("--cases 0");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, std::string(kName) +
                              ": --cases: given '0', expected a whole number from 1 to 2^64 - 1\n");
}

#if defined(SIMT_EMULATED)

TEST(PropertyProgram, RunsOneCaseOfEachRow) {
    const ProgramResult result =
        program("--case 5 --operation scan --algorithm cpu,naive --variant none");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, MatchesRegex("2 cases of 2 rows, 0 mismatches, seed 5, .*\n"));
}

TEST(PropertyProgram, EndsAtAClosedPipe) {
    const ProgramResult result = cut_off("--case 5 --operation scan --algorithm cpu", 0);
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, std::string(kName) + ": cannot write the output\n");
}

/// libgomp reads its threads' stack size from this variable: too small for any work.
constexpr const char* kNoThreads = "OMP_STACKSIZE=20k";

TEST(PropertyProgram, SkipsCasesThatHaveNoThreads) {
    const ProgramResult result =
        program("--cases 40 --operation scan --algorithm cpu,cpu_parallel --size 1000", kNoThreads);
    EXPECT_EQ(result.code, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr(" 0 mismatches, "));
    EXPECT_THAT(result.out, MatchesRegex("20 cases of 2 rows, .* s; 20 skipped: a thread cannot be "
                                         "started \\(limits: .*\\)\n"));
}

/// Blocks that wait for each other need a thread each.
TEST(PropertyProgram, SkipsCasesWhoseBlocksHaveNoThreads) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become a user who may start nothing";
    const ProgramResult result =
        program("--cases 40 --operation sort --algorithm onesweep,hybrid_radix --variant none",
                kNothingStarts);
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr(" 0 mismatches, "));
    EXPECT_THAT(result.out, HasSubstr(" skipped: "));
    EXPECT_THAT(result.out, HasSubstr("the machine has started only 1 of "));
    EXPECT_THAT(result.out, EndsWith(" (limits: ulimit -u, -d and -v, pids.max of the cgroup)\n"));
}

TEST(PropertyProgram, SkipsCasesThatHaveNoMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory is beyond the limit";
#endif
    const ProgramResult result =
        program("--cases 40 --operation scan --algorithm cpu,single_pass --variant none --size 700",
                "ulimit -d 3000;");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, MatchesRegex("20 cases of 2 rows, 0 mismatches, .* s; 20 skipped: .*: "
                                         "out of memory: .*\\(ulimit -d\\)\n"));
}

TEST(PropertyProgram, IsNotRightIfEveryCaseIsSkipped) {
    const ProgramResult result =
        program("--cases 4 --operation scan --algorithm cpu_parallel", kNoThreads);
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(": a thread cannot be started (limits: "));
}

#endif

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
