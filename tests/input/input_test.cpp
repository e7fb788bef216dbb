#include "src/input/input.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <string>

namespace stream_compaction {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 20;

std::vector<int> values(Distribution distribution, std::optional<double> kept = std::nullopt,
                        std::size_t n = kSize, std::uint64_t seed = 1) {
    return make_input(distribution, kept, n, seed);
}

bool all_in(const std::vector<int>& input, int first, int last) {
    return std::ranges::all_of(input, [=](int value) { return first <= value && value < last; });
}

double share_of_nonzero(const std::vector<int>& input) {
    return 1 - static_cast<double>(std::ranges::count(input, 0)) / input.size();
}

double share_of_set_bits(const std::vector<int>& input) {
    double bits = 0;
    for (const int value : input) bits += std::popcount(static_cast<unsigned>(value));
    return bits / (32.0 * input.size());
}

TEST(Input, HasAName) {
    for (const Distribution distribution : kDistributions)
        EXPECT_EQ(find_distribution(to_string(distribution)), distribution);
    EXPECT_EQ(find_distribution("normal"), std::nullopt);
}

TEST(Input, IsInTheTableOfTheDocuments) {
    std::ifstream file(BENCHMARKING);
    std::string table;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("| `")) table += line.substr(0, line.find('|', 2));
    for (const Distribution distribution : kDistributions)
        EXPECT_NE(table.find("`" + to_string(distribution) + "`"), std::string::npos)
            << to_string(distribution);
}

TEST(Input, IsTheSameForTheSameSeedAndAnotherForAnother) {
    for (const Distribution distribution : kDistributions) {
        const auto input = values(distribution, std::nullopt, 1000);
        EXPECT_EQ(input, values(distribution, std::nullopt, 1000));
        const bool is_random = distribution != Distribution::organ_pipe;
        EXPECT_EQ(input != values(distribution, std::nullopt, 1000, 2), is_random);
    }
    EXPECT_NE(values(Distribution::uniform, std::nullopt, 100)[7],
              values(Distribution::uniform, std::nullopt, 101)[7]);
}

TEST(Input, IsTheSameHoweverManyThreadsStoreIt) {
    for (const Distribution distribution : kDistributions) {
        const Input input(distribution, 0.3, kSize / 2, 5);
        const std::vector<int> stored = values(distribution, 0.3, input.size(), 5);
        for (std::size_t i = 0; i < input.size(); ++i) ASSERT_EQ(stored[i], input[i]);
    }
}

TEST(Input, IsTheSameWithoutThreads) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer needs memory of its own";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const Input input(Distribution::uniform, std::nullopt, kSize, 5);
            std::vector<int> stored(kSize);
            std::size_t pages = 0;
            std::ifstream("/proc/self/statm") >> pages;
            rlimit limit{};
            getrlimit(RLIMIT_AS, &limit);
            limit.rlim_cur = (pages + 100) * sysconf(_SC_PAGESIZE);  // less than a thread's stack
            setrlimit(RLIMIT_AS, &limit);
            store(input, stored);
            for (std::size_t i = 0; i < kSize; ++i)
                if (stored[i] != input[i]) std::exit(1);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST(Input, KeepsHalfOfWhatIsClustered) {
    EXPECT_NEAR(share_of_nonzero(values(Distribution::clustered)), 0.5, 0.05);
}

TEST(Input, EndsWithANonZeroElementWhateverTheSeed) {
    for (const Distribution distribution : kDistributions)
        for (std::uint64_t seed = 0; seed < 1000; ++seed)
            EXPECT_NE(values(distribution, std::nullopt, 5, seed).back(), 0);
}

TEST(Input, EndsWithANonZeroElement) {
    for (const Distribution distribution : kDistributions)
        for (std::size_t n = 1; n < 100; ++n)
            for (const std::optional<double> kept : {std::optional<double>(), {0.0}, {0.1}, {1.0}})
                EXPECT_NE(values(distribution, kept, n).back(), 0);
}

TEST(Input, MayBeEmpty) {
    for (const Distribution distribution : kDistributions)
        EXPECT_TRUE(values(distribution, 0.5, 0).empty());
}

TEST(Input, UniformHasBothSignsAndTheExtremes) {
    const auto input = values(Distribution::uniform);
    EXPECT_NEAR(std::ranges::count_if(input, [](int v) { return v < 0; }) / double{kSize}, 0.5,
                0.01);
    EXPECT_NEAR(share_of_set_bits(input), 0.5, 0.001);
    EXPECT_EQ(*std::ranges::min_element(input), std::numeric_limits<int>::min());
    EXPECT_EQ(*std::ranges::max_element(input), std::numeric_limits<int>::max());
}

TEST(Input, Uniform50HasEveryValueEquallyOften) {
    const auto input = values(Distribution::uniform50);
    EXPECT_TRUE(all_in(input, 0, 50));
    std::map<int, int> histogram;
    for (const int value : input) ++histogram[value];
    ASSERT_EQ(histogram.size(), 50u);
    for (const auto& [value, count] : histogram) EXPECT_NEAR(count, kSize / 50.0, 800) << value;
}

TEST(Input, SortedAscendsAndReverseDescendsOverTheWholeRange) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{1000}, kSize - 3, kSize}) {
        auto input = values(Distribution::sorted, std::nullopt, n);
        EXPECT_TRUE(std::ranges::is_sorted(input));
        EXPECT_LT(input.front(), 0);
        EXPECT_GT(input.back(), 0);
        input = values(Distribution::reverse, std::nullopt, n);
        EXPECT_TRUE(std::ranges::is_sorted(input, std::ranges::greater()));
        EXPECT_GT(input.front(), 0);
        EXPECT_LT(input.back(), 0);
    }
}

TEST(Input, NarrowDistributionsAreWhatTheirNamesSay) {
    const auto equal = values(Distribution::all_equal);
    EXPECT_EQ(std::ranges::count(equal, equal.front()), kSize);
    EXPECT_TRUE(all_in(values(Distribution::range16), 0, 1 << 16));
    EXPECT_TRUE(all_in(values(Distribution::negative), std::numeric_limits<int>::min(), 0));
    const auto year = values(Distribution::year);
    EXPECT_TRUE(all_in(year, 1'767'225'600, 1'767'225'600 + 365 * 24 * 60 * 60));
    EXPECT_TRUE(std::ranges::any_of(year, [](int second) { return second < 1'767'225'700; }));
    EXPECT_TRUE(std::ranges::any_of(year, [](int second) { return second > 1'798'761'500; }));
    EXPECT_NEAR(share_of_set_bits(values(Distribution::and2)), 1.0 / 4, 0.001);
    EXPECT_NEAR(share_of_set_bits(values(Distribution::and4)), 1.0 / 16, 0.001);
    EXPECT_NEAR(share_of_set_bits(values(Distribution::gaps)), 27.0 / 64, 0.001);
    const auto outliers = values(Distribution::outliers);
    EXPECT_NEAR(std::ranges::count_if(outliers, [](int x) { return (x & 0x00ffff80) != 0; }) /
                    static_cast<double>(kSize),
                1.0 / 4096, 0.001);
}

TEST(Input, ZipfFallsWithTheRank) {
    const auto input = values(Distribution::zipf);
    EXPECT_TRUE(all_in(input, 1, 1 << 20));
    std::map<int, double> share;
    for (const int value : input) share[value] += 1.0 / kSize;
    for (const int k : {1, 2, 3, 10, 31, 100})
        EXPECT_NEAR(share[k], std::log2(1 + 1.0 / k) / 20, 0.001) << k;
}

TEST(Input, KeepsTheShareThatIsAskedFor) {
    for (const Distribution distribution : kDistributions)
        for (const double kept : {0.0, 0.1, 1.0})
            EXPECT_NEAR(share_of_nonzero(values(distribution, kept, kSize / 4)), kept, 0.05)
                << to_string(distribution);
    const auto all_kept = values(Distribution::uniform50, 1.0);
    EXPECT_EQ(std::ranges::minmax(all_kept).min, 1);
    EXPECT_EQ(std::ranges::minmax(all_kept).max, 49);
    EXPECT_EQ(std::ranges::count(values(Distribution::uniform50, 0.0), 0), kSize - 1);
    EXPECT_THROW(values(Distribution::uniform, 1.1), std::invalid_argument);
    EXPECT_THROW(values(Distribution::uniform, std::nan("")), std::invalid_argument);
}

TEST(Input, ClusteredKeepsWholeRuns) {
    const auto input = values(Distribution::clustered, 0.3);
    for (std::size_t run = 0; run + 1 < kSize / Input::kRun; ++run)
        for (std::size_t i = 1; i < Input::kRun; ++i)
            ASSERT_EQ(input[run * Input::kRun] == 0, input[run * Input::kRun + i] == 0);
    EXPECT_NEAR(share_of_nonzero(input), 0.3, 0.05);
}

}  // namespace
}  // namespace stream_compaction
