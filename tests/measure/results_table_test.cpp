#include "src/measure/results_table.h"

#include "tests/measure/fabricated_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

TEST(ResultsTable, DescribesASetting) {
    Setting setting{.operation = Operation::compact,
                    .mode = Mode::hot,
                    .n = 1 << 20,
                    .distribution = Distribution::clustered,
                    .kept = 0.25};
    EXPECT_EQ(describe(setting), "compact, n = 1048576 (2^20), clustered, kept 0.25, hot");
    setting = {.operation = Operation::scan, .n = 3, .variant = &kFabricatedVariant};
    setting.distribution = Distribution::uniform50;
    EXPECT_EQ(describe(setting), "scan, n = 3, max_float, uniform50, cold");
    EXPECT_EQ(describe(setting, "keys"), "scan, n = 3, max_float, keys, cold");
    setting = {.operation = Operation::sort, .n = 3, .distribution = Distribution::of_model(7)};
    EXPECT_EQ(describe(setting), "sort, n = 3, model:7 (" + describe(KeyLaw(7, 3)) + "), cold");
}

TEST(ResultsTable, DescribesATuning) {
    EXPECT_EQ(describe("naive", {.block_size = 64, .items_per_thread = 2}), "naive 64 x 2");
    EXPECT_EQ(describe("naive", {.block_size = 64, .items_per_thread = 2, .padding = 0}),
              "naive 64 x 2 unpadded");
    EXPECT_EQ(describe("naive", {.block_size = 64}), "naive 64");
    EXPECT_EQ(describe("cpu", {}), "cpu");
}

Measurement row(const Setting& setting, std::string algorithm, double median) {
    return {
        .setting = setting,
        .algorithm = std::move(algorithm),
        .microseconds = {
            .median = median, .min = 1, .q1 = 0.75 * median, .q3 = 1.25 * median, .samples = 12}};
}

TEST(ResultsTable, ComparesTheRowsOfARound) {
    const Setting setting{
        .operation = Operation::scan, .n = 1 << 24, .distribution = Distribution::uniform50};
    Round round;
    round.measured = {row(setting, "cpu", 8000), row(setting, "naive", 100),
                      row(setting, "cub", 50)};
    round.measured[1].tuning.block_size = 128;
    round.measured[2].copy_us = 40;         // of 2 x 64 MiB: 3355.4 GB/s
    round.measured[2].roof_us = 45;         // 90 % of 50
    round.measured[2].moved_bytes = 100e6;  // in 50 us: 2000 GB/s
    round.measured[2].throttled = true;
    round.measured[1].wrong = "index 1";
    round.skipped.push_back(
        {.setting = setting, .algorithm = "thrust", .reason = "skipped: no room"});
    EXPECT_EQ(table(setting, round),
              "scan, n = 16777216 (2^24), uniform50, cold; a copy takes 40.00 us, 3355.4 GB/s\n"
              "                              median us      q1 us      q3 us    samples"
              "       GB/s  % of roof      x cub      x cpu\n"
              "  cpu                              8000       6000      10000         12"
              "          -          -    0.00625       1.00\n"
              "  naive 128                       100.0      75.00      125.0         12"
              "          -          -      0.500       80.0  WRONG: index 1\n"
              "  cub                             50.00      37.50      62.50         12"
              "     2000.0       90.0       1.00      160.0  throttled\n"
              "  thrust                      skipped: no room\n"
              "\n");
}

TEST(ResultsTable, NamesTheFastestCopy) {
    const Setting setting{.operation = Operation::scan, .n = 1 << 24};
    Round round;
    round.measured = {row(setting, "naive", 100)};
    round.measured[0].copy_us = 40;
    round.measured[0].copy = "vectors";
    EXPECT_THAT(table(setting, round),
                testing::HasSubstr("; a copy takes 40.00 us, 3355.4 GB/s (vectors)\n"));
}

TEST(ResultsTable, MarksRowsThatMayNotBeTrusted) {
    const auto marks = [](auto change) {
        Measurement measurement = row({}, "naive", 100);
        change(measurement);
        const std::string text = table({}, {.measured = {measurement}, .skipped = {}});
        const std::size_t end = text.find("\n\n"), begin = text.rfind("  -", end) + 3;
        return text.substr(begin, end - begin);
    };
    EXPECT_EQ(marks([](Measurement&) {}), "");
    EXPECT_EQ(marks([](Measurement& one) { one.discarded = 3; }), "  3 discarded");
    EXPECT_EQ(marks([](Measurement& one) {
                  one.discarded = 7;
                  one.unsteady_clock = true;
              }),
              "  7 discarded  unsteady clock");
    EXPECT_EQ(marks([](Measurement& one) { one.microseconds.q3 = 125.1; }), "  unstable");
    EXPECT_EQ(marks([](Measurement& one) { one.microseconds.samples = 5; }), "");
    EXPECT_EQ(marks([](Measurement& one) { one.microseconds.samples = 4; }), "  few samples");
}

TEST(ResultsTable, SaysIfTheHostOfARowIsShared) {
    const SharedHost shared{.cpus = 16, .used_by_others = 3.25};
    Round round;
    round.measured = {row({}, "naive", 100)};
    EXPECT_EQ(table({}, round, shared), table({}, round)) << "no row ran on the host";
    round.measured[0].is_on_host = true;
    EXPECT_THAT(table({}, round, shared),
                testing::HasSubstr("; shared host: other processes use 3.25 of 16 CPUs\n"));
    EXPECT_EQ(table({}, round).find("shared"), std::string::npos);
}

TEST(ResultsTable, SaysIfTheGpuOfARowIsShared) {
    Round round;
    round.measured = {row({}, "cpu", 100)};
    round.measured[0].is_on_host = true;
    EXPECT_EQ(table({}, round, {}, 97), table({}, round)) << "no row ran on the GPU";
    round.measured.push_back(row({}, "naive", 100));
    EXPECT_THAT(table({}, round, {}, 97),
                testing::HasSubstr("; shared GPU: other programs use it 97 % of the time\n"));
}

TEST(ResultsTable, CountsTheKeysOfASort) {
    const Setting setting{.operation = Operation::sort, .n = 1'000'000};
    Round round;
    round.measured = {row(setting, "radix", 500)};  // 2 keys per nanosecond
    round.measured[0].moved_bytes = 5;
    EXPECT_EQ(table(setting, round),
              "sort, n = 1000000, uniform, cold\n"
              "                              median us      q1 us      q3 us    samples"
              "    Gkeys/s  % of roof      x cub      x cpu\n"
              "  radix                           500.0      375.0      625.0         12"
              "       2.00          -          -          -\n"
              "\n");
}

TEST(ResultsTable, HasEnergyWhereItWasCounted) {
    const Setting setting{.operation = Operation::scan, .mode = Mode::hot, .n = 10};
    Round round;
    round.measured = {row(setting, "cpu", 500), row(setting, "naive", 500)};
    EXPECT_EQ(table(setting, round).find("mJ"), std::string::npos);
    round.measured[1].millijoules = 12.3456;
    const std::string text = table(setting, round);
    EXPECT_NE(text.find("      x cub      x cpu  mJ a call\n"), std::string::npos) << text;
    EXPECT_NE(text.find("       1.00          -\n"), std::string::npos) << text;  // of the host row
    EXPECT_NE(text.find("       1.00      12.35\n"), std::string::npos) << text;
}

TEST(ResultsTable, HasFourDigitsThatCount) {
    const Setting setting{.operation = Operation::scan, .n = 10};
    for (const auto& [us, text] : {std::pair{0.012345, "   0.01235 "},
                                   {9.9994, "   9.999 "},
                                   {10., "   10.00 "},
                                   {100., "   100.0 "},
                                   {1000., "   1000 "}}) {
        Round round;
        round.measured = {row(setting, "cpu", us)};
        EXPECT_NE(table(setting, round).find(text), std::string::npos) << us;
    }
}

TEST(ResultsTable, HasThreeDigitsThatCountOfWhatIsSmall) {
    const Setting setting{.operation = Operation::scan, .n = 10};
    Round round;
    round.measured = {row(setting, "cub", 1), row(setting, "naive", 1000)};
    round.measured[1].moved_bytes = 80;  // in 1000 us
    round.measured[1].copy_us = 2000;    // 80 bytes
    const std::string text = table(setting, round);
    EXPECT_NE(text.find("a copy takes 2000 us, 0.0000400 GB/s\n"), std::string::npos) << text;
    EXPECT_NE(text.find("12  0.0000800          -    0.00100          -\n"), std::string::npos)
        << text;
}

TEST(ResultsTable, HasNoRatiosToNothing) {
    const Setting setting{.operation = Operation::scan, .n = (1 << 24) - 1};
    Round round;
    round.measured = {row(setting, "cub", 0), row(setting, "single_pass", 2)};
    for (Measurement& one : round.measured) {
        one.moved_bytes = 1000;
        one.copy_us = 0;
        one.roof_us = 1;
    }
    const std::string text = table(setting, round);
    EXPECT_NE(text.find("a copy takes 0.000 us\n"), std::string::npos) << text;
    EXPECT_NE(text.find("12          -          -          -          -\n"), std::string::npos);
    // Below 2^24 no share of the roof is shown.
    EXPECT_NE(text.find("12      0.500          -       0.00          -\n"), std::string::npos);
}

}  // namespace
}  // namespace stream_compaction
