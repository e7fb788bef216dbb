// Every row's tuning: all allowed values give the same result, the others are refused.
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/rows/plan_arrays.h"
#include "tests/rows/row_test.h"
#include "tests/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

/// A parameter that the module does not have has one value.
std::vector<int> values(std::span<const int> legal) {
    return legal.empty() ? std::vector<int>{0} : std::vector<int>(legal.begin(), legal.end());
}

constexpr int kOne[] = {1};  ///< the padding of a module without this parameter

bool contains(const std::vector<int>& values, int value) {
    return std::ranges::find(values, value) != values.end();
}

std::vector<Tuning> legal_tunings(const LegalTuning& legal) {
    std::vector<Tuning> tunings;
    for (const int block_size : values(legal.block_sizes))
        for (const int items : values(legal.items_per_thread))
            for (const int padding : legal.paddings.empty() ? std::span(kOne) : legal.paddings)
                tunings.push_back({block_size, items, padding});
    return tunings;
}

/// The exception of `call` must name the parameter, its value and every allowed value.
template <class F>
void expect_refused(F call, const std::string& parameter, int value, std::span<const int> legal) {
    try {
        call();
        ADD_FAILURE() << parameter << ' ' << value << " was taken";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(parameter + " is " + std::to_string(value)));
        for (const int choice : values(legal))
            EXPECT_THAT(error.what(), testing::HasSubstr(' ' + std::to_string(choice)));
    }
}

class TuningTest : public RowTest {
  protected:
    void expect_refused_everywhere(const Tuning& tuning, const std::string& parameter, int value,
                                   std::span<const int> legal) const {
        SCOPED_TRACE(parameter + ' ' + std::to_string(value));
        EXPECT_FALSE(row().legal.contains(tuning));
        const std::vector<int> input = inputs::random(100);
        std::vector<int> output(100, kSentinel);
        expect_refused([&] { row().run(input, output, tuning); }, parameter, value, legal);
        expect_refused([&] { row().run({}, {}, tuning); }, parameter, value, legal);
        expect_refused([&] { row().make_plan(100, tuning); }, parameter, value, legal);
        EXPECT_EQ(output, std::vector<int>(100, kSentinel));
    }
};

TEST_P(TuningTest, EveryLegalOneComputesTheSame) {
    const std::size_t n = at_most(5000);
    for (const Tuning& tuning : legal_tunings(row().legal)) {
        SCOPED_TRACE(testing::Message()
                     << "block size " << tuning.block_size << ", items per thread "
                     << tuning.items_per_thread << ", padding " << tuning.padding);
        EXPECT_TRUE(row().legal.contains(tuning));
        const auto plan = row().make_plan(n, tuning);
        for (const auto make : {inputs::random, inputs::none_zero, inputs::extremes}) {
            PlanArrays work(row().operation, row().arrays_on(), make(n));
            work.enqueue(*plan);
            work.expect_result();
        }
        std::vector<int> output(n);
        const std::vector<int> input = inputs::random(n);
        const Outcome outcome = row().run(input, output, tuning);
        EXPECT_TRUE(
            equal(std::span(output).first(outcome.count), reference(row().operation, input)));
    }
}

TEST_P(TuningTest, AnIllegalBlockSizeIsRefused) {
    const std::span<const int> legal = row().legal.block_sizes;
    for (const int value : {-256, -1, 0, 1, 4, 7, 9, 33, 48, 255, 257, 1025, 2048, 1 << 30}) {
        if (contains(values(legal), value)) continue;
        Tuning tuning = row().tuned;
        tuning.block_size = value;
        expect_refused_everywhere(tuning, "block size", value, legal);
    }
}

TEST_P(TuningTest, AnIllegalNumberOfItemsIsRefused) {
    const std::span<const int> legal = row().legal.items_per_thread;
    for (const int value : {-8, -1, 0, 3, 5, 7, 12, 17, 32, 1 << 30}) {
        if (contains(values(legal), value)) continue;
        Tuning tuning = row().tuned;
        tuning.items_per_thread = value;
        expect_refused_everywhere(tuning, "items per thread", value, legal);
    }
}

TEST_P(TuningTest, AnIllegalPaddingIsRefused) {
    for (const int value : {-1, 0, 2, 32}) {
        if (std::ranges::find(row().legal.paddings, value) != row().legal.paddings.end()) continue;
        Tuning tuning = row().tuned;
        tuning.padding = value;
        const auto& legal = row().legal.paddings;
        expect_refused_everywhere(tuning, "padding", value,
                                  legal.empty() ? std::span<const int>(kOne) : legal);
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, TuningTest, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
