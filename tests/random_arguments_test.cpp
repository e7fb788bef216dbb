// Whatever is typed, the answer is options or a UsageError of one line.
#include "src/options.h"
#include "src/selection.h"
#include "src/usage_error.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

constexpr const char* kWords[] = {"--size",
                                  "--operation",
                                  "--algorithm",
                                  "--backend",
                                  "--seed",
                                  "--block-size",
                                  "--items-per-thread",
                                  "--once",
                                  "--list",
                                  "--help",
                                  "--version",
                                  "--",
                                  "-",
                                  "-x",
                                  "",
                                  "=",
                                  "scan",
                                  "compact,sort",
                                  "cpu",
                                  "tunable,quick",
                                  "auto",
                                  "emulated",
                                  "64",
                                  "-64",
                                  "2^22-3",
                                  "1e6",
                                  "1.5e-3",
                                  "2^64",
                                  "[1,2]",
                                  "{}",
                                  "%%",
                                  "'\"",
                                  "\n\t\x7f",
                                  "\xc3\xa9\xff"};

/// A word, two of them joined, or noise.
std::string random_word(std::mt19937& random) {
    const auto word = [&] { return std::string(kWords[random() % std::size(kWords)]); };
    switch (random() % 6) {
        case 0:
            return word() + '=' + word();
        case 1:
            return word() + word();
        case 2: {
            std::string noise(random() % 8, '\0');
            std::ranges::generate(noise, [&] { return static_cast<char>(1 + random() % 255); });
            return noise;
        }
        default:
            return word();
    }
}

TEST(RandomArguments, AreTakenOrRefusedInOneLine) {
    constexpr int kVectors = 20000;
    constexpr Registry kRegistry = fake::registry_of(fake::kRightRows);
    std::mt19937 random(1);
    int taken = 0;
    for (int i = 0; i < kVectors; ++i) {
        std::vector<std::string> arguments(random() % 6);
        std::ranges::generate(arguments, [&] { return random_word(random); });
        SCOPED_TRACE(testing::PrintToString(arguments));
        try {
            (void)select_rows(kRegistry, parse_options(arguments));
            ++taken;
        } catch (const UsageError& error) {
            ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
            ASSERT_STRNE(error.what(), "");
        }
    }
    EXPECT_GT(taken, kVectors / 100);
    EXPECT_LT(taken, kVectors / 2);
}

}  // namespace
}  // namespace stream_compaction
