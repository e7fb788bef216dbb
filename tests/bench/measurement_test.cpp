#include "src/bench/measurement.h"

#include "tests/measure/fabricated_results.h"

#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

TEST(Measurement, KnowsEveryModeByItsName) {
    for (const Mode mode : kModes) EXPECT_EQ(find_mode(to_string(mode)), mode);
    EXPECT_EQ(find_mode("warm"), std::nullopt);
    EXPECT_THROW((void)to_string(static_cast<Mode>(4)), std::invalid_argument);
}

TEST(Measurement, KnowsTheBytesOfAnElement) {
    EXPECT_EQ(Setting{}.in_bytes(), 4u);
    EXPECT_EQ(Setting{}.out_bytes(), 4u);
    Variant variant = kFabricatedVariant;
    variant.in_bytes = 8;
    variant.out_bytes = 12;
    EXPECT_EQ(Setting{.variant = &variant}.in_bytes(), 8u);
    EXPECT_EQ(Setting{.variant = &variant}.out_bytes(), 12u);
}

}  // namespace
}  // namespace stream_compaction
