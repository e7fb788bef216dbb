#include "src/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace stream_compaction {
namespace {

const std::vector<int> kExpected = {5, 6, 7, 8};

GuardedOutput output_of(std::size_t n, const std::vector<int>& written) {
    GuardedOutput output(n);
    std::ranges::copy(written, output.room().begin());
    return output;
}

std::string words(const std::optional<Mismatch>& mismatch) {
    if (!mismatch) return "right";
    return std::to_string(mismatch->index) + ": " + mismatch->expected + " | " + mismatch->got;
}

TEST(FirstMismatch, IsNowhereInARightOutput) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, kExpected), 4)), "right");
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(9, kExpected), 4)), "right");
    EXPECT_EQ(words(first_mismatch({}, GuardedOutput(0), 0)), "right");
}

TEST(FirstMismatch, IsTheFirstOfSeveral) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, {5, 0, 7, 0}), 4)), "1: 6 | 0");
}

TEST(FirstMismatch, MayBeTheLastElement) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, {5, 6, 7, 9}), 4)), "3: 8 | 9");
}

TEST(FirstMismatch, IsAnElementThatNobodyWrote) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, {5, 6, 7}), 4)), "3: 8 | -1414812757");
}

TEST(FirstMismatch, IsACountThatIsTooSmall) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, {5, 6, 7}), 3)),
              "3: 8 | no element: the count is 3 instead of 4");
}

TEST(FirstMismatch, IsACountThatIsTooLarge) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(6, {5, 6, 7, 8, 9}), 5)),
              "4: no element | a count of 5 instead of 4");
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, kExpected), 1000000)),
              "4: no element | a count of 1000000 instead of 4");
}

TEST(FirstMismatch, PrefersTheElementToTheCount) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(4, {5, 7, 8}), 3)), "1: 6 | 7");
}

TEST(FirstMismatch, IsWhatWasWrittenPastTheCount) {
    EXPECT_EQ(words(first_mismatch(kExpected, output_of(8, {5, 6, 7, 8, 0}), 4)),
              "4: nothing written past the 4 elements | 0");
}

TEST(FirstMismatch, IsWhatWasWrittenPastTheRoom) {
    GuardedOutput output = output_of(4, kExpected);
    output.room().data()[6] = 13;
    EXPECT_EQ(words(first_mismatch(kExpected, output, 4)),
              "6: nothing written past the 4 elements | 13");
}

TEST(GuardedOutput, ForgetsWhatWasWritten) {
    GuardedOutput output = output_of(4, kExpected);
    EXPECT_EQ(output.first_written(0), 0u);
    output.clear();
    EXPECT_EQ(output.first_written(0), std::nullopt);
}

}  // namespace
}  // namespace stream_compaction
