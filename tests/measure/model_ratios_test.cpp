#include "src/measure/model_ratios.h"

#include <gtest/gtest.h>

#include <map>

namespace stream_compaction {
namespace {

Setting setting_of(std::uint64_t model, std::size_t n = 1024) {
    return {.operation = Operation::sort, .n = n, .distribution = Distribution::of_model(model)};
}

/// Rows with these medians.
Round round_of(const Setting& setting, const std::map<std::string, double>& medians) {
    Round round;
    for (const auto& [name, median] : medians)
        round.measured.push_back(
            {.setting = setting, .algorithm = name, .microseconds = {.median = median}});
    return round;
}

void note(ModelRatios& ratios, const Setting& setting,
          const std::map<std::string, double>& medians) {
    ratios.note(setting, round_of(setting, medians));
}

constexpr const char* kHeading =
    "                                  worst         q1     median     models  the worst is\n";

TEST(ModelRatios, AreTheWorstTheLowerQuartileAndTheMedian) {
    ModelRatios ratios;
    note(ratios, setting_of(3), {{"cub", 20}, {"fast", 10}, {"slow", 10}});  // 2, 2
    note(ratios, setting_of(4), {{"cub", 10}, {"fast", 20}, {"slow", 40}});  // 0.5, 0.25
    note(ratios, setting_of(5), {{"cub", 10}, {"fast", 10}});                // 1
    note(ratios, setting_of(6), {{"cub", 30}, {"fast", 10}});                // 3
    note(ratios, setting_of(7), {{"cub", 40}, {"fast", 10}});                // 4
    note(ratios, setting_of(3, 1000), {{"cub", 10}, {"fast", 5}});
    note(ratios, setting_of(4, 1000), {{"cub", 10}, {"fast", 4}});
    EXPECT_EQ(ratios.table(),
              std::string("sort, n = 1024 (2^10), random key models, cold: x cub\n") + kHeading +
                  "  fast                            0.500       1.00       2.00          5  "
                  "model:4\n"
                  "  slow                            0.250      0.688       1.12          2  "
                  "model:4\n"
                  "\n"
                  "sort, n = 1000, random key models, cold: x cub\n" +
                  kHeading +
                  "  fast                             2.00       2.12       2.25          2  "
                  "model:3\n"
                  "\n");
}

TEST(ModelRatios, NeedSeveralModelsAndCub) {
    ModelRatios ratios;
    note(ratios, setting_of(3), {{"cub", 20}, {"fast", 10}});
    EXPECT_EQ(ratios.table(), "");
    note(ratios, setting_of(4), {{"fast", 10}});
    note(ratios, setting_of(5), {{"cub", 0}, {"fast", 10}});
    note(ratios, setting_of(6), {{"cub", 10}, {"fast", 0}});
    Setting other = setting_of(7);
    other.distribution = Distribution::zipf;
    note(ratios, other, {{"cub", 20}, {"fast", 10}});
    other = setting_of(8);
    other.mode = Mode::hot;
    note(ratios, other, {{"cub", 20}, {"fast", 10}});
    EXPECT_EQ(ratios.table(), "");
}

TEST(ModelRatios, AreOfRightResultsAlone) {
    ModelRatios ratios;
    for (const std::uint64_t model : {1, 2, 3}) {
        Round round = round_of(setting_of(model), {{"cub", 10}, {"fast", 5}});
        for (Measurement& row : round.measured)
            if (row.algorithm == "fast" ? model == 2 : model == 3) row.wrong = "index 1";
        ratios.note(setting_of(model), round);
    }
    EXPECT_EQ(ratios.table(), "");
}

TEST(ModelRatios, TellTuningsApart) {
    ModelRatios ratios;
    for (const std::uint64_t model : {1, 2}) {
        Round round = round_of(setting_of(model), {{"a", 10}, {"b", 5}, {"cub", 10}});
        round.measured[1].algorithm = "a";
        round.measured[1].tuning.block_size = 64;
        ratios.note(setting_of(model), round);
    }
    EXPECT_EQ(ratios.table(),
              std::string("sort, n = 1024 (2^10), random key models, cold: x cub\n") + kHeading +
                  "  a                                1.00       1.00       1.00          2  "
                  "model:1\n"
                  "  a 64                             2.00       2.00       2.00          2  "
                  "model:1\n"
                  "\n");
}

}  // namespace
}  // namespace stream_compaction
