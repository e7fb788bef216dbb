// count_accesses, started in the same way as by a user.
#include "tests/program.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <regex>
#include <string>
#include <thread>

namespace stream_compaction {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

/// The program must print one line.
void expect_refused(const std::string& arguments, const std::string& reason, int code = 2) {
    const ProgramResult result = program(arguments);
    EXPECT_EQ(result.code, code) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, StartsWith("count_accesses: ")) << arguments;
    EXPECT_THAT(result.err, HasSubstr(reason)) << arguments;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

TEST(CountProgram, Helps) {
    const ProgramResult result = program("--help");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("--by-line"));
    EXPECT_THAT(result.out, HasSubstr("; stream_compaction_test --list prints the names"));
    EXPECT_EQ(result.err, "");
}

TEST(CountProgram, RefusesWhatIsWrongInOneLine) {
    expect_refused("--size many", "--size: 'many' is not a size");
    for (const char* const size : {"2^62", "2^64-1"})
        expect_refused(std::string("--algorithm single_pass --size ") + size,
                       " here: the host has ");
    expect_refused("--operation reduce", "expected scan, compact or sort");
    expect_refused("--operation scan --algorithm quick", "expected cpu, ");
    expect_refused("--algorithm naive --block-size 7", "--block-size: given '7'");
    expect_refused("--algorithm naive --padding 0", "--padding: no selected algorithm has");
    expect_refused("--emulate g80", "--emulate: given 'g80', expected t4");
    expect_refused("--by-lines", "unknown argument '--by-lines'");
    expect_refused("--size 8 --json ''", "--json: given '', expected the path of a file", 2);
    expect_refused("--size 8 --json /proc/none/counts.json",
                   "--json: /proc/none/counts.json cannot be written: No such file or directory",
                   4);
}

TEST(CountProgram, EndsAtAClosedPipe) {
    const ProgramResult result = cut_off("--operation scan,sort --size 3000");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, "count_accesses: cannot write the output\n");
}

TEST(CountProgram, KeepsTheOlderFileAtALimitOfFileSizes) {
    const TemporaryFile file("older", ".json");
    // No file may grow beyond 512 bytes. The error message does not go to a file here.
    const ProgramResult result =
        program("--operation scan --size 3000 --json '" + file.path() + "' 2>&1", "ulimit -f 1;");
    EXPECT_EQ(result.code, 4);
    EXPECT_THAT(result.out,
                HasSubstr("count_accesses: --json: " + file.path() + " cannot be written: "));
    std::string content;
    std::getline(std::ifstream(file.path()), content);
    EXPECT_EQ(content, "older");
}

TEST(CountProgram, PrintsEachLaunchAndAll) {
    const ProgramResult result = program("--operation scan --algorithm efficient --size 64");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("scan efficient"));
    EXPECT_THAT(result.out, HasSubstr("n = 64"));
    EXPECT_THAT(result.out, HasSubstr("  sum_children <<<1 x 128>>>"));
    EXPECT_THAT(result.out, HasSubstr("\n  all "));
    EXPECT_THAT(result.out, Not(HasSubstr("conflicts")));  // it has no shared memory
    EXPECT_THAT(result.out, Not(HasSubstr("efficient.cu:")));
}

TEST(CountProgram, PrintsWhatIsCountedColumnByColumn) {
    const ProgramResult result = program("--operation scan --algorithm efficient --size 64");
    // The 32 nodes of the lowest level read both leaves, and the left leaf again to copy it; they
    // write the copy and the sum. Every second word of 64: 8 sectors per request.
    const std::string words = std::regex_replace(result.out, std::regex(" +"), " ");
    EXPECT_THAT(words, HasSubstr("\n launched active request"
                                 " requests sectors bytes asked moved used %"
                                 " requests sectors bytes asked moved used %\n"
                                 " sum_children <<<1 x 128>>> 128 32 32.0"
                                 " 3 24 384 768 50.0 2 16 256 512 50.0\n"));
}

TEST(CountProgram, SaysWhyARowIsNotCounted) {
    for (const bool is_one_counted : {true, false}) {
        const ProgramResult result = program("--operation scan --size 64 --algorithm cpu,cub" +
                                             std::string(is_one_counted ? ",naive" : ""));
        EXPECT_EQ(result.code, is_one_counted ? 0 : 3);
        EXPECT_THAT(result.out, HasSubstr("scan cpu: skipped: runs on the host\n"));
        EXPECT_THAT(result.out, HasSubstr("scan cub: skipped: needs a GPU"));
        EXPECT_EQ(result.err, is_one_counted ? ""
                                             : "count_accesses: nothing was counted: every "
                                               "selected algorithm was skipped\n");
    }
}

TEST(CountProgram, SkipsARowWithoutMemory) {
    const auto limited = [](const std::string& algorithms) {
        return program("--operation scan --size 700 --algorithm " + algorithms, "ulimit -d 3000;");
    };
    const std::string line =
        "count_accesses: scan single_pass: skipped: .*: out of memory: .*\\(ulimit -d\\)\n";
    const ProgramResult some = limited("naive,single_pass");
    EXPECT_EQ(some.code, 0);
    EXPECT_THAT(some.out, StartsWith("scan naive"));
    EXPECT_THAT(some.err, MatchesRegex(line));
    const ProgramResult none = limited("single_pass");
    EXPECT_EQ(none.code, 3);
    EXPECT_EQ(none.out, "");
    EXPECT_THAT(none.err, MatchesRegex(line));
}

TEST(CountProgram, SkipsRowsUnderEveryLimitUnderWhichItStarts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory is beyond the limit";
#endif
    int skipped = 0, counted = 0;
    for (int kibibytes = 6'000; kibibytes < 60'000 && counted < 3; kibibytes += 500) {
        const ProgramResult result =
            program("--operation scan --size 700 --algorithm naive,single_pass",
                    "ulimit -v " + std::to_string(kibibytes) + ';');
        if (result.code == 127) continue;  // the program's libraries find no memory
        EXPECT_EQ(result.code, result.out.empty() ? 3 : 0) << kibibytes;
        EXPECT_THAT(result.err, MatchesRegex("(count_accesses: scan [a-z_]+[ 0-9]*: skipped: .*: "
                                             "out of memory: .*\\(ulimit -v\\)\n)*"))
            << kibibytes;
        (result.err.empty() ? counted : skipped) += 1;
    }
    EXPECT_GT(skipped, 0);
    EXPECT_GT(counted, 0);
}

TEST(CountProgram, ShowsLinesOfTheKernels) {
    const ProgramResult result =
        program("--operation scan --algorithm efficient_plus --size 4096 --by-line");
    EXPECT_THAT(result.out, HasSubstr("\n  stream_compaction/efficient_plus.cu:"));
    EXPECT_THAT(result.out, Not(HasSubstr("elsewhere")));
    EXPECT_THAT(result.out, Not(HasSubstr("simt/")));
}

TEST(CountProgram, SaysThatLinesAreNotAvailable) {
    const ProgramResult result =
        program("--operation scan --algorithm efficient --size 64 --by-line", "PATH=/nowhere");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("no source lines: addr2line (binutils) cannot be started\n"));
    // The line of the launch.
    EXPECT_THAT(result.out, HasSubstr("stream_compaction/efficient.cu:"));
}

TEST(CountProgram, WritesWhatItCounts) {
    const TemporaryFile file("", ".json");
    const ProgramResult result = program(
        "--operation scan,compact --algorithm naive --size 1000 --seed 3 --json " + file.path());
    ASSERT_EQ(result.code, 0) << result.err;
    const auto counts = nlohmann::json::parse(std::ifstream(file.path()));
    EXPECT_EQ(counts.at("seed"), 3);
    EXPECT_EQ(counts.at("shape"), "h200");
    ASSERT_EQ(counts.at("rows").size(), 2u);
    const auto& row = counts.at("rows")[0];
    EXPECT_EQ(row.at("operation"), "scan");
    EXPECT_EQ(row.at("algorithm"), "naive");
    EXPECT_EQ(row.at("n"), 1000);
    EXPECT_EQ(row.at("distribution"), "uniform50");
    EXPECT_TRUE(row.at("model").is_null());
    EXPECT_TRUE(row.at("kept").is_null());
    EXPECT_EQ(counts.at("rows")[1].at("kept"), 0.5);  // a compaction
    ASSERT_EQ(row.at("launches").size(), 11u);
    const auto& first = row.at("launches")[0];
    EXPECT_EQ(first.at("kernel"), "add_at_distance");
    EXPECT_EQ(first.at("global_stores").at("bytes_asked"), 4000);
    std::uint64_t of_lines = 0, of_launches = 0;
    for (const auto& line : first.at("lines"))
        of_lines += line.at("global_loads").at("sectors").get<std::uint64_t>();
    EXPECT_EQ(of_lines, first.at("global_loads").at("sectors"));
    for (const auto& launch : row.at("launches"))
        of_launches += launch.at("global_loads").at("sectors").get<std::uint64_t>();
    EXPECT_EQ(row.at("total").at("global_loads").at("sectors"), of_launches);
}

TEST(CountProgram, KeepsTheRowsBeforeASignal) {
    for (const char* const signal : {"INT", "TERM", "HUP"}) {
        const TemporaryFile file("older", ".json");
        const ProgramResult result =
            interrupted("--json " + file.path(), "scan efficient_plus", signal);
        EXPECT_EQ(result.code, 130);
        EXPECT_EQ(result.err, "count_accesses: interrupted\n");
        const auto counts = nlohmann::json::parse(std::ifstream(file.path()));
        const auto& rows = counts.at("rows");
        EXPECT_GE(rows.size(), 3u);  // those of scans that are named before, with all they have
        for (const auto& row : rows) {
            EXPECT_NE(row.at("operation"), "sort");  // which come last
            EXPECT_FALSE(row.at("launches")[0].at("lines").empty());
        }
    }
}

/// Ctrl-C also ends the program that reads the counts: --explain's.
TEST(CountProgram, SaysNothingElseIfItsReaderIsInterruptedToo) {
    const std::string pipe = testing::TempDir() + "counts" + std::to_string(getpid());
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread reader([&] { close(open(pipe.c_str(), O_RDONLY)); });
    const ProgramResult result = interrupted("--json " + pipe, "scan efficient_plus", "INT");
    reader.join();
    unlink(pipe.c_str());
    EXPECT_EQ(result.code, 130);
    EXPECT_EQ(result.err, "count_accesses: interrupted\n");
}

TEST(CountProgram, EndsAtASecondSignal) {
    const TemporaryFile file("older", ".json");
    const ProgramResult result = interrupted(
        "--operation scan,sort --algorithm single_pass,onesweep --size 2^20 --json " + file.path(),
        "scan single_pass", "TERM TERM");
    EXPECT_EQ(result.code, 130);
    EXPECT_EQ(result.err, "count_accesses: interrupted\n");
    EXPECT_THAT(result.out, Not(HasSubstr("sort onesweep")));
    std::string content;
    std::ifstream(file.path()) >> content;
    EXPECT_EQ(content, "older");
}

TEST(CountProgram, WritesWhatTheKeysAre) {
    const TemporaryFile file("", ".json"), keys(std::string(64 * 4, 'k'), ".keys");
    const auto row = [&](const std::string& distribution) {
        const ProgramResult result =
            program("--operation compact --algorithm naive --size 64 --distribution '" +
                    distribution + "' --json " + file.path());
        EXPECT_EQ(result.code, 0) << result.err;
        return nlohmann::json::parse(std::ifstream(file.path())).at("rows")[0];
    };
    const auto model = row("model:7");
    EXPECT_EQ(model.at("distribution"), "model:7");
    EXPECT_THAT(model.at("model").get<std::string>(), HasSubstr(" values, "));
    EXPECT_EQ(model.at("kept"), 0.5);
    const auto of_file = row("file:" + keys.path());
    EXPECT_EQ(of_file.at("distribution"), "file:" + keys.path());
    EXPECT_TRUE(of_file.at("model").is_null());
    EXPECT_TRUE(of_file.at("kept").is_null());  // a file is not changed
}

TEST(CountProgram, TakesAllKeysOfAFile) {
    const TemporaryFile keys(std::string(64 * 4, 'k'), ".keys");
    const ProgramResult result =
        program("--operation scan --algorithm naive --distribution 'file:" + keys.path() + "'");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("n = 64"));
}

TEST(CountProgram, KeepsTheKeysThatItReads) {
    const std::string content(64 * 4, 'k');
    const TemporaryFile keys(content, ".npk");
    expect_refused(
        "--operation scan --distribution 'file:" + keys.path() + "' --json '" + keys.path() + "'",
        "--json: given '" + keys.path() + "', expected another file than the keys");
    std::string kept;
    std::ifstream(keys.path()) >> kept;
    EXPECT_EQ(kept, content);
}

TEST(CountProgram, CountsTheSameEveryTime) {
    // All rows except sorts whose blocks wait for each other: how often those poll is random.
    const std::string arguments = "--operation scan,compact --size 20000 --by-line";
    EXPECT_EQ(program(arguments).out, program(arguments).out);
}

}  // namespace
}  // namespace stream_compaction
