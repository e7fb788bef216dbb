#include "src/input/key_model.h"

#include "src/input/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace stream_compaction {
namespace {

using Frequency = KeyLaw::Frequency;
using Order = KeyLaw::Order;
using Place = KeyLaw::Place;

constexpr std::uint64_t kModels = 400;
constexpr std::size_t kSize = 20000;

std::vector<int> keys_of(std::uint64_t number, std::size_t n = kSize, std::uint64_t key = 1) {
    const KeyModel model(number, n, key);
    std::vector<int> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = model[i];
    return keys;
}

std::size_t different(const std::vector<int>& keys) {
    return std::set<int>(keys.begin(), keys.end()).size();
}

/// Calls f(number, law) for the models whose law is as wanted, of which there are many.
template <class Wanted, class F>
void for_models(Wanted wanted, F f, std::uint64_t models = kModels) {
    int found = 0;
    for (std::uint64_t number = 1; number <= models; ++number) {
        const KeyLaw law(number, kSize);
        if (!wanted(law)) continue;
        SCOPED_TRACE("model:" + std::to_string(number) + ", " + describe(law));
        f(number, law);
        ++found;
    }
    EXPECT_GE(found, 5);
}

auto has_order(Order order) {
    return [=](const KeyLaw& law) { return law.order == order; };
}
auto has_place(Place place) {
    return [=](const KeyLaw& law) { return law.place == place; };
}

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
    std::map<Place, int> places;
    std::map<Order, int> orders;
    for (std::uint64_t number = 1; number <= 200; ++number) {
        const KeyLaw law(number, kSize);
        ++frequencies[law.frequency];
        ++places[law.place];
        ++orders[law.order];
    }
    EXPECT_EQ(frequencies.size(), 4u);
    EXPECT_EQ(places.size(), 5u);
    EXPECT_EQ(orders.size(), 4u);
    for (const auto& [kind, times] : frequencies) EXPECT_GT(times, 25);
    for (const auto& [kind, times] : places) EXPECT_GT(times, 20);
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

// A pipe has every value that its frequency gives a place: none is missing, and none doubled.
TEST(KeyModel, PlacesEveryValueOnceAndInOrder) {
    const auto is_even_pipe = [](const KeyLaw& law) {
        return law.order == Order::pipe && law.frequency == Frequency::even &&
               law.values < kSize / 8;
    };
    std::set<Place> places;
    const auto has_all_values = [&](std::uint64_t number, const KeyLaw& law) {
        EXPECT_EQ(different(keys_of(number)), law.values);
        places.insert(law.place);
    };
    for_models(is_even_pipe, has_all_values, 10 * kModels);
    EXPECT_EQ(places.size(), 5u);
}

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

TEST(KeyModel, ProgressionsHaveOneStep) {
    int from_zero = 0, models = 0;
    for_models(has_place(Place::progression), [&](std::uint64_t number, const KeyLaw& law) {
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
        return law.place == Place::progression && law.values * law.extent > 1u << 31;
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
    for_models(has_place(Place::few_bits), [&](std::uint64_t number, const KeyLaw& law) {
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

// The values of a centre are densest in its middle.
TEST(KeyModel, CentresHaveTheirValuesAround) {
    int centres = 0, dense = 0;
    for (std::uint64_t number = 1; number <= 10 * kModels; ++number) {
        const KeyLaw law(number, kSize);
        const bool is_wanted = law.place == Place::centres && law.order == Order::pipe &&
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
    for (const auto& [place, is_crowded] :
         {std::pair{Place::uniform, false}, {Place::trie, true}}) {
        const auto is_wanted = [place = place](const KeyLaw& law) {
            return law.place == place && law.frequency == Frequency::even && law.values > 300 &&
                   law.order != Order::runs;
        };
        for_models(is_wanted,
                   [&, is_crowded = is_crowded](std::uint64_t number, const KeyLaw& law) {
                       // So many of 4096 prefixes would be hit by values thrown at random.
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

// Frequent values are not the smallest ones, but any.
TEST(KeyModel, FrequentValuesLieAnywhere) {
    const auto is_uneven = [](const KeyLaw& law) {
        return law.frequency != Frequency::even && law.values > 50 && law.order != Order::runs;
    };
    double places = 0;
    int models = 0;
    for_models(is_uneven, [&](std::uint64_t number, const KeyLaw&) {
        std::map<int, int> counts;
        for (const int key : keys_of(number)) ++counts[key];
        const auto most = std::ranges::max_element(
            counts, {}, [](const auto& key_and_count) { return key_and_count.second; });
        places += static_cast<double>(std::distance(counts.begin(), most)) /
                  static_cast<double>(counts.size());
        ++models;
    });
    EXPECT_NEAR(places / models, 0.5, 0.15);
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
        if (expected * kSize < 500) return;  // too few to tell
        EXPECT_NEAR(static_cast<double>(most), expected * kSize, 6 * std::sqrt(expected * kSize));
        ++seen[law.frequency];
    });
    EXPECT_EQ(seen.size(), 4u);
    for (const auto& [kind, times] : seen) EXPECT_GT(times, 5);
}

// A rare value is not left out: the tail has its share.
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

TEST(KeyModel, WorksBeyond32Bits) {
    constexpr std::size_t kHuge = 5'000'000'000;
    constexpr std::size_t kStep = kHuge / 1000;  // farther than any nearly sorted key strays
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
    law.place = Place::trie;
    law.order = Order::runs;
    law.reach = 17;
    EXPECT_EQ(describe(law), "1,234 values, Zipf 1.20, trie, runs of 17");
    law.values = 1;
    law.frequency = Frequency::even;
    law.place = Place::uniform;
    law.order = Order::random;
    EXPECT_EQ(describe(law), "1 value, even, uniform, random");
    law.values = 1000000;
    law.frequency = Frequency::geometric;
    law.skew = 12345.6;
    law.place = Place::progression;
    law.extent = 1000;
    law.order = Order::pipe;
    EXPECT_EQ(describe(law),
              "1,000,000 values, geometric of mean 12,346, steps of 1,000, organ pipe");
    law.values = 999;
    law.frequency = Frequency::one_and_others;
    law.skew = 0.634;
    law.place = Place::few_bits;
    law.extent = 12;
    law.order = Order::nearly_sorted;
    EXPECT_EQ(describe(law), "999 values, one value 63 %, 12 bits, within 17 of sorted");
    law.place = Place::centres;
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
