// The values that key models choose, and their frequencies.
#include "tests/input/key_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

TEST(KeyModel, ProgressionsHaveOneStep) {
    int from_zero = 0, models = 0;
    for_models(has_spacing(Spacing::progression), [&](std::uint64_t number, const KeyLaw& law) {
        const auto keys = keys_of(number);
        const std::int64_t least = std::ranges::min(keys);
        for (const int key : keys) ASSERT_EQ((key - least) % law.extent, 0u);
        from_zero += least == 0 ? 1 : 0;
        ++models;
    });
    EXPECT_GT(from_zero, models / 6);
    EXPECT_LT(from_zero, models * 5 / 6);
}

TEST(KeyModel, ProgressionsEndBeforeTheRangeOfInt) {
    const auto is_long = [](const KeyLaw& law) {
        return law.spacing == Spacing::progression && law.values * law.extent > 1u << 31;
    };
    const auto has_its_length = [](std::uint64_t number, const KeyLaw& law) {
        const auto keys = keys_of(number);
        const auto [least, most] = std::ranges::minmax(keys);
        EXPECT_LE(std::int64_t{most} - least,
                  static_cast<std::int64_t>((law.values - 1) * law.extent));
    };
    for_models(is_long, has_its_length, 10 * kModels);
}

TEST(KeyModel, FewBitsDiffer) {
    int models = 0, all_differ = 0;
    for_models(has_spacing(Spacing::few_bits), [&](std::uint64_t number, const KeyLaw& law) {
        const auto keys = keys_of(number);
        unsigned differ = 0;
        for (const int key : keys) differ |= static_cast<unsigned>(key ^ keys.front());
        EXPECT_LE(std::popcount(differ), static_cast<int>(law.extent));
        EXPECT_LE(law.extent, std::bit_width(law.values) + 4);
        if (law.frequency != Frequency::even || law.order == Order::runs) return;
        all_differ += std::popcount(differ) == static_cast<int>(law.extent) ? 1 : 0;
        ++models;
    });
    EXPECT_GT(all_differ, models / 2);
}

// The values of a centre are densest near the middle.
TEST(KeyModel, CentresHaveTheirValuesAround) {
    int centres = 0, dense = 0;
    for (std::uint64_t number = 1; number <= 10 * kModels; ++number) {
        const KeyLaw law(number, kSize);
        const bool is_wanted = law.spacing == Spacing::centres && law.order == Order::pipe &&
                               law.frequency == Frequency::even && law.values < kSize / 8;
        if (!is_wanted) continue;
        const auto keys = keys_of(number);
        const std::set<int> all(keys.begin(), keys.end());
        const std::vector<std::int64_t> values(all.begin(), all.end());
        const std::size_t of_centre = (law.values + law.extent - 1) / law.extent;
        for (std::size_t first = 0; first + of_centre <= values.size(); first += of_centre) {
            if (of_centre < 8) break;
            const auto gap = [&](std::size_t i) {
                return values[first + i + 1] - values[first + i];
            };
            const std::int64_t middle = gap(of_centre / 2), left = gap(0),
                               right = gap(of_centre - 2);
            EXPECT_LE(middle, left + 1);
            EXPECT_LE(middle, right + 1);
            ++centres;
            dense += 2 * middle < left && 2 * middle < right ? 1 : 0;
        }
    }
    EXPECT_GT(centres, 100);
    EXPECT_GT(dense, centres / 2);
}

// Tries have many values with a long common prefix, uniform values have none.
TEST(KeyModel, ValuesOfATrieShareTheirPrefixes) {
    const auto prefixes = [](std::uint64_t number) {
        std::set<int> found;
        for (const int key : keys_of(number)) found.insert(key >> 20);
        return found.size();
    };
    for (const auto& [spacing, is_crowded] :
         {std::pair{Spacing::uniform, false}, {Spacing::trie, true}}) {
        const auto is_wanted = [spacing = spacing](const KeyLaw& law) {
            return law.spacing == spacing && law.frequency == Frequency::even && law.values > 300 &&
                   law.order != Order::runs;
        };
        for_models(is_wanted,
                   [&, is_crowded = is_crowded](std::uint64_t number, const KeyLaw& law) {
                       // The number of 4096 prefixes that random values would hit.
                       const double expected =
                           4096 * (1 - std::pow(1 - 1.0 / 4096, static_cast<double>(law.values)));
                       if (is_crowded) {
                           EXPECT_LT(prefixes(number), expected / 2);
                       } else {
                           EXPECT_NEAR(prefixes(number), expected, expected / 10);
                       }
                   });
    }
}

// Frequent values are anywhere in the range, not only the smallest ones.
TEST(KeyModel, FrequentValuesLieAnywhere) {
    const auto is_uneven = [](const KeyLaw& law) {
        return law.frequency != Frequency::even && law.values > 50 && law.order != Order::runs;
    };
    double spacings = 0;
    int models = 0;
    for_models(is_uneven, [&](std::uint64_t number, const KeyLaw&) {
        std::map<int, int> counts;
        for (const int key : keys_of(number)) ++counts[key];
        const auto most = std::ranges::max_element(
            counts, {}, [](const auto& key_and_count) { return key_and_count.second; });
        spacings += static_cast<double>(std::distance(counts.begin(), most)) /
                    static_cast<double>(counts.size());
        ++models;
    });
    EXPECT_NEAR(spacings / models, 0.5, 0.15);
}

TEST(KeyModel, FrequenciesAreThoseOfTheLaw) {
    std::map<Frequency, int> seen;
    const auto is_countable = [](const KeyLaw& law) { return law.order != Order::runs; };
    for_models(is_countable, [&](std::uint64_t number, const KeyLaw& law) {
        std::map<int, std::size_t> counts;
        for (const int key : keys_of(number)) ++counts[key];
        std::size_t most = 0;
        for (const auto& [key, count] : counts) most = std::max(most, count);

        const auto values = static_cast<double>(law.values);
        double expected = 1 / values;
        if (law.frequency == Frequency::zipf) {
            double all = 0;
            for (double k = 1; k <= values; ++k) all += std::pow(k, -law.skew);
            expected = 1 / all;
        } else if (law.frequency == Frequency::geometric) {
            const double ratio = law.skew / (law.skew + 1);
            expected = (1 - ratio) / (1 - std::pow(ratio, values));
        } else if (law.frequency == Frequency::one_and_others) {
            expected = law.values == 1 ? 1 : std::max(law.skew, (1 - law.skew) / (values - 1));
        }
        if (expected * kSize < 500) return;  // too few samples for a check
        EXPECT_NEAR(static_cast<double>(most), expected * kSize, 6 * std::sqrt(expected * kSize));
        ++seen[law.frequency];
    });
    EXPECT_EQ(seen.size(), 4u);
    for (const auto& [kind, times] : seen) EXPECT_GT(times, 5);
}

// Rare values are not dropped: the tail has its share.
TEST(KeyModel, RareValuesComeAsOftenAsTheyShould) {
    const auto is_long_tailed = [](const KeyLaw& law) {
        return law.frequency == Frequency::zipf && law.order != Order::runs && law.skew < 1.3 &&
               law.values > 200 && law.values < 3000;
    };
    for_models(is_long_tailed, [](std::uint64_t number, const KeyLaw& law) {
        std::map<int, std::size_t> by_key;
        for (const int key : keys_of(number)) ++by_key[key];
        std::vector<std::size_t> counts;
        for (const auto& [key, count] : by_key) counts.push_back(count);
        std::ranges::sort(counts, std::greater());
        double all = 0, top = 0;
        for (double k = 1; k <= static_cast<double>(law.values); ++k) {
            all += std::pow(k, -law.skew);
            if (k <= 50) top += std::pow(k, -law.skew);
        }
        double seen = 0;
        for (std::size_t k = 0; k < 50; ++k) seen += static_cast<double>(counts[k]);
        EXPECT_NEAR(seen / kSize, top / all, 0.05);
    });
}

}  // namespace
}  // namespace stream_compaction
