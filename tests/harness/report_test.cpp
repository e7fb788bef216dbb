#include "src/harness/report.h"

#include "src/harness/registry_table.h"
#include "src/program/host_memory.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <sstream>
#include <vector>

namespace stream_compaction {
namespace {

template <class Print>
std::string printed(Print print) {
    std::ostringstream out;
    print(out);
    return out.str();
}

std::string abridged(std::size_t n) {
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 100);
    return printed([&](std::ostream& out) { print_abridged(out, values); });
}

TEST(Report, BannerIsAsWideAsItsHeading) {
    EXPECT_EQ(printed([](std::ostream& out) { print_banner(out, "SCAN TESTS"); }),
              "\n****************\n** SCAN TESTS **\n****************\n");
}

TEST(Report, TitleNamesRowOperationAndSize) {
    EXPECT_EQ(printed([](std::ostream& out) {
                  print_title(out, fake::row(Operation::scan, "naive", nullptr), "power-of-two");
              }),
              "==== naive scan, power-of-two ====\n");
}

TEST(Report, ShortArraysAreWhole) {
    EXPECT_EQ(abridged(0), "    [ ]\n");
    EXPECT_EQ(abridged(1), "    [ 100 ]\n");
    EXPECT_EQ(abridged(2), "    [ 100 101 ]\n");
    EXPECT_EQ(abridged(16),
              "    [ 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 ]\n");
}

TEST(Report, LongArraysAreAbridged) {
    EXPECT_EQ(abridged(17),
              "    [ 100 101 102 103 104 105 106 107 108 109 110 111 112 ... 115 116 ]\n");
    EXPECT_EQ(abridged(1000),
              "    [ 100 101 102 103 104 105 106 107 108 109 110 111 112 ... 1098 1099 ]\n");
}

TEST(Report, SmallNumbersAreAligned) {
    const int values[] = {1, 22, -3};
    EXPECT_EQ(printed([&](std::ostream& out) { print_abridged(out, values); }),
              "    [   1  22  -3 ]\n");
}

std::string time_line(Operation operation, std::size_t n, std::size_t count, double us, Clock clock,
                      std::optional<Microseconds> cpu = std::nullopt) {
    const Outcome outcome{.count = count, .elapsed = Microseconds(us), .phases = std::nullopt};
    return printed([&](std::ostream& out) { print_time(out, operation, n, outcome, clock, cpu); });
}

TEST(Report, ScanMovesEightBytesAnElement) {
    // 2^22 * 8 bytes in 499.9 us = 67.12 GB/s.
    EXPECT_EQ(time_line(Operation::scan, 1 << 22, 1 << 22, 499.9, Clock::cuda),
              "   elapsed time: 0.4999ms    (CUDA Measured)    67.1 GB/s\n");
}

TEST(Report, ARateHasMoreDigitsTheSmallerItIs) {
    // 8 bytes per element, 1000 elements.
    for (const auto& [us, rate] : {std::pair{8., "    1.00 GB/s"},
                                   {8.1, "    0.988 GB/s"},
                                   {81000, "    0.0000988 GB/s"},
                                   {0.8003, "    10.0 GB/s"},
                                   {0.8, "    10.0 GB/s"},
                                   {0.81, "    9.88 GB/s"}})
        EXPECT_THAT(time_line(Operation::scan, 1000, 1000, us, Clock::cuda),
                    testing::HasSubstr(rate));
}

TEST(Report, CompactionMovesWhatItKeeps) {
    // 4 * 1e6 + 4 * 25e4 bytes in 10 us = 500 GB/s.
    EXPECT_EQ(time_line(Operation::compact, 1000000, 250000, 10, Clock::cuda),
              "   elapsed time: 0.0100ms    (CUDA Measured)    500.0 GB/s\n");
}

TEST(Report, SortAlsoCountsKeys) {
    // 8 * 1e6 bytes and 1e6 keys in 2000 us.
    EXPECT_EQ(
        time_line(Operation::sort, 1000000, 1000000, 2000, Clock::host),
        "   elapsed time: 2.0000ms    (std::chrono Measured)    4.00 GB/s    500.0 Mkeys/s\n");
}

TEST(Report, RatioIsTheCpusTimeOverTheRows) {
    EXPECT_EQ(time_line(Operation::scan, 1000, 1000, 80, Clock::cuda, Microseconds(100)),
              "   elapsed time: 0.0800ms    (CUDA Measured)    0.100 GB/s    1.25x cpu\n");
    EXPECT_EQ(time_line(Operation::scan, 1000, 1000, 80, Clock::host, Microseconds(40)),
              "   elapsed time: 0.0800ms    (std::chrono Measured)    0.100 GB/s    0.500x cpu\n");
}

TEST(Report, AnEmulatedTimeIsComparedWithNothing) {
    EXPECT_EQ(time_line(Operation::sort, 1000, 1000, 80, Clock::emulated, Microseconds(100)),
              "   elapsed time: 0.0800ms    (emulated on the CPU, not a GPU time)\n");
}

std::string phases_line(Clock clock) {
    const Outcome outcome{.count = 0,
                          .elapsed = Microseconds(0),
                          .phases = Phases{Microseconds(20), Microseconds(3500.04), {}}};
    const std::string text = printed([&](std::ostream& out) {
        print_time(out, Operation::compact, 0, outcome, clock, std::nullopt);
    });
    return text.substr(text.find('\n') + 1);
}

TEST(Report, PhasesAreALineBelowTheTimeAndSayTheirClock) {
    EXPECT_EQ(phases_line(Clock::cuda),
              "   map: 0.0200ms, scan: 3.5000ms, scatter: 0.0000ms    (CUDA Measured)\n");
    EXPECT_EQ(phases_line(Clock::host),
              "   map: 0.0200ms, scan: 3.5000ms, scatter: 0.0000ms    (std::chrono Measured)\n");
    EXPECT_EQ(phases_line(Clock::emulated),
              "   map: 0.0200ms, scan: 3.5000ms, scatter: 0.0000ms    "
              "(emulated on the CPU, not a GPU time)\n");
}

TEST(Report, NoTimeMakesNoRate) {
    EXPECT_EQ(time_line(Operation::sort, 0, 0, 0, Clock::cuda, Microseconds(1)),
              "   elapsed time: 0.0000ms    (CUDA Measured)\n");
    EXPECT_EQ(time_line(Operation::scan, 1000, 1000, 1, Clock::cuda, Microseconds(0)),
              "   elapsed time: 0.0010ms    (CUDA Measured)    8.00 GB/s\n");
}

TEST(Report, ClockIsTheRowsAndTheBackends) {
    const Algorithm host = fake::row(Operation::scan, "cpu", nullptr, Place::host);
    const Algorithm device = fake::row(Operation::scan, "naive", nullptr, Place::device);
    EXPECT_EQ(clock_of(host, simt::Backend::cuda), Clock::host);
    EXPECT_EQ(clock_of(host, simt::Backend::emulated), Clock::host);
    EXPECT_EQ(clock_of(device, simt::Backend::cuda), Clock::cuda);
    EXPECT_EQ(clock_of(device, simt::Backend::emulated), Clock::emulated);
    Algorithm copies_too = device;
    copies_too.host_arrays = true;
    EXPECT_EQ(clock_of(copies_too, simt::Backend::cuda), Clock::host);
    EXPECT_EQ(clock_of(copies_too, simt::Backend::emulated), Clock::emulated);
}

TEST(Report, SizesArePowersOfTwoWhereThatTellsThemApart) {
    const std::size_t classic[] = {4096, 4093};
    EXPECT_EQ(size_label(4096, classic), "power-of-two");
    EXPECT_EQ(size_label(4093, classic), "non-power-of-two");
    const std::size_t other[] = {1000, 997};
    EXPECT_EQ(size_label(1000, other), "n = 1000");
    EXPECT_EQ(size_label(997, other), "n = 997");
    const std::size_t both[] = {4, 1};
    EXPECT_EQ(size_label(4, both), "n = 4");
    EXPECT_EQ(size_label(1, both), "n = 1");
    const std::size_t empty[] = {0};
    EXPECT_EQ(size_label(0, empty), "n = 0");
}

TEST(Report, BytesHaveTheLargestUnitThatTheyReach) {
    EXPECT_EQ(with_unit(0), "0 bytes");
    EXPECT_EQ(with_unit(1), "1 byte");
    EXPECT_EQ(with_unit(1023), "1023 bytes");
    EXPECT_EQ(with_unit(1536), "1.50 KiB");
    EXPECT_EQ(with_unit(std::size_t{1} << 20), "1.00 MiB");
    EXPECT_EQ(with_unit(std::size_t{3} << 29), "1.50 GiB");
    EXPECT_EQ(with_unit(std::size_t{3} << 40), "3072.00 GiB");
}

TEST(Report, SummaryCounts) {
    EXPECT_EQ(printed([](std::ostream& out) {
                  print_summary(out, {.passed = 12, .failed = 3, .skipped = 4});
              }),
              "\nsummary: 12 passed, 3 failed, 4 skipped\n");
}

TEST(RowList, ShowsTuningsDefaultsAndWhatIsMissing) {
    constexpr Algorithm kRows[] = {
        fake::row(Operation::scan, "cpu", fake::right_scan, Place::host),
        fake::tunable(Operation::scan, "tunable", fake::tunable_scan),
        fake::unavailable(Operation::compact, "absent"),
    };
    EXPECT_EQ(
        printed([&](std::ostream& out) { print_rows(out, fake::registry_of(kRows)); }),
        "operation  algorithm  runs on  block size [default]  items per thread [default]  padding "
        "[default]  what it is\n"
        "scan       cpu        host     -                     -                           -       "
        "           a fake\n"
        "scan       tunable    device   64 [128] 256          1 [4]                       0 [1]   "
        "           a fake\n"
        "compact    absent     device   -                     -                           -       "
        "           a fake (unavailable: needs a GPU: it has no host backend)\n");
}

}  // namespace
}  // namespace stream_compaction
