#include "src/harness/selection.h"

#include "src/command_line/usage_error.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

using testing::ElementsAre;

constexpr Registry kRegistry = fake::registry_of(fake::kRightRows);

std::vector<std::string> names(const HarnessOptions& options) {
    std::vector<std::string> names;
    for (const Contender& row : select_contenders(kRegistry, options))
        names.push_back(std::string(to_string(row.algorithm->operation)) + ' ' +
                        std::string(row.algorithm->name));
    return names;
}

std::string error_of(const HarnessOptions& options) {
    try {
        (void)select_contenders(kRegistry, options);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(SelectRows, TakesAllUnlessAsked) {
    EXPECT_EQ(select_contenders(kRegistry, {}).size(), std::size(fake::kRightRows));
}

TEST(SelectRows, TakesOperationsInTheRegistrysOrder) {
    HarnessOptions options;
    options.operations = {Operation::sort, Operation::compact};
    EXPECT_THAT(names(options),
                ElementsAre("compact cpu", "compact tunable", "sort cpu", "sort quick"));
}

TEST(SelectRows, TakesAnAlgorithmOfEveryOperationThatHasIt) {
    HarnessOptions options;
    options.algorithms = {"tunable", "quick"};
    EXPECT_THAT(names(options), ElementsAre("scan tunable", "compact tunable", "sort quick"));
}

TEST(SelectRows, NamesTheAlgorithmsThatThereAre) {
    HarnessOptions options;
    options.algorithms = {"cpu", "bogo"};
    EXPECT_EQ(error_of(options),
              "--algorithm: given 'bogo', expected cpu, fast, tunable, absent, quick");
    options.operations = {Operation::sort};
    options.algorithms = {"tunable"};
    EXPECT_EQ(error_of(options), "--algorithm: given 'tunable', expected cpu, quick");
}

TEST(SelectRows, GivesATuningToTheRowsThatHaveIt) {
    HarnessOptions options;
    options.operations = {Operation::scan};
    options.block_size = 64;
    options.items_per_thread = 1;
    const auto rows = select_contenders(kRegistry, options);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].tuning, Tuning{});
    EXPECT_EQ(rows[2].tuning, (Tuning{.block_size = 64, .items_per_thread = 1}));
    options.padding = 0;
    const auto unpadded = select_contenders(kRegistry, options);
    EXPECT_EQ(unpadded[1].tuning, Tuning{});
    EXPECT_EQ(unpadded[2].tuning, (Tuning{.block_size = 64, .items_per_thread = 1, .padding = 0}));
}

TEST(SelectRows, KeepsTheDefaultOfWhatIsNotGiven) {
    HarnessOptions options;
    options.items_per_thread = 1;
    EXPECT_EQ(select_contenders(kRegistry, options)[2].tuning,
              (Tuning{.block_size = 128, .items_per_thread = 1}));
}

TEST(SelectRows, SaysWhichTuningIsLegal) {
    HarnessOptions options;
    options.block_size = 100;
    EXPECT_EQ(error_of(options),
              "--block-size: given '100', expected 64, 128, 256 for tunable scan");
    options.block_size = 64;
    options.items_per_thread = 3;
    EXPECT_EQ(error_of(options), "--items-per-thread: given '3', expected 1, 4 for tunable scan");
}

TEST(SelectRows, RefusesATuningThatNobodyTakes) {
    HarnessOptions options;
    options.algorithms = {"cpu"};
    options.block_size = 64;
    EXPECT_EQ(error_of(options), "--block-size: no selected algorithm has this parameter");
    options.block_size = {};
    options.padding = 1;
    EXPECT_EQ(error_of(options), "--padding: no selected algorithm has this parameter");
}

}  // namespace
}  // namespace stream_compaction
