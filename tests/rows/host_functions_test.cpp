// Every row's host function: from host array to host array.
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/rows/row_test.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace stream_compaction {
namespace {

class HostFunctions : public RowTest {
  protected:
    /// Runs the row on a span within a larger array, misaligned by an amount that depends on the
    /// size.
    void expect_right(const std::vector<int>& input, const Tuning& tuning) const {
        const std::size_t before = 64 + input.size() % 4, after = 64;
        std::vector<int> memory(before + input.size() + after, kSentinel);
        std::vector<int> expected = memory;
        const std::vector<int> result = reference(row().operation, input);
        std::ranges::copy(result, expected.begin() + before);
        const std::vector<int> kept = input;

        const Outcome outcome =
            row().run(input, std::span(memory).subspan(before, input.size()), tuning);

        EXPECT_EQ(outcome.count, result.size());
        EXPECT_TRUE(equal(memory, expected)) << "counted with " << before << " words before";
        EXPECT_TRUE(equal(input, kept)) << "the input was written";
        EXPECT_GE(outcome.elapsed.count(), 0);
    }
};

TEST_P(HostFunctions, AnswerAsTheReference) {
    for (const std::size_t n : small_sizes(row().tuned))
        for (const Input& input : kInputs) {
            SCOPED_TRACE(testing::Message() << input.name << ", n = " << n);
            expect_right(input.make(n), row().tuned);
        }
}

TEST_P(HostFunctions, AnswerAsTheReferenceForLargeInputs) {
    for (const std::size_t n : large_sizes()) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        expect_right(inputs::random(n), row().tuned);
    }
}

TEST_P(HostFunctions, WriteNothingPastTheInputsSize) {
    const std::vector<int> input = inputs::random(at_most(1000));
    std::vector<int> output(input.size() + 500, kSentinel);
    std::vector<int> expected = output;
    std::ranges::copy(reference(row().operation, input), expected.begin());
    row().run(input, output, row().tuned);
    EXPECT_TRUE(equal(output, expected));
}

TEST_P(HostFunctions, TakeNoElementsAtAll) {
    const Outcome outcome = row().run({}, {}, row().tuned);
    EXPECT_EQ(outcome.count, 0u);
    EXPECT_GE(outcome.elapsed.count(), 0);

    std::vector<int> output(3, kSentinel);
    row().run({}, output, row().tuned);
    EXPECT_EQ(output, std::vector<int>(3, kSentinel));
}

TEST_P(HostFunctions, RefuseAnOutputThatIsTooSmall) {
    const std::vector<int> input = inputs::random(10);
    std::vector<int> output(9, kSentinel);
    EXPECT_THROW(row().run(input, output, row().tuned), std::invalid_argument);
    EXPECT_EQ(output, std::vector<int>(9, kSentinel));
    EXPECT_THROW(row().run(input, {}, row().tuned), std::invalid_argument);
}

TEST_P(HostFunctions, TimeThePhasesOfACompaction) {
    const std::vector<int> input = inputs::random(at_most(5000));
    std::vector<int> output(input.size());
    const Outcome outcome = row().run(input, output, row().tuned);
    ASSERT_EQ(outcome.phases.has_value(), row().has_phases);
    if (!row().has_phases) return;
    const auto& [map, scan, scatter] = *outcome.phases;
    EXPECT_GE(map.count(), 0);
    EXPECT_GE(scan.count(), 0);
    EXPECT_GE(scatter.count(), 0);
    EXPECT_NEAR(outcome.elapsed.count(), (map + scan + scatter).count(), 1e-6);
}

TEST_P(HostFunctions, DoNotRememberTheCallBefore) {
    const std::size_t largest = at_most(3000);
    std::vector<int> output(largest);
    for (const std::size_t n : {largest, std::size_t{17}, largest - 1}) {
        const std::vector<int> input = inputs::extremes(n);
        const Outcome outcome = row().run(input, output, row().tuned);
        EXPECT_TRUE(
            equal(std::span(output).first(outcome.count), reference(row().operation, input)));
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, HostFunctions, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
