// Whatever arguments a program gets, it ends with a documented exit code, and prints one line about
// the error.
#include "src/distributed/distributed_options.h"
#include "src/harness/harness.h"
#include "src/measure/measure_program.h"
#include "src/program/program.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

#if defined(__SANITIZE_ADDRESS__)  // takes minutes otherwise
constexpr int kVectors = 20'000;
#else
constexpr int kVectors = 100'000;
#endif

constexpr const char* kOptions[] = {"--size",
                                    "--operation",
                                    "--algorithm",
                                    "--backend",
                                    "--seed",
                                    "--block-size",
                                    "--once",
                                    "--explain",
                                    "--energy",
                                    "--items-per-thread",
                                    "--list",
                                    "--help",
                                    "--version",
                                    "--max-device-bytes",
                                    "--mode",
                                    "--distribution",
                                    "--kept",
                                    "--least-clock",
                                    "--samples",
                                    "--min-seconds",
                                    "--max-seconds",
                                    "--slowest-call",
                                    "--experiment",
                                    "--output",
                                    "--format",
                                    "--commit",
                                    "--dry-run",
                                    "--emulate",
                                    "--gpus",
                                    "--patience",
                                    "--variant",
                                    "--none",
                                    "--padding",
                                    "--samples-file",
                                    "--"};

constexpr const char* kValues[] = {"scan",    "compact,sort",
                                   "cpu",     "tunable,quick",
                                   "auto",    "emulated",
                                   "cuda",    "64",
                                   "128",     "1,4",
                                   "-64",     "0",
                                   "3",       "2^10-3",
                                   "1e3",     "1.5e-3",
                                   "2^64",    "2^60",
                                   "1:64:x2", "1:9:+1",
                                   "9:1",     "cold,hot",
                                   "graph",   "host",
                                   "zipf",    "uniform50",
                                   "0.5",     "1",
                                   "nan",     "inf",
                                   "-1",      "1e309",
                                   "300ms",   "2s",
                                   "table",   "json",
                                   "csv",     "name",
                                   "a b",     "",
                                   "=",       "-",
                                   "-x",      "[1,2]",
                                   "{}",      "%%",
                                   "'\"",     "\n\t\x7f",
                                   "@file",   "\xc3\xa9\xff",
                                   ".",       "..",
                                   "model:7", "model:9..1",
                                   "file:.",  "file:none",
                                   ",,",      "1,,2",
                                   "+-+",     "18446744073709551616"};

/// Words that are correct by themselves, so that not every argument vector is refused.
using Pair = std::pair<const char*, const char*>;
constexpr Pair kHarnessPairs[] = {{"--operation", "scan"},       {"--algorithm", "tunable"},
                                  {"--backend", "cuda"},         {"--backend", "emulated"},
                                  {"--emulate", "t4"},           {"--block-size", "64"},
                                  {"--items-per-thread", "4"},   {"--seed", "7"},
                                  {"--max-device-bytes", "1e9"}, {"--operation", "compact"},
                                  {"--distribution", "model:7"}, {"--distribution", "file:none"}};
constexpr Pair kMeasurePairs[] = {{"--operation", "scan"},
                                  {"--algorithm", "tunable,cpu"},
                                  {"--mode", "cold,host"},
                                  {"--distribution", "zipf"},
                                  {"--distribution", "model:1..3"},
                                  {"--kept", "0.5,1"},
                                  {"--samples", "3"},
                                  {"--min-seconds", "20us"},
                                  {"--format", "csv"},
                                  {"--output", "file"},
                                  {"--output", "."},
                                  {"--experiment", "name"},
                                  {"--commit", "0123"}};
constexpr Pair kDistributedPairs[] = {
    {"--operation", "scan"},       {"--gpus", "3"},
    {"--patience", "1"},           {"--backend", "emulated"},
    {"--emulate", "t4"},           {"--seed", "7"},
    {"--distribution", "model:7"}, {"--distribution", "file:none"}};

std::string any_of(std::span<const char* const> words, std::mt19937& random) {
    return words[random() % words.size()];
}

/// Without '/', so that any output file of a vector is in the current folder.
std::string noise(std::mt19937& random) {
    std::string text(random() % 8, '\0');
    std::ranges::generate(text, [&] {
        const char character = static_cast<char>(1 + random() % 255);
        return character == '/' ? '.' : character;
    });
    return text;
}

/// Usually a correct option; otherwise an option with any value, half of an option, or noise.
void append_words(std::vector<std::string>& arguments, std::span<const Pair> right,
                  std::mt19937& random) {
    const std::string option = any_of(kOptions, random), value = any_of(kValues, random);
    switch (random() % 8) {
        case 0:
            return arguments.push_back(option + '=' + value);
        case 1:
            return arguments.push_back(option + value);
        case 2:
            return arguments.push_back(noise(random));
        case 3:
            return arguments.push_back(option);
        case 4:
            arguments.push_back(option);
            return arguments.push_back(value);
        default: {
            const auto& [name, right_value] = right[random() % right.size()];
            arguments.push_back(name);
            return arguments.push_back(right_value);
        }
    }
}

/// How often each exit code occurred.
using Tally = std::map<ExitCode, int>;

Tally run_random_arguments(const std::string& name, std::span<const Pair> right,
                           const Program& program) {
    std::mt19937 random(1);
    Tally tally;
    for (int i = 0; i < kVectors; ++i) {
        std::vector<std::string> arguments;
        for (std::size_t words = random() % 5; words > 0; --words)
            append_words(arguments, right, random);
        // Without a size, a correct vector takes longer than all others together.
        const bool has_size = std::ranges::any_of(arguments, [](const std::string& word) {
            return word.find("--size") != std::string::npos;
        });
        if (!has_size && random() % 500 != 0)
            arguments.insert(arguments.begin(), {"--size", std::to_string(random() % 50)});
        SCOPED_TRACE(testing::PrintToString(arguments));
        std::ostringstream out, err;
        const ExitCode code = run_program(name, program, arguments, {out, err});
        ++tally[code];
        const std::string line = err.str();
        if (code == ExitCode::right) {
            EXPECT_EQ(line, "");
        } else {
            EXPECT_TRUE(line.starts_with(name + ": "));
            EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
        }
        if (testing::Test::HasFailure()) break;  // one failure is enough
    }
    return tally;
}

TEST(RandomArguments, EndTheHarnessWithADocumentedExitCode) {
    // Default sizes are small on an emulated backend.
    constexpr Registry kEmulated = fake::registry_of(fake::kRightRows, simt::Backend::emulated);
    constexpr Registry kCuda = fake::registry_of(fake::kRightRows);
    fake::machine.unavailable = "no NVIDIA driver is installed";
    const Tally tally = run_random_arguments(
        "stream_compaction_test", kHarnessPairs,
        [&](const auto& arguments, const Console& console) {
            fake::machine.tunings.clear();
            return run_harness(arguments, {.cuda = &kCuda, .emulated = &kEmulated}, console.out);
        });
    fake::machine = {};
    for (const auto& [code, times] : tally) {
        EXPECT_THAT(code, testing::AnyOf(ExitCode::right, ExitCode::usage, ExitCode::cuda,
                                         ExitCode::files));
        EXPECT_GT(times, kVectors / 1000) << "almost never " << static_cast<int>(code);
    }
    EXPECT_EQ(tally.size(), 4u);  // there is no GPU, and no key file
}

TEST(RandomArguments, EndTheMeasuringToolWithADocumentedExitCode) {
    const auto folder = std::filesystem::path(testing::TempDir()) /
                        ("random_arguments_test." + std::to_string(getpid()));
    const auto before = std::filesystem::current_path();
    std::filesystem::create_directory(folder);
    std::filesystem::current_path(folder);
    constexpr Registry kEmulated = fake::registry_of(fake::kRightRows, simt::Backend::emulated);
    const Tally tally = run_random_arguments("measure_time", kMeasurePairs,
                                             [&](const auto& arguments, const Console& console) {
                                                 return measure(arguments, kEmulated, console);
                                             });
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a file was left behind";
    std::filesystem::current_path(before);
    std::filesystem::remove_all(folder);
    for (const auto& [code, times] : tally) {
        EXPECT_THAT(code, testing::AnyOf(ExitCode::right, ExitCode::usage, ExitCode::cuda,
                                         ExitCode::files));
        EXPECT_GT(times, kVectors / 1000) << "almost never " << static_cast<int>(code);
    }
    EXPECT_EQ(tally.size(), 4u);  // there is no GPU to measure, and '.' is not a file
}

TEST(RandomArguments, EndDistributedTestWithADocumentedExitCode) {
    const Tally tally = run_random_arguments(
        "distributed_test", kDistributedPairs, [](const auto& arguments, const Console& console) {
            console.out << parse_distributed_options(arguments).answer;
            return ExitCode::right;
        });
    for (const auto& [code, times] : tally) {
        EXPECT_THAT(code, testing::AnyOf(ExitCode::right, ExitCode::usage, ExitCode::files));
        EXPECT_GT(times, kVectors / 1000) << "almost never " << static_cast<int>(code);
    }
    EXPECT_EQ(tally.size(), 3u);  // there is no key file
}

}  // namespace
}  // namespace stream_compaction
