// hybrid_radix's sorts of pairs: each pair is output unchanged, and once, by every strategy. The
// thresholds are small here, as in sort_test.cpp.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/guarded_pairs.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

using hybrid_radix::Thresholds;

/// The values of the keys.
struct Values {
    const char* name;
    unsigned (*at)(std::size_t i);
};
constexpr Values kValues[] = {
    {"any bits", [](std::size_t i) { return static_cast<unsigned>(0x9e3779b9u * (i + 1)); }},
    {"indices", [](std::size_t i) { return static_cast<unsigned>(i); }},
    {"three values", [](std::size_t i) { return 0xfffffffeu + static_cast<unsigned>(i % 3); }},
};

class HybridRadixPairs : public testing::Test {
  protected:
    using Sort = hybrid_radix::SortPairs<int, unsigned>;
    using Both = std::vector<std::pair<unsigned, unsigned>>;  // a key's bits and a value's

    /// @param offset of sort_guarded
    static void expect_sorted(Sort& sort, std::vector<int> keys, const Values& values,
                              InPlace in_place, bool is_descending = false,
                              std::size_t offset = 0) {
        const std::size_t n = keys.size();
        PairBits bits{std::vector<unsigned>(n), std::vector<unsigned>(n)};
        Both given(n), got(n);
        for (std::size_t i = 0; i < n; ++i) {
            bits.keys[i] = std::bit_cast<unsigned>(keys[i]), bits.values[i] = values.at(i);
            given[i] = {bits.keys[i], bits.values[i]};
        }
        const auto [got_keys, got_values] =
            sort_guarded<int, unsigned>(sort, bits, in_place, offset);
        std::ranges::sort(keys, [=](int a, int b) { return is_descending ? b < a : a < b; });
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(std::bit_cast<int>(got_keys[i]), keys[i]) << "key " << i;
            got[i] = {got_keys[i], got_values[i]};
        }
        std::ranges::sort(got);
        std::ranges::sort(given);
        ASSERT_EQ(got, given);
    }

    /// All patterns of keys, combined in turn with values and arrays; with the plan's size and
    /// smaller ones.
    static void expect_sorted(std::size_t n, Thresholds thresholds, SortOptions options = {}) {
        thresholds.bucket = std::min(thresholds.bucket, Sort::default_thresholds().bucket);
        Sort sort(n, options, thresholds);
        std::size_t turn = n;
        for (const Pattern<unsigned>& pattern : all_or_some(kPatterns<unsigned>)) {
            const Values& values = kValues[turn % std::size(kValues)];
            const InPlace in_place = kInPlace[turn % std::size(kInPlace)];
            const std::size_t size = n - (turn % 5 == 0 ? n / 3 : 0);
            SCOPED_TRACE(testing::Message()
                         << pattern.name << ", values: " << values.name << ", n = " << size
                         << " of " << n << (in_place.keys ? ", keys in place" : "")
                         << (in_place.values ? ", values in place" : ""));
            expect_sorted(sort, make_keys<int>(pattern, size, n), values, in_place,
                          options.descending, turn % 5);
            if (testing::Test::HasFatalFailure()) return;
            ++turn;
        }
    }
};

TEST_F(HybridRadixPairs, AreSortedByOnesweepIfThereAreFew) {
    for (const std::size_t n : without_too_large({1, 33, 701}))
        expect_sorted(n, {.few = n, .bucket = 2});
}

TEST_F(HybridRadixPairs, AreSortedInAClusterIfTheyAreSkewed) {
    for (const std::size_t n : without_too_large({3001}))
        expect_sorted(n, {.few = 0, .bucket = 200, .clustered = n});
}

TEST_F(HybridRadixPairs, ArePartitionedOnceFromRegisters) {
    for (const std::size_t n : without_too_large({1, 33, 513, 3001}))
        expect_sorted(n, {.few = 0, .bucket = n == 3001 ? std::size_t{64} : 500});
    for (const std::size_t n : without_too_large({6001}))
        expect_sorted(n, {.few = 0, .bucket = 5000}, {.descending = true});
}

TEST_F(HybridRadixPairs, ArePartitionedOnTheGrid) {
    for (const std::size_t n : without_too_large({1, 33, 513, 3001}))
        expect_sorted(n, {.few = 0, .bucket = 200, .in_registers = 0});
    for (const std::size_t n : without_too_large({6001}))  // two digits
        expect_sorted(n, {.few = 0, .bucket = 20, .in_registers = 0}, {.descending = true});
}

TEST_F(HybridRadixPairs, KeepTheirValuesAtTheEndsOfAllNumbers) {
    constexpr unsigned kEnds[] = {0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    for (const std::size_t n : without_too_large({11, 1100}))
        for (const std::size_t in_registers : {std::size_t{0}, n}) {
            std::vector<int> keys(n);
            for (std::size_t i = 0; i < n; ++i)
                keys[i] = std::bit_cast<int>(kEnds[i % std::size(kEnds)]);
            Sort sort(n, {}, {0, 64, in_registers});
            for (const Values& values : kValues) expect_sorted(sort, keys, values, kInPlace[n % 4]);
        }
}

/// Keys and their indices in the input.
TEST_F(HybridRadixPairs, AreKeysAndIndicesWithoutValues) {
    for (const std::size_t n : without_too_large({1, 33, 700, 9'000}))
        for (const std::size_t in_registers : {std::size_t{0}, n}) {
            Sort sort(n, {}, {0, 64, in_registers});
            for (const int i : {0, 1, 2, 7}) {
                SCOPED_TRACE(testing::Message() << n << ", pattern " << i);
                const std::vector<int> keys = make_keys<int>(kPatterns<unsigned>[i], n, n);
                std::vector<int> got(n);
                std::vector<unsigned> indices(n);
                simt::DeviceArray<int> in{std::span<const int>(keys)}, out(n);
                simt::DeviceArray<unsigned> indices_out(n);
                int* const to = i % 2 == 0 ? out.data() : in.data();
                sort.enqueue(in.data(), to, indices_out.data(), n);
                (i % 2 == 0 ? out : in).copy_to(got);
                indices_out.copy_to(indices);
                std::vector<bool> is_there(n);
                for (std::size_t k = 0; k < n; ++k) {
                    ASSERT_LT(indices[k], n);
                    ASSERT_FALSE(is_there[indices[k]]) << "index " << indices[k] << " again";
                    is_there[indices[k]] = true;
                    ASSERT_EQ(got[k], keys[indices[k]]);
                }
                ASSERT_TRUE(std::ranges::is_sorted(got));
            }
        }
}

TEST_F(HybridRadixPairs, HaveTheThresholdsOfABlock) {
    const Thresholds most = Sort::default_thresholds();
    EXPECT_THROW(Sort(10, {}, {0, most.bucket + 1}), std::invalid_argument);
    EXPECT_THROW(Sort(10, {}, {0, 1}), std::invalid_argument);
    EXPECT_NO_THROW(Sort(10, {}, most));
}

TEST(HybridRadixPairsWorkspace, IsTwoArraysOfPairsAndLists) {
    using Sort = hybrid_radix::SortPairs<int, unsigned>;
    for (const int power : {14, 20, 24, 28, 31}) {
        const std::size_t n = std::size_t{1} << power, pairs = 2 * 8 * n;
        EXPECT_GE(Sort::workspace_bytes(n), pairs);
        EXPECT_LE(Sort::workspace_bytes(n), pairs + 6'000'000);
    }
}

}  // namespace
}  // namespace stream_compaction
