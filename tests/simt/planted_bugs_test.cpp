// The emulated backend detects the bugs, and reports nothing for the fixed kernels.
#include "tests/simt/planted_bugs.h"
#include "simt/error.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdio.h>  // popen

#include <memory>
#include <ostream>
#include <string>

namespace simt::inline SIMT_BACKEND::test {

void PrintTo(const PlantedBug& bug, std::ostream* out) { *out << bug.name; }

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class PlantedBugs : public testing::TestWithParam<PlantedBug> {};

TEST_P(PlantedBugs, FixedKernelIsRight) {
    const PlantedBug& bug = GetParam();
    if (!can_run(bug)) GTEST_SKIP() << "needs compute capability 9.0";
    under_every_schedule([&] { EXPECT_TRUE(gives_right_result(bug, bug.fixed)); });
}

#if defined(SIMT_EMULATED)

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

/// A source location in one of the kernels.
const std::string kPlace = R"(planted/[a-z_]+\.h:[0-9]+)";

/// Runs in a separate process, which the sanitizer may end.
std::string output_of_run_planted_bug(const PlantedBug& bug) {
    const std::string command = RUN_PLANTED_BUG " " + std::string(bug.name) + " 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string output;
    char part[4096];
    while (const std::size_t size = fread(part, 1, sizeof(part), pipe.get()))
        output.append(part, size);
    return output;
}

void expect_kernel_error(const PlantedBug& bug) {
    const WithOptions with({.workers = 2, .order = Order::reverse, .stall_rounds = 100});
    try {
        gives_right_result(bug, bug.broken);
        FAIL() << "not found";
    } catch (const KernelError& error) {
        EXPECT_THAT(error.what(), HasSubstr(bug.complaint));
        EXPECT_THAT(error.what(),
                    ContainsRegex("planted_bugs\\.cu:[0-9]+: block .* at .*" + kPlace));
    }
}

void expect_wrong_result(const PlantedBug& bug) {
    bool always_right = true;
    under_every_schedule(
        [&] { always_right = gives_right_result(bug, bug.broken) && always_right; });
    EXPECT_FALSE(always_right);
}

TEST_P(PlantedBugs, BrokenKernelIsFound) {
    const PlantedBug& bug = GetParam();
    const bool is_race =
        bug.found_by == FoundBy::thread_sanitizer || bug.found_by == FoundBy::wrong_result_or_race;
    if (is_race && kThreadSanitizer) {
        EXPECT_THAT(output_of_run_planted_bug(bug),
                    ContainsRegex("WARNING: ThreadSanitizer: data race(.|\n)*" + kPlace));
    } else if (bug.found_by == FoundBy::address_sanitizer && kAddressSanitizer) {
        EXPECT_THAT(output_of_run_planted_bug(bug),
                    ContainsRegex("(ERROR: AddressSanitizer: heap-buffer-overflow(.|\n)*" + kPlace +
                                  "|" + kPlace + ".*runtime error)"));
    } else if (bug.found_by == FoundBy::kernel_error) {
        expect_kernel_error(bug);
    } else if (bug.found_by == FoundBy::wrong_result ||
               bug.found_by == FoundBy::wrong_result_or_race) {
        expect_wrong_result(bug);
    } else {
        GTEST_SKIP() << "only a sanitizer finds it, and not one of this build";
    }
}

#endif

INSTANTIATE_TEST_SUITE_P(, PlantedBugs,
                         testing::ValuesIn(planted_bugs().begin(), planted_bugs().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace simt::inline SIMT_BACKEND::test
