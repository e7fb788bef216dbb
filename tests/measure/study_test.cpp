#include "src/measure/study.h"

#include "src/command_line/usage_error.h"
#include "src/input/key_file.h"
#include "src/measure/registry_json.h"
#include "src/measure/results_table.h"
#include "tests/temporary_file.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace stream_compaction {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr int kBlockSizes[] = {64, 128};
constexpr int kItems[] = {1, 2};
constexpr int kPaddings[] = {0, 1};
constexpr LegalTuning kBoth{
    .block_sizes = kBlockSizes, .items_per_thread = kItems, .paddings = kPaddings};
constexpr LegalTuning kBlocks{.block_sizes = kBlockSizes, .items_per_thread = {}};

Outcome run(std::span<const int>, std::span<int>, const Tuning&) { return {}; }
std::size_t no_workspace(std::size_t, const Tuning&) { return 77; }
std::size_t unknown_workspace(std::size_t, const Tuning&) { throw std::runtime_error("no GPU"); }

constexpr Algorithm row(Operation operation, std::string_view name, Place place) {
    return {.operation = operation,
            .name = name,
            .description = "a row",
            .runs_on = place,
            .run = run,
            .make_plan = nullptr,
            .workspace_bytes = no_workspace,
            .asynchronous = place == Place::device};
}

const std::array kRows = [] {
    std::array rows = {row(Operation::scan, "cpu", Place::host),
                       row(Operation::scan, "naive", Place::device),
                       row(Operation::scan, "plus", Place::device),
                       row(Operation::scan, "cub", Place::device),
                       row(Operation::compact, "cpu", Place::host),
                       row(Operation::compact, "thrust", Place::device),
                       row(Operation::sort, "gone", Place::device)};
    rows[1].legal = kBlocks;
    rows[1].tuned = {.block_size = 128};
    rows[2].legal = kBoth;
    rows[2].tuned = {.block_size = 64, .items_per_thread = 2};
    rows[3].workspace_bytes = unknown_workspace;
    rows[5].asynchronous = false;
    rows[6].run = nullptr;
    rows[6].unavailable = "built without it";
    return rows;
}();

constexpr Variant variant(Operation operation, std::string_view name) {
    return {.operation = operation,
            .name = name,
            .in_bytes = 8,
            .out_bytes = 8,
            .bytes_moved = nullptr,
            .element = Element::int64};
}
constexpr Variant kWide = variant(Operation::scan, "wide"),
                  kTall = variant(Operation::scan, "tall"),
                  kWideSort = variant(Operation::sort, "wide");

constexpr Algorithm row(const Variant& variant, std::string_view name) {
    Algorithm row = stream_compaction::row(variant.operation, name, Place::device);
    row.run = nullptr;
    row.variant = &variant;
    return row;
}
constexpr Algorithm kVariantRows[] = {row(kWide, "plus"), row(kTall, "plus"),
                                      row(kWideSort, "fast"), row(kWide, "cub")};

const Registry kRegistry{.backend = simt::Backend::cuda,
                         .rows = kRows,
                         .variants = kVariantRows,
                         .unavailable_reason = []() noexcept -> std::optional<std::string> {
                             return "no GPU in a test";
                         },
                         .device_properties = nullptr,
                         .memory_info = nullptr,
                         .limit_memory = nullptr,
                         .cub_version = 300102};

std::vector<std::string> names(const Match& match) {
    std::vector<std::string> names;
    for (const Contender& contender : match.contenders)
        names.push_back(describe(contender.algorithm->name, contender.tuning));
    return names;
}

TEST(Study, TakesVariantsWhereTheyAreNamed) {
    const auto wide = plan_study({.sizes = {8}, .variants = {"wide"}}, kRegistry);
    ASSERT_THAT(wide, SizeIs(2));
    EXPECT_EQ(wide[0].setting.variant, &kWide);
    EXPECT_THAT(names(wide[0]), ElementsAre("plus", "cub"));
    EXPECT_THAT(describe(wide[0].setting), HasSubstr("wide"));
    EXPECT_EQ(wide[1].setting.variant, &kWideSort);
    EXPECT_THAT(names(wide[1]), ElementsAre("fast"));

    const auto scans =
        plan_study({.operations = {Operation::scan}, .sizes = {8}, .variants = {"all"}}, kRegistry);
    ASSERT_THAT(scans, SizeIs(2));
    EXPECT_EQ(scans[1].setting.variant, &kTall);

    const auto on_host =
        plan_study({.sizes = {8}, .modes = {Mode::host}, .variants = {"tall"}}, kRegistry);
    ASSERT_THAT(on_host, SizeIs(1));
    EXPECT_THAT(on_host[0].contenders, IsEmpty());
    EXPECT_THAT(on_host[0].skipped[0].reason, HasSubstr("no function on host arrays"));
}

TEST(Study, RefusesVariantsThatNoRowHas) {
    EXPECT_THROW(plan_study({.sizes = {8}, .variants = {"bogo"}}, kRegistry), UsageError);
    try {
        (void)plan_study({.sizes = {8}, .variants = {"bogo"}}, kRegistry);
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "--variant: given 'bogo', expected wide, tall, all");
    }
    EXPECT_THROW(plan_study({.operations = {Operation::sort}, .sizes = {8}, .variants = {"tall"}},
                            kRegistry),
                 UsageError);
    EXPECT_THROW(plan_study({.algorithms = {"cpu"}, .sizes = {8}, .variants = {"wide"}}, kRegistry),
                 UsageError);
}

TEST(Study, TakesAllTunedRowsByDefault) {
    const auto matches = plan_study({.sizes = {8, 16}}, kRegistry);
    ASSERT_THAT(matches, SizeIs(6));
    EXPECT_EQ(matches[0].setting, (Setting{.operation = Operation::scan,
                                           .mode = Mode::cold,
                                           .n = 8,
                                           .distribution = Distribution::uniform50}));
    EXPECT_THAT(names(matches[0]), ElementsAre("cpu", "naive 128", "plus 64 x 2", "cub"));
    EXPECT_EQ(matches[1].setting.n, 16u);
    EXPECT_EQ(matches[2].setting.kept, 0.5);
    EXPECT_EQ(matches[4].setting.distribution, Distribution::uniform);
    EXPECT_THAT(matches[4].contenders, IsEmpty());
    ASSERT_THAT(matches[4].skipped, SizeIs(1));
    EXPECT_EQ(matches[4].skipped[0].reason, "skipped: built without it");
}

TEST(Study, MeasuresARowOnArraysOfTheHostInModeHostAlone) {
    Algorithm streamed = row(Operation::scan, "streamed", Place::device);
    streamed.host_arrays = true;
    for (const Mode mode : kModes)
        EXPECT_EQ(reason_against(streamed, mode).has_value(), mode != Mode::host)
            << to_string(mode);
}

TEST(Study, TakesEveryCombination) {
    const auto matches = plan_study({.operations = {Operation::compact},
                                     .sizes = {8, 16, 32},
                                     .modes = {Mode::cold, Mode::graph},
                                     .distributions = {Distribution::zipf, Distribution::clustered},
                                     .kept = {0, 1},
                                     .seed = 9},
                                    kRegistry);
    ASSERT_THAT(matches, SizeIs(3 * 2 * 2 * 2));
    EXPECT_EQ(matches.back().setting, (Setting{.operation = Operation::compact,
                                               .mode = Mode::graph,
                                               .n = 32,
                                               .distribution = Distribution::clustered,
                                               .kept = 1,
                                               .seed = 9}));
    EXPECT_THAT(matches.back().contenders, IsEmpty());
    ASSERT_THAT(matches.back().skipped, SizeIs(2));
    EXPECT_THAT(matches.back().skipped[0].reason, HasSubstr("runs on the host"));
    EXPECT_THAT(matches.back().skipped[1].reason, HasSubstr("waits for the device"));
}

TEST(Study, TakesAllKeysOfAFileAsTheyAre) {
    const TemporaryFile file(bytes_of({1, 2, 3}));
    const KeyFile key_file(file.path());
    const Distribution keys = Distribution::of_file(key_file);
    Request request{.operations = {Operation::compact},
                    .distributions = {keys, Distribution::zipf}};
    auto matches = plan_study(request, kRegistry);
    ASSERT_THAT(matches, SizeIs(2));
    EXPECT_EQ(matches[0].setting,
              (Setting{.operation = Operation::compact, .n = 3, .distribution = keys}));
    EXPECT_EQ(matches[1].setting, (Setting{.operation = Operation::compact,
                                           .n = 1 << 20,
                                           .distribution = Distribution::zipf,
                                           .kept = 0.5}));
    request.sizes = {1, 2};
    request.kept = {0.25};
    matches = plan_study(request, kRegistry);
    ASSERT_THAT(matches, SizeIs(4));
    EXPECT_EQ(
        matches[2].setting,
        (Setting{.operation = Operation::compact, .n = 2, .distribution = keys, .kept = 0.25}));
}

TEST(Study, GivesTuningsToRowsThatHaveThem) {
    const auto matches = plan_study({.algorithms = {"plus", "naive", "cub"},
                                     .sizes = {8},
                                     .block_sizes = {64, 128},
                                     .items_per_thread = {1, 2}},
                                    kRegistry);
    ASSERT_THAT(matches, SizeIs(1));
    EXPECT_THAT(names(matches[0]),
                ElementsAre("naive 64", "naive 128", "plus 64 x 1", "plus 64 x 2", "plus 128 x 1",
                            "plus 128 x 2", "cub"));
    EXPECT_THAT(names(plan_study({.algorithms = {"plus", "cub"},
                                  .sizes = {8},
                                  .items_per_thread = {1},
                                  .paddings = {1, 0}},
                                 kRegistry)
                          .at(0)),
                ElementsAre("plus 64 x 1", "plus 64 x 1 unpadded", "cub"));
}

TEST(Study, RefusesWhatNoRowHas) {
    EXPECT_THROW(plan_study({.algorithms = {"bogo"}}, kRegistry), UsageError);
    EXPECT_THROW(plan_study({.operations = {Operation::sort}, .algorithms = {"naive"}}, kRegistry),
                 UsageError);
    try {
        (void)plan_study({.operations = {Operation::sort}, .algorithms = {"bogo"}}, kRegistry);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), StartsWith("--algorithm: given 'bogo', expected gone"));
    }
    try {
        (void)plan_study({.block_sizes = {63}}, kRegistry);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "--block-size: given '63', expected 64, 128 for naive scan");
    }
}

TEST(Study, RefusesOptionsThatWouldHaveNoEffect) {
    const auto error_of = [](const Request& request) -> std::string {
        try {
            (void)plan_study(request, kRegistry);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_EQ(error_of({.algorithms = {"cub"}, .block_sizes = {64}}),
              "--block-size: no selected algorithm has this parameter");
    EXPECT_EQ(error_of({.operations = {Operation::scan, Operation::sort}, .kept = {0.5}}),
              "--kept: no compaction is selected");
    EXPECT_EQ(error_of({.operations = {Operation::scan, Operation::compact}, .kept = {0.5}}),
              "nothing");
}

TEST(SlowRows, AreNotMeasuredAtLargerSizes) {
    SlowRows slow(1e6);
    auto matches = plan_study(
        {.operations = {Operation::scan}, .sizes = {8, 16}, .modes = {Mode::cold, Mode::hot}},
        kRegistry);
    slow.note({.setting = matches[0].setting,
               .algorithm = "naive",
               .tuning = {.block_size = 128},
               .microseconds = {.median = 1.5e6}});
    slow.note({.setting = matches[0].setting, .algorithm = "cpu", .microseconds = {.median = 1e6}});
    for (Match& match : matches) slow.remove_from(match);
    EXPECT_THAT(names(matches[0]), SizeIs(4));  // the size at which it was slow
    EXPECT_THAT(names(matches[3]), SizeIs(4));  // another mode
    EXPECT_THAT(names(matches[2]), ElementsAre("cpu", "plus 64 x 2", "cub"));
    ASSERT_THAT(matches[2].skipped, SizeIs(1));
    EXPECT_EQ(matches[2].skipped[0].reason, "skipped: one call took longer than 1 s at n = 8");
}

TEST(Listing, TellsScriptsWhatThereIs) {
    const auto list = nlohmann::json::parse(list_as_json(kRegistry));
    EXPECT_EQ(list["backend"], "cuda");
    EXPECT_EQ(list["unavailable"], "no GPU in a test");
    EXPECT_EQ(list["cub"], "3.1.2");
    EXPECT_THAT(list["distributions"], SizeIs(std::size(kDistributions)));
    ASSERT_THAT(list["rows"], SizeIs(kRows.size()));
    ASSERT_THAT(list["variants"], SizeIs(kRegistry.variants.size()));
    EXPECT_EQ(list["variants"][0]["variant"], kRegistry.variants[0].variant->name);
    EXPECT_EQ(list["variants"][0]["algorithm"], kRegistry.variants[0].name);
    EXPECT_THAT(list_as_json(kRegistry), EndsWith("}\n"));
    const auto& plus = list["rows"][2];
    EXPECT_EQ(plus["algorithm"], "plus");
    EXPECT_EQ(plus["runs_on"], "device");
    EXPECT_EQ(plus["modes"], (nlohmann::json{"cold", "hot", "graph", "host"}));
    EXPECT_EQ(plus["legal"]["items_per_thread"], (nlohmann::json{1, 2}));
    EXPECT_EQ(plus["legal"]["padding"], (nlohmann::json{0, 1}));
    EXPECT_EQ(plus["tuned"]["block_size"], 64);
    EXPECT_EQ(plus["tuned"]["padding"], 1);
    EXPECT_EQ(list["rows"][0]["tuned"]["padding"], nullptr);
    EXPECT_EQ(plus["workspace"]["bytes"], 77);
    EXPECT_EQ(list["rows"][0]["modes"], (nlohmann::json{"cold", "hot", "host"}));
    EXPECT_EQ(list["rows"][0]["tuned"]["block_size"], nullptr);
    EXPECT_EQ(list["rows"][3]["workspace"]["bytes"], nullptr);
    EXPECT_EQ(list["rows"][5]["asynchronous"], false);
    EXPECT_EQ(list["rows"][6]["unavailable"], "built without it");
    EXPECT_EQ(list["rows"][6]["modes"], nlohmann::json::array());
}

/// The last columns of a line in a table, and the text after them.
std::string line_of(const std::string& table, const std::string& name) {
    const std::size_t begin = table.find("\n  " + name + ' ') + 1;
    return table.substr(begin, table.find('\n', begin) - begin);
}

TEST(Table, HoldsRowsAgainstCubAndCpu) {
    const Setting setting{.operation = Operation::scan, .n = std::size_t{1} << 24};
    const auto row = [&](const char* name, double us) {
        return Measurement{
            .setting = setting,
            .algorithm = name,
            .microseconds = {.median = us, .min = us, .q1 = us, .q3 = us, .samples = 10},
            .copy_us = 40,
            .roof_us = 40,
            .moved_bytes = std::size_t{1} << 27};
    };
    Round round{.measured = {row("cpu", 10000), row("naive", 200), row("cub", 50)},
                .skipped = {{.setting = setting, .algorithm = "thrust", .reason = "skipped: why"}}};
    round.measured[1].wrong = "index 7: expected 1, got 2";
    round.measured[2].throttled = true;
    const std::string text = table(setting, round);
    EXPECT_THAT(text, HasSubstr("scan, n = 16777216 (2^24), uniform, cold; a copy takes 40.00 us, "
                                "3355.4 GB/s\n"));
    EXPECT_THAT(line_of(text, "naive"), HasSubstr("671.1       20.0      0.250       50.0"));
    EXPECT_THAT(line_of(text, "naive"), HasSubstr("WRONG: index 7: expected 1, got 2"));
    EXPECT_THAT(line_of(text, "cub"), HasSubstr("80.0       1.00      200.0  throttled"));
    EXPECT_THAT(line_of(text, "thrust"), HasSubstr("skipped: why"));
}

TEST(Table, ShowsNoShareOfTheRoofForSmallSizes) {
    const Setting setting{.operation = Operation::sort, .n = 1000};
    const Round round{.measured = {{.setting = setting,
                                    .algorithm = "radix",
                                    .microseconds = {.median = 10, .samples = 1},
                                    .copy_us = 1,
                                    .roof_us = 1,
                                    .moved_bytes = 8000}},
                      .skipped = {}};
    const std::string text = table(setting, round);
    EXPECT_THAT(text, HasSubstr("Gkeys/s"));
    EXPECT_THAT(line_of(text, "radix"), HasSubstr("0.100          -          -          -"));
}

}  // namespace
}  // namespace stream_compaction
