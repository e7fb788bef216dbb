#include "src/input/key_kinds.h"

#include "src/input/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 16;

std::vector<int> keys(Distribution distribution, std::size_t n = kSize, std::uint64_t seed = 1) {
    return make_input(distribution, std::nullopt, n, seed);
}

double share(const std::vector<int>& input, auto predicate) {
    return static_cast<double>(std::ranges::count_if(input, predicate)) /
           static_cast<double>(input.size());
}

/// 68.3 % of a normal distribution are within one standard deviation, and 67.4 % of sums of four.
void expect_bell(const std::vector<double>& values, double mean, double deviation) {
    double sum = 0, squares = 0, near = 0;
    for (const double value : values) {
        sum += value;
        squares += (value - mean) * (value - mean);
        near += std::abs(value - mean) < deviation;
    }
    const auto n = static_cast<double>(values.size());
    EXPECT_NEAR(sum / n, mean, 0.02 * deviation);
    EXPECT_NEAR(std::sqrt(squares / n), deviation, 0.02 * deviation);
    EXPECT_NEAR(near / n, 0.674, 0.01);
}

TEST(KeyKinds, BurstsAscendWithinASecondAndLeaveGaps) {
    const auto stamps = keys(Distribution::bursts);
    int latest = stamps.front();
    std::size_t near = 0, gaps = 0, begin = 0;
    std::set<std::size_t> lengths;
    for (std::size_t i = 1; i < kSize; ++i) {
        EXPECT_GE(stamps[i], latest - 1);
        near += std::abs(stamps[i] - stamps[i - 1]) <= 1;
        if (stamps[i] - stamps[i - 1] > 10'000) {
            ++gaps;
            lengths.insert(i - std::exchange(begin, i));
        }
        latest = std::max(latest, stamps[i]);
    }
    EXPECT_EQ(near + gaps, kSize - 1);
    EXPECT_GE(gaps, kSize / 1024 - 1);
    EXPECT_LE(gaps, kSize / 1024);
    EXPECT_GT(lengths.size(), gaps / 2);
    EXPECT_FALSE(std::ranges::is_sorted(stamps));
}

TEST(KeyKinds, NearlySortedStampsAreFewPlacesLate) {
    const auto stamps = keys(Distribution::nearly_sorted);
    for (std::size_t i = 256; i < kSize; ++i) ASSERT_LE(stamps[i - 256], stamps[i]);
    std::size_t falls = 0;
    for (std::size_t i = 1; i < kSize; ++i) falls += stamps[i] < stamps[i - 1];
    EXPECT_NEAR(static_cast<double>(falls) / kSize, 0.5, 0.02);
}

TEST(KeyKinds, AnOrganPipeRisesAndFalls) {
    using Keys = std::vector<int>;
    EXPECT_EQ(keys(Distribution::organ_pipe, 1), Keys({1}));
    EXPECT_EQ(keys(Distribution::organ_pipe, 2), Keys({0, 1}));
    EXPECT_EQ(keys(Distribution::organ_pipe, 7), Keys({0, 1, 2, 3, 2, 1, 1}));
    EXPECT_EQ(keys(Distribution::organ_pipe, 8), Keys({0, 1, 2, 3, 3, 2, 1, 1}));
}

TEST(KeyKinds, OneNibbleIsFixed) {
    std::set<int> nibbles;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        unsigned all = ~0u, any = 0;
        for (const int key : keys(Distribution::fixed_nibble, 1000, seed)) {
            all &= static_cast<unsigned>(key);
            any |= static_cast<unsigned>(key);
        }
        EXPECT_EQ(all ^ any, 0xfff0ffffu);
        nibbles.insert(static_cast<int>(all >> 16));
    }
    EXPECT_EQ(nibbles.size(), 16u);
}

TEST(KeyKinds, FourSerialNumbersCountOn) {
    const auto serials = keys(Distribution::serials);
    for (std::size_t i = 4; i < kSize; ++i) ASSERT_EQ(serials[i], serials[i - 4] + 1);
    for (int counter = 0; counter < 4; ++counter)
        EXPECT_EQ(serials[static_cast<std::size_t>(counter)] >> 29, counter);
}

TEST(KeyKinds, LettersAreAsFrequentAsInEnglish) {
    std::map<char, double> shares;
    for (const int key : keys(Distribution::letters))
        for (const int shift : {0, 8, 16, 24})
            shares[static_cast<char>(key >> shift & 0xff)] += 1.0 / (4 * kSize);
    EXPECT_EQ(shares.size(), 26u);
    EXPECT_EQ(shares.begin()->first, 'a');
    EXPECT_EQ(shares.rbegin()->first, 'z');
    for (const auto& [letter, expected] : std::map<char, double>{
             {'a', 0.082}, {'e', 0.127}, {'q', 0.001}, {'t', 0.09}, {'z', 0.0007}})
        EXPECT_NEAR(shares[letter], expected, 0.002) << letter;
}

TEST(KeyKinds, DegreesFollowAPowerLaw) {
    const auto degrees = keys(Distribution::degrees);
    EXPECT_GE(std::ranges::min(degrees), 1);
    for (const int k : {1, 2, 3, 4, 10, 100, 1000})
        EXPECT_NEAR(share(degrees, [k](int degree) { return degree >= k; }) * k, 1,
                    0.02 * std::sqrt(k))
            << k;
}

TEST(KeyKinds, DatesAreTheDaysOfSixtyYears) {
    using namespace std::chrono;
    const sys_days first = 1970y / January / 1, end = 2030y / January / 1;
    const auto days = static_cast<std::uint64_t>((end - first).count());
    for (std::uint64_t i = 0; i < days; ++i) {
        const year_month_day day = first + std::chrono::days(i);
        const auto word = static_cast<std::uint32_t>(((i << 32) + days - 1) / days);
        ASSERT_EQ(key_kinds::date(word),
                  static_cast<unsigned>(static_cast<int>(day.year())) * 10000 +
                      static_cast<unsigned>(day.month()) * 100 + static_cast<unsigned>(day.day()));
    }
    EXPECT_EQ(key_kinds::date(~0u), 20291231u);
}

TEST(KeyKinds, MortonCodesAreOfPointsOnABowl) {
    std::set<int> xs, ys, zs;
    for (const int code : keys(Distribution::morton)) {
        std::array<int, 3> point = {};
        for (int bit = 0; bit < 30; ++bit) point[bit % 3] |= (code >> bit & 1) << bit / 3;
        const auto [x, y, z] = point;
        ASSERT_EQ(code >> 30, 0);
        ASSERT_NEAR(z, (std::pow(x - 511.5, 2) + std::pow(y - 511.5, 2)) / 512, 1);
        xs.insert(x);
        ys.insert(y);
        zs.insert(z);
    }
    EXPECT_EQ(xs.size(), 1024u);
    EXPECT_EQ(ys.size(), 1024u);
    EXPECT_GT(zs.size(), 900u);
}

TEST(KeyKinds, PricesAreLogNormalAndOftenEndIn99) {
    const auto prices = keys(Distribution::prices);
    EXPECT_GT(std::ranges::min(prices), 0);
    for (const auto& [cents, expected] :
         std::map<int, double>{{99, 3.0 / 8}, {95, 1.0 / 8}, {0, 1.0 / 8}, {42, 0}})
        EXPECT_NEAR(share(prices, [cents](int price) { return price % 100 == cents; }),
                    expected + 0.01 * 3 / 8, 0.01)
            << cents;
    std::vector<double> logarithms;
    for (const int price : prices)
        if (price % 100 % 95 > 4) logarithms.push_back(std::log2(price));
    expect_bell(logarithms, 11, 3.5 / std::sqrt(3));
}

TEST(KeyKinds, BellCurveIsOfTheWholeRange) {
    const auto input = keys(Distribution::bell_curve);
    expect_bell({input.begin(), input.end()}, 0, 0x1p30 / std::sqrt(3));
    EXPECT_LT(std::ranges::min(input), -1'800'000'000);
    EXPECT_GT(std::ranges::max(input), 1'800'000'000);
}

TEST(KeyKinds, NormalFloatsAreTheBitsOfFloats) {
    std::vector<double> values;
    for (const int key : keys(Distribution::normal_floats))
        values.push_back(std::bit_cast<float>(key));
    expect_bell(values, 0, 1);
}

TEST(KeyKinds, AddressesAreOfFrequentAndRareNetworks) {
    std::map<unsigned, int> networks;
    std::set<unsigned> hosts;
    for (const int key : keys(Distribution::ipv4)) {
        const auto address = static_cast<unsigned>(key);
        ASSERT_GE(address >> 24, 1u);
        ASSERT_LT(address >> 24, 224u);
        ++networks[address >> 8];
        hosts.insert(address & 0xff);
    }
    EXPECT_EQ(hosts.size(), 256u);
    EXPECT_GT(networks.size(), kSize / 4);
    const int most =
        std::ranges::max_element(networks, {}, [](auto& pair) { return pair.second; })->second;
    EXPECT_NEAR(static_cast<double>(most) / kSize, 1.0 / 20, 0.005);
}

}  // namespace
}  // namespace stream_compaction
