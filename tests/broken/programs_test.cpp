// The programs when something goes wrong while they run: wrong results, faults, no memory, no space
// for the output, Ctrl-C. They are started in the same way as by a user.
#include "stream_compaction/registry.h"
#include "tests/program.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr bool kOnGpu = simt::kBackend == simt::Backend::cuda;
const std::string kBackendName = kOnGpu ? "cuda" : "emulated";

ProgramResult harness(const std::string& arguments) {
    return start(BROKEN_HARNESS, "--backend " + kBackendName + ' ' + arguments);
}

int count(std::string_view text, std::string_view what) {
    int times = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + 1))
        ++times;
    return times;
}

/// Rows of an operation that can run here.
int rows_of(Operation operation) {
    int rows = 0;
    for (const Algorithm& row : registry(simt::kBackend)->rows)
        rows += row.operation == operation && row.run != nullptr;
    return rows;
}

TEST(Harness, TellsWhereAResultIsWrongAndHowToSeeItAgain) {
    const ProgramResult result =
        harness("--operation compact --algorithm broken_wrong --size 1000 --seed 7");
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out,
                ContainsRegex("FAILED: index [0-9]+: expected [0-9]+, got [0-9]+ "
                              "\\(n = 1000, seed = 7\\)\n    repeat: stream_compaction_test "));
    EXPECT_THAT(result.out, EndsWith("summary: 0 passed, 2 failed, 0 skipped\n"));

    // The command that it prints reproduces the result.
    const std::string named = "repeat: stream_compaction_test ";
    const std::size_t at = result.out.find(named) + named.size();
    const std::string command = result.out.substr(at, result.out.find('\n', at) - at);
    const std::size_t failed = result.out.find("FAILED: ");
    const std::string line = result.out.substr(failed, result.out.find('\n', failed) - failed);
    const ProgramResult again = start(BROKEN_HARNESS, command);
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.out, HasSubstr(line));
}

TEST(Harness, BlamesNoOtherRowForAFault) {
    const ProgramResult result = harness("--operation compact --size 1000");
    EXPECT_EQ(result.code, 1);  // a row is also wrong
    EXPECT_EQ(result.err, "");
    const int rows = rows_of(Operation::compact);
    if (kOnGpu) {
        EXPECT_THAT(result.out, ContainsRegex("FAILED: .*[a-z_]+\\.(h|cpp|cu):[0-9]+: "
                                              "cudaErrorIllegalAddress: .*illegal memory access"));
        // The reference ran before; the first broken row failed twice, the second once.
        EXPECT_EQ(count(result.out, "    passed\n"), 2);
        EXPECT_EQ(count(result.out, "FAILED: "), 3);
        EXPECT_EQ(count(result.out, "not run: CUDA does not recover from the error above"),
                  1 + 2 * (rows - 1));
    } else {
        EXPECT_THAT(result.out, ContainsRegex("FAILED: .*rows\\.cu:[0-9]+: .*mask"));
        EXPECT_EQ(count(result.out, "    passed\n"), 2 * rows);
        EXPECT_EQ(count(result.out, "FAILED: "), 4);
    }
}

TEST(Programs, EndWithThreeAtAFaultButWithOneIfAResultIsWrong) {
    const std::string arguments = "--operation compact --size 1000 --algorithm broken_fault";
    const auto measured = [&](const std::string& more) {
        return start(BROKEN_MEASURE, "--samples 2 --mode hot " + arguments + more).code;
    };
    EXPECT_EQ(harness(arguments).code, 3);
    EXPECT_EQ(harness(arguments + ",broken_wrong").code, 1);
    EXPECT_EQ(measured(""), 3);
    EXPECT_EQ(measured(",broken_wrong"), 1);
    const std::string wrong = "--operation compact --size 1000 --algorithm broken_wrong";
    EXPECT_EQ(harness(wrong + " >/dev/full").code, 1);
    EXPECT_EQ(start(BROKEN_MEASURE, "--samples 2 --mode hot " + wrong + " --output /dev/full").code,
              1);
}

TEST(Harness, SkipsWhatTheLimitHasNoRoomFor) {
    // Input, output and workspace: at least 4 MB each.
    const ProgramResult result =
        harness("--operation compact --algorithm cpu,naive --size 1e6 --max-device-bytes 8e6");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, ContainsRegex("\n    skipped: needs [0-9.]+ MiB, 7\\.63 MiB free\n"));
    EXPECT_THAT(result.out, EndsWith("summary: 2 passed, 0 failed, 2 skipped\n"));

    EXPECT_THAT(
        harness("--operation compact --algorithm cpu,naive --size 1e5 --max-device-bytes 8e6").out,
        EndsWith("summary: 4 passed, 0 failed, 0 skipped\n"));
}

TEST(Harness, RunsWhatNeedsNoDeviceMemoryWithoutAny) {
    const ProgramResult result = harness("--size 100 --max-device-bytes 0");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("==== cpu sort, n = 97 ====\n"));
    EXPECT_THAT(result.out, ContainsRegex("skipped: needs [0-9.]+ KiB, 0 bytes free\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("FAILED")));
}

/// The terminal output of a program; broken_slow continues until it has a line.
std::string shown_by(const std::string& program, const std::string& arguments) {
    const std::string folder = testing::TempDir() + "shown." + std::to_string(getpid());
    fs::create_directory(folder);
    const std::string log = folder + "/log", ends = folder + "/ends";
    (void)start("script",
                "-qefc \"'" + program + "' " + arguments + "\" '" + log +
                    "' >/dev/null & while kill -0 $! && ! grep -qs 'of 4.00 GB' '" + log +
                    "'; do sleep 0.1; done; touch '" + ends + "'; wait $!",
                "BROKEN_SLOW_ENDS='" + ends + '\'');
    std::ifstream file(log);
    std::string text(std::istreambuf_iterator<char>(file), {});
    fs::remove_all(folder);
    return text;
}

/// At least one line, which is cleared at the end.
MATCHER(TellsHowFarALongCallIs, "") {
    (void)result_listener;
    const std::string line =
        "\r\x1b\\[K\\[#####-+\\]  25%  1\\.00 of 4\\.00 GB, [01][.0-9]* GB/s  [0-9:]+ left";
    return testing::Matches(ContainsRegex(line + "\r\x1b\\[K"))(arg);
}

TEST(Harness, TellsHowFarALongCallIsOnATerminalAlone) {
    const std::string arguments = "--operation scan --algorithm broken_slow --size 2";
    const std::string shown =
        shown_by(BROKEN_HARNESS, "--backend " + kBackendName + ' ' + arguments);
    EXPECT_THAT(shown, TellsHowFarALongCallIs());
    EXPECT_THAT(shown, HasSubstr("summary: 1 passed, 0 failed, 0 skipped"));

    EXPECT_THAT(shown_by(BROKEN_HARNESS, "--backend " + kBackendName + " --once " + arguments),
                TellsHowFarALongCallIs());

    const ProgramResult result = harness(arguments);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, Not(HasSubstr("of 4.00 GB")));
}

TEST(Programs, SkipARowThatHasNoThreads) {
    if (std::thread::hardware_concurrency() == 1) GTEST_SKIP() << "one thread is there";
    const Algorithm& row =
        *std::ranges::find(registry(simt::kBackend)->rows, "cpu_parallel", &Algorithm::name);
    if (row.run == nullptr) GTEST_SKIP() << row.unavailable;
    const std::string arguments = "--operation scan --algorithm cpu,cpu_parallel --size 1000";
    const std::string skipped = "skipped: a thread cannot be started \\(limits: .*OMP_STACKSIZE\\)";
    for (const char* const stack : {"OMP_STACKSIZE=20k", "OMP_STACKSIZE=' 17000 b'"}) {
        const ProgramResult harness =
            start(BROKEN_HARNESS, "--backend " + kBackendName + ' ' + arguments, stack);
        EXPECT_EQ(harness.code, 0) << harness.err;
        EXPECT_THAT(harness.out, ContainsRegex(skipped));
        EXPECT_THAT(harness.out, EndsWith("summary: 2 passed, 0 failed, 2 skipped\n"));
        const ProgramResult measured =
            start(BROKEN_MEASURE, "--samples 2 --mode hot " + arguments, stack);
        EXPECT_EQ(measured.code, 0) << measured.err;
        EXPECT_THAT(measured.out, ContainsRegex("cpu_parallel +" + skipped));
    }
}

class Measuring : public testing::Test {
  protected:
    Measuring() : folder_(testing::TempDir() + "broken_programs_test." + std::to_string(getpid())) {
        fs::create_directory(folder_);
    }
    ~Measuring() override { fs::remove_all(folder_); }

    ProgramResult measure(const std::string& arguments, const std::string& before = "") const {
        return start(BROKEN_MEASURE,
                     "--samples 2 --max-seconds 1e6 --slowest-call 1e6 " + arguments, before);
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    static std::string content(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    int files() const {
        return static_cast<int>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

    fs::path folder_;
};

TEST_F(Measuring, TellsWhereAResultIsWrongAndHowToSeeItAgain) {
    const ProgramResult result = measure(
        "--operation compact --algorithm broken_wrong --mode hot --size 1000 --seed 7 --format "
        "csv");
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err,
                ContainsRegex("^measure_time: broken_wrong, compact, n = 1000[^:]*, seed 7: index "
                              "[0-9]+: expected [0-9]+, got [0-9]+; repeat: measure_time "
                              "--operation compact --algorithm broken_wrong --size 1000 --mode hot "
                              "--distribution uniform50 --kept 0\\.5 --seed 7\n$"));
    EXPECT_THAT(result.out, HasSubstr(",false,"));  // a wrong result is not verified
}

TEST_F(Measuring, NamesAnExperimentAfterItsOperations) {
    for (const auto& [operations, name] :
         {std::pair{"scan", "scan"}, {"scan,compact", "scan_compact"}}) {
        const ProgramResult result = measure("--operation " + std::string(operations) +
                                             " --algorithm cpu --mode hot --size 1000,2000 "
                                             "--format json");
        EXPECT_THAT(result.out, HasSubstr("\"experiment\": \"" + std::string(name) + "\""))
            << result.err;
    }
}

#if defined(SIMT_EMULATED)
TEST_F(Measuring, LosesNoRowToEnergyThatNobodyCounts) {
    const ProgramResult result =
        measure("--operation scan --algorithm naive --mode hot --size 1000 --energy --format csv");
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.err, "measure_time: --energy: the emulated backend has no energy counter\n");
    EXPECT_THAT(result.out, HasSubstr("\nscan,naive,hot,1000,"));
}
#endif

TEST_F(Measuring, TellsHowFarALongCallIsOnATerminalAlone) {
    const std::string arguments =
        "--operation scan --algorithm broken_slow --mode host --size 1000";
    const std::string shown = shown_by(BROKEN_MEASURE, arguments + " --samples 2");
    EXPECT_THAT(shown, TellsHowFarALongCallIs());
    // After it, the line of the study is shown again.
    EXPECT_THAT(shown, ContainsRegex(
                           " GB/s  [0-9:]+ left\r\x1b\\[K\r\x1b\\[K\\[-+\\]   0%  scan, n = 1000"));
    EXPECT_EQ(measure(arguments).err, "");
}

TEST_F(Measuring, MeasuresModelsAndKeysOfOnesOwn) {
    const TemporaryFile keys(bytes_of({3, 0, -1, 3, 2147483647, 0}), " of keys");
    const std::string distributions = " --distribution 'file:" + keys.path() + ",model:1..3' ";
    ProgramResult result = measure(
        "--mode hot --size 6 --format json --algorithm "
        "cpu,hybrid_radix,single_pass" +
        distributions);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\"distribution\":\"file:" + keys.path() +
                                      "\",\"model\":null,\"kept\":null,"));
    EXPECT_THAT(result.out, ContainsRegex("\"distribution\":\"model:3\",\"model\":\"[1-6] value"));
    EXPECT_THAT(result.out, Not(HasSubstr("\"verified\":false")));

    EXPECT_EQ(measure("--mode hot --operation sort --variant all --size 6" + distributions).code,
              0);

    result =
        measure("--operation compact --algorithm broken_wrong --mode hot --size 6" + distributions);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr(" --distribution 'file:" + keys.path() + "' --seed 1\n"));
    EXPECT_THAT(result.err, HasSubstr(" --distribution model:2 --kept 0.5 --seed 1\n"));
}

TEST_F(Measuring, ComparesWithCubOverModels) {
    const std::string table =
        measure(
            "--operation sort --algorithm hybrid_radix,cub --mode hot --size 1000 "
            "--distribution model:1..3")
            .out;
    const std::string heading = "sort, n = 1000, random key models, hot: x cub\n";
    if (kOnGpu) {
        EXPECT_THAT(table,
                    ContainsRegex(heading + ".*worst.*\n  hybrid_radix  .* 3  model:[1-3]\n"));
    } else {
        EXPECT_THAT(table, Not(HasSubstr(heading)));  // only on GPUs
    }
}

TEST_F(Measuring, EndsAtAFaultWithWhatItHas) {
    const ProgramResult result = measure(
        "--operation compact --algorithm cpu,broken_fault,naive --mode hot --size 1000 "
        "--output '" +
        path("file.json") + "'");
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, AllOf(HasSubstr("measure_time: "),
                                  HasSubstr(kOnGpu ? "cudaErrorIllegalAddress" : "mask")));
    // An emulated fault is over once it is reported; a GPU's fault ends the measurement.
    if (!kOnGpu) {
        EXPECT_THAT(content(path("file.json")),
                    AllOf(HasSubstr("\"algorithm\":\"naive\""), HasSubstr("\"reason\":\"failed: "),
                          EndsWith("\n}\n")));
    }
}

TEST_F(Measuring, SaysThatEveryRowWasSkipped) {
    for (const std::string arguments :
         {"cpu --mode graph", "naive --mode hot --max-device-bytes 100"}) {
        const ProgramResult result =
            measure("--operation scan --size 1000 --algorithm " + arguments);
        EXPECT_EQ(result.code, 3) << arguments;
        EXPECT_EQ(result.err,
                  "measure_time: nothing was measured: every selected algorithm was skipped\n");
        EXPECT_THAT(result.out, HasSubstr("  skipped: ")) << arguments;
    }
}

TEST_F(Measuring, SkipsWhatTheLimitHasNoRoomFor) {
    const ProgramResult result = measure(
        "--operation scan --algorithm naive --mode hot --size 1e3,1e8 --max-device-bytes 1.5e9");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out,
                ContainsRegex("naive.*skipped: needs [0-9.]+ GiB, [0-9.]+ [GM]iB free"));
    EXPECT_THAT(result.out, Not(HasSubstr("failed")));
}

TEST_F(Measuring, MeasuresWhatTheLimitHasRoomForInEachMode) {
    if (kOnGpu) GTEST_SKIP() << "the L2 is as large as the GPU's";
    // Overwriting the L2 of 4 MiB takes 8 MiB.
    for (const auto& [bytes, measured] :
         {std::pair{"1000", "cpu,cold cpu,hot cpu,host "},
          {"1e6", "cpu,cold cpu,hot naive,hot naive,graph cpu,host naive,host "},
          {"2e7", "cpu,cold naive,cold cpu,hot naive,hot naive,graph cpu,host naive,host "}}) {
        const ProgramResult result = measure(
            "--operation scan --algorithm cpu,naive --size 1000 --mode cold,hot,graph,host "
            "--max-device-bytes " +
                std::string(bytes) + " --output '" + path("file.json") + "' --format csv",
            "SIMT_SHAPE=t4");
        EXPECT_EQ(result.code, 0) << result.err;
        std::istringstream lines(content(path("file.json")));
        std::string rows, line;
        for (std::getline(lines, line); std::getline(lines, line);)
            rows += line.substr(5, line.find(",1000,") - 5) + ' ';  // after "scan,"
        EXPECT_EQ(rows, measured);
        if (rows.find("naive,cold") == std::string::npos) {
            EXPECT_THAT(result.out, ContainsRegex("naive .*  skipped: needs [0-9.]+ [KM]iB, "));
        }
    }
}

TEST_F(Measuring, LeavesNothingHalfWrittenOnAFullDisk) {
    const std::string file = path("file.json");
    std::ofstream(file) << "older";
    // No file may grow beyond 512 bytes. The error message does not go to a file here, and the
    // counts of a build for scripts/coverage are discarded. The system's signal does not end the
    // program.
    const std::string arguments =
        "--operation scan --algorithm cpu --mode hot --size 1000:20000:+1000 --output '" + file +
        "' 2>&1";
    const ProgramResult result = measure(arguments, "export GCOV_PREFIX=/dev/null; ulimit -f 1;");
    EXPECT_EQ(result.code, 4);
    EXPECT_THAT(result.out, HasSubstr("measure_time: --output: " + file + " cannot be written: "));
    EXPECT_EQ(content(file), "older");
    EXPECT_EQ(files(), 1);

    EXPECT_EQ(measure(arguments).code, 0);
    EXPECT_THAT(content(file), EndsWith("\n}\n"));
    EXPECT_EQ(files(), 1);
}

TEST_F(Measuring, SaysThatItsOutputCannotBeWritten) {
    for (const char* const format : {"table", "json", "csv"}) {
        const ProgramResult result =
            measure("--operation scan --algorithm cpu --mode hot --size 1000 >/dev/full --format " +
                    std::string(format));
        EXPECT_EQ(result.code, 4);
        EXPECT_EQ(result.err, "measure_time: cannot write the output\n");
    }
}

class MeasuringUntil : public Measuring, public testing::WithParamInterface<const char*> {};

TEST_P(MeasuringUntil, ASignalKeepsWhatWasMeasured) {
    const std::string file = path("file.json"), table = path("table");
    // When the second of many sizes has been measured.
    const ProgramResult result =
        measure("--operation scan --algorithm cpu --mode hot --size 1000:9000000:+1000 --output '" +
                file + "' >'" + table + "' & while ! grep -q 'n = 2000' '" + table +
                "'; do sleep 0.1; done; kill -" + GetParam() + " $!; wait $!");
    EXPECT_EQ(result.code, 130);
    EXPECT_EQ(result.err, "measure_time: interrupted\n");
    EXPECT_THAT(content(file), AllOf(HasSubstr("\"n\":1000,"), HasSubstr("\"n\":2000,"),
                                     Not(HasSubstr("\"n\":9000000,")), EndsWith("\n}\n")));
    EXPECT_EQ(files(), 2);
}

INSTANTIATE_TEST_SUITE_P(Signals, MeasuringUntil, testing::Values("INT", "TERM", "HUP"));

TEST_F(Measuring, EndsAtTheFirstSignalWhileItWaitsForAReader) {
    const std::string fifo = path("fifo");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    // The reader comes after the signal, so a program that has missed the signal also ends.
    const ProgramResult result =
        measure("--operation scan --algorithm cpu --mode hot --size 1000 --output '" + fifo +
                "' & sleep 0.5; kill -TERM $!; exec 3<>'" + fifo + "'; wait $!");
    EXPECT_EQ(result.code, 130);
    EXPECT_EQ(result.err, "measure_time: interrupted\n");
}

TEST_F(Measuring, LeavesNothingBehindWhereItIsKilled) {
    const std::string table = path("table");
    (void)measure(
        "--operation scan --algorithm cpu --mode hot --size 1000:9000000:+1000 --output '" +
        path("file.json") + "' >'" + table + "' & while ! grep -q 'n = 2000' '" + table +
        "'; do sleep 0.1; done; kill -KILL $!; wait $!");
    EXPECT_EQ(files(), 1);
}

TEST_F(Measuring, GoesOnWhereNohupSaysSo) {
    const ProgramResult result = measure(
        "--operation scan --algorithm cpu --mode hot --size 1000,2000 & "
        "for i in 1 2 3 4 5 6 7 8 9; do kill -HUP $! || break; sleep 0.01; done; wait $!",
        "trap '' HUP;");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("n = 2000"));
}

TEST_F(Measuring, KeepsWhatWasMeasuredWhenNobodyReadsItsTable) {
    const std::string file = path("file.json"), code = path("code");
    const ProgramResult result =
        measure("--operation scan --algorithm cpu --mode hot --size 1000:20000:+1000 --output '" +
                    file + "'; echo $? >'" + code + "'; } | head -n 1",
                "{");
    EXPECT_EQ(count(result.out, "\n"), 1);
    EXPECT_EQ(content(code), "4\n");
    EXPECT_THAT(content(file), AllOf(HasSubstr("\"n\":20000,"), EndsWith("\n}\n")));
    EXPECT_EQ(result.err, "measure_time: cannot write the output\n");
    EXPECT_EQ(files(), 2);
}

TEST_F(Measuring, StopsWhenNobodyReadsItsTable) {
    // All of these sizes together would take hours.
    const ProgramResult result = measure(
        "--operation scan --algorithm cpu --mode hot --size 1000:9000000:+1000; echo $? >'" +
            path("code") + "'; } | head -n 1",
        "{");
    EXPECT_EQ(content(path("code")), "4\n");
}

TEST_F(Measuring, WritesItsRowsToStdout) {
    // Like /dev/stdout, but private to this test.
    fs::create_symlink("/proc/self/fd/1", path("stdout"));
    const std::string arguments =
        "--operation scan --algorithm cpu --mode hot --size 1000 --output '" + path("stdout") + "'";
    const auto ends_with_rows = AllOf(HasSubstr("% of roof"), EndsWith("\n}\n"));
    EXPECT_THAT(measure(arguments + " | cat").out, ends_with_rows);

    const std::string log = path("log");
    std::ofstream(log) << "older\n";
    EXPECT_EQ(measure(arguments + " >>'" + log + "'").code, 0);
    EXPECT_THAT(content(log), AllOf(testing::StartsWith("older\n"), ends_with_rows));
    EXPECT_EQ(files(), 2);
    EXPECT_TRUE(fs::is_symlink(path("stdout")));
}

TEST_F(Measuring, FindsAFileWithoutWritePermissionBeforeItMeasures) {
    const std::string file = path("file.json");
    std::ofstream(file) << "older";
    fs::permissions(file, fs::perms::owner_read);
    const ProgramResult result =
        measure("--operation scan --algorithm cpu --size 1000 --output '" + file + "'");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "measure_time: --output: " + file + " cannot be written: Permission denied\n");
    EXPECT_EQ(content(file), "older");
}

}  // namespace
}  // namespace stream_compaction
