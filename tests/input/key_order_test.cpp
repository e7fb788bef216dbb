// The orders of the keys in key models.
#include "tests/input/key_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

namespace stream_compaction {
namespace {

TEST(KeyModel, PipesAscendThenDescend) {
    for_models(has_order(Order::pipe), [](std::uint64_t number, const KeyLaw&) {
        for (const std::size_t n : {kSize, kSize - 1}) {
            const auto keys = keys_of(number, n);
            const auto middle = keys.begin() + static_cast<std::ptrdiff_t>((n + 1) / 2);
            EXPECT_TRUE(std::is_sorted(keys.begin(), middle));
            EXPECT_TRUE(std::is_sorted(middle, keys.end(), std::greater()));
        }
    });
}

TEST(KeyModel, NearlySortedKeysAreCloseToTheirPlaces) {
    int unsorted = 0;
    for_models(has_order(Order::nearly_sorted), [&](std::uint64_t number, const KeyLaw& law) {
        const auto keys = keys_of(number);
        int largest_before = keys.front();
        for (std::size_t i = 2 * law.reach; i < keys.size(); ++i) {
            largest_before = std::max(largest_before, keys[i - 2 * law.reach]);
            ASSERT_LE(largest_before, keys[i]) << i;
        }
        unsorted += std::ranges::is_sorted(keys) ? 0 : 1;
    });
    EXPECT_GT(unsorted, 10);
}

TEST(KeyModel, RunsAreOfEqualKeys) {
    for_models(has_order(Order::runs), [](std::uint64_t number, const KeyLaw& law) {
        const auto keys = keys_of(number);
        std::size_t runs = 1;
        std::set<std::size_t> starts;
        for (std::size_t i = 1; i < keys.size(); ++i) {
            if (keys[i] == keys[i - 1]) continue;
            ++runs;
            starts.insert(i % law.reach);
        }
        EXPECT_LE(runs, kSize / law.reach + 2);
        const bool is_varied = law.frequency == Frequency::even && law.values > 100;
        if (is_varied) {
            EXPECT_GE(runs, kSize / law.reach * 9 / 10);
            EXPECT_GT(starts.size(), law.reach / 2);  // of different lengths
        }
    });
}

TEST(KeyModel, RandomOrderIsNone) {
    for_models(has_order(Order::random), [](std::uint64_t number, const KeyLaw& law) {
        if (law.values < 2) return;
        const auto keys = keys_of(number);
        double ascents = 0, descents = 0;
        for (std::size_t i = 1; i < keys.size(); ++i) {
            ascents += keys[i] > keys[i - 1] ? 1 : 0;
            descents += keys[i] < keys[i - 1] ? 1 : 0;
        }
        EXPECT_NEAR(ascents, descents, 5 * std::sqrt(kSize));
    });
}

}  // namespace
}  // namespace stream_compaction
