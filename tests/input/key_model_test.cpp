#include "src/input/key_model.h"

#include "src/input/input.h"
#include "tests/input/key_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

TEST(KeyModel, HasAtMostTheValuesOfItsLaw) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{31}, kSize})
        for (std::uint64_t number = 0; number < kModels; ++number) {
            const KeyLaw law(number, n);
            ASSERT_GE(law.values, 1u);
            ASSERT_LE(law.values, n);
            EXPECT_LE(different(keys_of(number, n)), law.values) << number << ' ' << n;
        }
}

TEST(KeyModel, HasAnyOrderOfMagnitudeOfValues) {
    std::map<int, int> magnitudes;
    for (std::uint64_t number = 0; number < 1000; ++number)
        ++magnitudes[std::bit_width(KeyLaw(number, 1 << 20).values)];
    for (int magnitude = 1; magnitude <= 20; ++magnitude)
        EXPECT_NEAR(magnitudes[magnitude], 50, 35) << magnitude;
}

TEST(KeyModel, HasEveryKindOfLaw) {
    std::map<Frequency, int> frequencies;
    std::map<Spacing, int> spacings;
    std::map<Order, int> orders;
    for (std::uint64_t number = 1; number <= 200; ++number) {
        const KeyLaw law(number, kSize);
        ++frequencies[law.frequency];
        ++spacings[law.spacing];
        ++orders[law.order];
    }
    EXPECT_EQ(frequencies.size(), 4u);
    EXPECT_EQ(spacings.size(), 5u);
    EXPECT_EQ(orders.size(), 4u);
    for (const auto& [kind, times] : frequencies) EXPECT_GT(times, 25);
    for (const auto& [kind, times] : spacings) EXPECT_GT(times, 20);
    for (const auto& [kind, times] : orders) EXPECT_GT(times, 25);
}

TEST(KeyModel, DependsOnTheKeyWhereItsLawDoesNot) {
    const auto is_varied = [](const KeyLaw& law) {
        return law.order == Order::random && law.values > 100 && law.frequency == Frequency::even;
    };
    for_models(is_varied, [](std::uint64_t number, const KeyLaw&) {
        const auto keys = keys_of(number);
        EXPECT_EQ(keys, keys_of(number));
        EXPECT_NE(keys, keys_of(number, kSize, 2));
        EXPECT_NE(keys, keys_of(number + kModels));
    });
}

// A pipe has every value whose frequency is large enough: none is missing, and none is duplicated.
TEST(KeyModel, PlacesEveryValueOnceAndInOrder) {
    const auto is_even_pipe = [](const KeyLaw& law) {
        return law.order == Order::pipe && law.frequency == Frequency::even &&
               law.values < kSize / 8;
    };
    std::set<Spacing> spacings;
    const auto has_all_values = [&](std::uint64_t number, const KeyLaw& law) {
        EXPECT_EQ(different(keys_of(number)), law.values);
        spacings.insert(law.spacing);
    };
    for_models(is_even_pipe, has_all_values, 10 * kModels);
    EXPECT_EQ(spacings.size(), 5u);
}

TEST(KeyModel, WorksBeyond32Bits) {
    constexpr std::size_t kHuge = 5'000'000'000;
    constexpr std::size_t kStep = kHuge / 1000;  // more than the distance of any nearly sorted key
    for (std::uint64_t number = 1; number <= kModels; ++number) {
        const KeyLaw law(number, kHuge);
        SCOPED_TRACE("model:" + std::to_string(number) + ", " + describe(law));
        ASSERT_LE(law.values, std::size_t{1} << 31);
        const KeyModel model(number, kHuge, 3);
        std::vector<int> keys;
        for (std::size_t i = 0; i < kHuge; i += kStep) keys.push_back(model[i]);
        keys.push_back(model[kHuge - 1]);
        EXPECT_LE(different(keys), law.values);
        if (law.order == Order::nearly_sorted) {
            EXPECT_TRUE(std::ranges::is_sorted(keys));
        }
        if (law.order == Order::pipe) {
            EXPECT_TRUE(std::is_sorted(keys.begin(), keys.begin() + 500));
            EXPECT_TRUE(std::is_sorted(keys.begin() + 501, keys.end(), std::greater()));
        }
        if (law.frequency == Frequency::even && law.values > 1000000 && law.order != Order::runs) {
            EXPECT_GT(different(keys), 490u);  // a pipe has each value twice
        }
    }
}

TEST(KeyModel, IsToldInWords) {
    KeyLaw law(1, 1);
    law.values = 1234;
    law.frequency = Frequency::zipf;
    law.skew = 1.2;
    law.spacing = Spacing::trie;
    law.order = Order::runs;
    law.reach = 17;
    EXPECT_EQ(describe(law), "1,234 values, Zipf 1.20, trie, runs of 17");
    law.values = 1;
    law.frequency = Frequency::even;
    law.spacing = Spacing::uniform;
    law.order = Order::random;
    EXPECT_EQ(describe(law), "1 value, even, uniform, random");
    law.values = 1000000;
    law.frequency = Frequency::geometric;
    law.skew = 12345.6;
    law.spacing = Spacing::progression;
    law.extent = 1000;
    law.order = Order::pipe;
    EXPECT_EQ(describe(law),
              "1,000,000 values, geometric of mean 12,346, steps of 1,000, organ pipe");
    law.values = 999;
    law.frequency = Frequency::one_and_others;
    law.skew = 0.634;
    law.spacing = Spacing::few_bits;
    law.extent = 12;
    law.order = Order::nearly_sorted;
    EXPECT_EQ(describe(law), "999 values, one value 63 %, 12 bits, within 17 of sorted");
    law.spacing = Spacing::centres;
    law.extent = 1;
    EXPECT_EQ(describe(law), "999 values, one value 63 %, 1 centre, within 17 of sorted");
}

TEST(KeyModel, IsADistribution) {
    const Distribution model = Distribution::of_model(7);
    EXPECT_EQ(to_string(model), "model:7");
    EXPECT_EQ(in_words(model, kSize), describe(KeyLaw(7, kSize)));
    EXPECT_EQ(in_words(Distribution::uniform, kSize), "");
    EXPECT_NE(model, Distribution::of_model(8));
    for (std::uint64_t number = 1; number <= 100; ++number) {
        const auto keys = make_input(Distribution::of_model(number), std::nullopt, 1000, 1);
        EXPECT_EQ(keys, make_input(Distribution::of_model(number), std::nullopt, 1000, 1));
        EXPECT_NE(keys.back(), 0);
        EXPECT_TRUE(make_input(Distribution::of_model(number), std::nullopt, 0, 1).empty());
        EXPECT_EQ(make_input(Distribution::of_model(number), std::nullopt, 1, 1).size(), 1u);
    }
}

}  // namespace
}  // namespace stream_compaction
