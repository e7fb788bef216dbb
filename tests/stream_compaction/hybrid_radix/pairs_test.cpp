// hybrid_radix's sorts of pairs: each pair comes out whole, and once; on every way that keys take.
// Limits are small here, as in sort_test.cpp.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/guarded_pairs.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

using hybrid_radix::Limits;
using hybrid_radix::UnevenWay;

/// The values that keys have.
struct Values {
    const char* name;
    unsigned (*at)(std::size_t i);
};
constexpr Values kPlaces{"places", [](std::size_t i) { return static_cast<unsigned>(i); }};
constexpr Values kValues[] = {
    {"any bits", [](std::size_t i) { return static_cast<unsigned>(0x9e3779b9u * (i + 1)); }},
    kPlaces,
    {"three values", [](std::size_t i) { return 0xfffffffeu + static_cast<unsigned>(i % 3); }},
};

template <class Pair>
class HybridRadixPairs : public testing::Test {
  protected:
    using Key = typename Pair::first_type;
    using Value = typename Pair::second_type;
    using Sort = hybrid_radix::SortPairs<Key, Value>;

    using Both = std::vector<std::pair<unsigned, unsigned>>;  // a key's bits and a value's

    static Both sorted(Both pairs) {
        std::ranges::sort(pairs);
        return pairs;
    }

    /// @param offset of sort_guarded
    static void expect_sorted(Sort& sort, std::vector<Key> keys, const Values& values,
                              InPlace in_place, bool is_descending = false,
                              std::size_t offset = 0) {
        const std::size_t n = keys.size();
        PairBits bits{std::vector<unsigned>(n), std::vector<unsigned>(n)};
        Both given(n), got(n);
        for (std::size_t i = 0; i < n; ++i) {
            bits.keys[i] = std::bit_cast<unsigned>(keys[i]), bits.values[i] = values.at(i);
            given[i] = {bits.keys[i], bits.values[i]};
        }
        const auto [got_keys, got_values] = sort_guarded<Key, Value>(sort, bits, in_place, offset);
        std::ranges::stable_sort(keys, [=](Key a, Key b) {
            return is_descending ? comes_before(b, a) : comes_before(a, b);
        });
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(got_keys[i], std::bit_cast<unsigned>(keys[i])) << "key " << i;
            got[i] = {got_keys[i], got_values[i]};
        }
        ASSERT_EQ(sorted(got), sorted(given));
    }

    /// All patterns of keys, with values and arrays that take turns.
    static void expect_sorted(std::size_t n, Limits limits) {
        const Limits most = Sort::default_limits();
        if (limits.one_block > most.one_block) return;  // more than a block of this device sorts
        limits.bucket = std::min(limits.bucket, most.bucket);
        Sort sort(n, {}, limits);
        std::size_t turn = n;
        for (const Pattern<unsigned>& pattern : all_or_some(kPatterns<unsigned>)) {
            const Values& values = kValues[turn % std::size(kValues)];
            const InPlace in_place = kInPlace[turn % std::size(kInPlace)];
            SCOPED_TRACE(testing::Message()
                         << pattern.name << ", values: " << values.name << ", n = " << n
                         << (in_place.keys ? ", keys in place" : "")
                         << (in_place.values ? ", values in place" : ""));
            expect_sorted(sort, make_keys<Key>(pattern, n, n), values, in_place);
            if (testing::Test::HasFatalFailure()) return;
            ++turn;
        }
    }
};
using Pairs = testing::Types<std::pair<int, unsigned>, std::pair<unsigned, float>,
                             std::pair<float, std::int32_t>>;
TYPED_TEST_SUITE(HybridRadixPairs, Pairs);

Limits with_way(UnevenWay way, Limits limits) {
    limits.uneven_way = way;
    return limits;
}

TYPED_TEST(HybridRadixPairs, AreSortedInOneBlock) {
    for (const std::size_t n : without_too_large({1, 2, 31, 500, 3000}))
        this->expect_sorted(n, {n, std::max<std::size_t>(n, 2)});
}

TYPED_TEST(HybridRadixPairs, AreRankedWhereTheyAreFew) {
    Limits limits = TestFixture::Sort::default_limits();
    EXPECT_GT(limits.ranked, 0u);
    for (const std::size_t n : without_too_large({1, 31, 33, 500, 701})) {
        limits.ranked = n;
        this->expect_sorted(n, limits);
    }
}

/// Where the device has clusters.
TYPED_TEST(HybridRadixPairs, AreSortedInAClusterWhereTheyAreUneven) {
    for (const std::size_t n : without_too_large({300, 3001, 9000}))
        this->expect_sorted(n, {.one_block = 0, .bucket = 200, .clustered = n});
}

/// As a plan chooses, at the ends of what it chooses between.
TYPED_TEST(HybridRadixPairs, ChangeTheirWays) {
    const Limits limits = TestFixture::Sort::default_limits();
    for (const std::size_t end : {limits.ranked, limits.one_block})
        for (const std::size_t n : without_too_large({end - 1, end, end + 1}))
            for (const int i : {0, 2, 7})
                for (const InPlace in_place : {kInPlace[0], kInPlace[1]}) {
                    SCOPED_TRACE(testing::Message() << n << ", pattern " << i);
                    typename TestFixture::Sort sort(n);
                    this->expect_sorted(
                        sort, make_keys<typename TestFixture::Key>(kPatterns<unsigned>[i], n, n),
                        kPlaces, in_place);
                    if (testing::Test::HasFatalFailure()) return;
                }
}

/// With buckets that some keys fit into, or all.
TYPED_TEST(HybridRadixPairs, ArePartitionedOnceFromRegisters) {
    for (const std::size_t n : without_too_large({300, 3001})) this->expect_sorted(n, {0, 64});
    for (const std::size_t n : without_too_large({513, 3001})) this->expect_sorted(n, {0, 500});
    for (const std::size_t n : without_too_large({12'001})) this->expect_sorted(n, {0, 5000});
}

TYPED_TEST(HybridRadixPairs, ArePartitionedOnTheGrid) {
    for (const std::size_t n : without_too_large({300, 3001}))
        for (const UnevenWay way : {UnevenWay::splitters, UnevenWay::passes})
            for (const unsigned uneven : {1u, 4u}) {
                SCOPED_TRACE(way == UnevenWay::splitters ? "by splitters" : "by passes");
                this->expect_sorted(n, with_way(way, {0, 64, uneven, 0}));
            }
    for (const std::size_t n : without_too_large({12'001})) {
        this->expect_sorted(n, {0, 64, 4, 0});
        typename TestFixture::Sort sort(n, {}, {0, 8, 1, 0});  // two digits, counted at once
        this->expect_sorted(sort,
                            make_keys<typename TestFixture::Key>(kPatterns<unsigned>[0], n, n),
                            kPlaces, kInPlace[1]);
    }
}

TYPED_TEST(HybridRadixPairs, GoOneOfTwoWaysWhereTheyAreUneven) {
    for (const std::size_t n : without_too_large({3001}))
        for (const UnevenWay way : {UnevenWay::splitters, UnevenWay::passes})
            this->expect_sorted(n, with_way(way, {0, 64}));
}

TYPED_TEST(HybridRadixPairs, TakeAnySizeUpToTheirPlans) {
    const std::size_t largest = at_most(4000);
    typename TestFixture::Sort sort(largest, {}, {100, 200});
    std::mt19937 random(5);
    for (int round = 0; round < rounds(30); ++round) {
        const std::size_t n = 1 + random() % largest;
        const auto& pattern = kPatterns<unsigned>[random() % std::size(kPatterns<unsigned>)];
        SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n);
        this->expect_sorted(sort, make_keys<typename TestFixture::Key>(pattern, n, n),
                            kValues[round % 3], kInPlace[round % 4], false, round % 5);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(HybridRadixPairs, CanBeDescending) {
    for (const std::size_t n : without_too_large({1, 33, 700, 9'000}))
        for (const Limits limits : {TestFixture::Sort::default_limits(), Limits{n, n + 1},
                                    Limits{0, 64}, Limits{0, 64, 4, 0}}) {
            if (limits.one_block > TestFixture::Sort::default_limits().one_block) continue;
            typename TestFixture::Sort sort(n, {.descending = true}, limits);
            for (const int i : {0, 1, 2, 4}) {
                SCOPED_TRACE(testing::Message() << n << ", pattern " << i);
                this->expect_sorted(
                    sort, make_keys<typename TestFixture::Key>(kPatterns<unsigned>[i], n, n),
                    kValues[i % 3], kInPlace[i % 4], true);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
}

TYPED_TEST(HybridRadixPairs, TakeTheEndsOfAllNumbers) {
    using Key = typename TestFixture::Key;
    constexpr unsigned kEnds[] = {0,          1,          0x7fffffff, 0x80000000,
                                  0x80000001, 0xfffffffe, 0xffffffff, 0x7f800000,
                                  0xff800000, 0x7fc00000, 0xffc00000};
    for (const std::size_t n : without_too_large({11, 1100}))
        for (const Limits limits : {Limits{n, n}, Limits{0, 64}, Limits{0, 64, 4, 0}}) {
            std::vector<Key> keys(n);
            for (std::size_t i = 0; i < n; ++i)
                keys[i] = std::bit_cast<Key>(kEnds[i % std::size(kEnds)]);
            typename TestFixture::Sort sort(n, {}, limits);
            for (const Values& values : kValues)
                this->expect_sorted(sort, keys, values, kInPlace[n % 4]);
        }
}

/// Keys and their places, which the sort makes up.
TYPED_TEST(HybridRadixPairs, AreKeysAndPlacesWithoutValues) {
    using Key = typename TestFixture::Key;
    for (const std::size_t n : without_too_large({1, 33, 700, 9'000}))
        for (const Limits limits :
             {TestFixture::Sort::default_limits(), Limits{n, n + 1}, Limits{0, 64},
              Limits{0, 64, 4, 0}, with_way(UnevenWay::passes, {0, 64, 4, 0})}) {
            if (limits.one_block > TestFixture::Sort::default_limits().one_block) continue;
            hybrid_radix::SortPairs<Key, unsigned> sort(n, {}, limits);
            for (const int i : {0, 1, 2, 7}) {
                SCOPED_TRACE(testing::Message() << n << ", pattern " << i);
                std::vector<Key> keys = make_keys<Key>(kPatterns<unsigned>[i], n, n), got(n);
                std::vector<unsigned> places(n);
                simt::DeviceArray<Key> in{std::span<const Key>(keys)}, out(n);
                simt::DeviceArray<unsigned> places_out(n);
                Key* const to = i % 2 == 0 ? out.data() : in.data();
                sort.enqueue(in.data(), to, places_out.data(), n);
                (i % 2 == 0 ? out : in).copy_to(got);
                places_out.copy_to(places);
                std::vector<bool> is_there(n);
                for (std::size_t k = 0; k < n; ++k) {
                    ASSERT_LT(places[k], n);
                    ASSERT_FALSE(is_there[places[k]]) << "place " << places[k] << " again";
                    is_there[places[k]] = true;
                    ASSERT_EQ(std::bit_cast<unsigned>(got[k]),
                              std::bit_cast<unsigned>(keys[places[k]]));
                    ASSERT_FALSE(k > 0 && comes_before(got[k], got[k - 1])) << "key " << k;
                }
            }
        }
}

TEST(HybridRadixPairsLimits, AreThoseOfABlock) {
    using Sort = hybrid_radix::SortPairs<int, unsigned>;
    const Limits most = Sort::default_limits();
    EXPECT_THROW(Sort(10, {}, {most.one_block + 1, most.bucket}), std::invalid_argument);
    EXPECT_THROW(Sort(10, {}, {most.one_block, 1}), std::invalid_argument);
    EXPECT_NO_THROW(Sort(10, {}, most));
}

TEST(HybridRadixPairsWorkspace, IsTwoArraysOfPairsAndLists) {
    using Sort = hybrid_radix::SortPairs<int, unsigned>;
    for (const int power : {14, 20, 24, 28, 31}) {
        const std::size_t n = std::size_t{1} << power, pairs = 2 * 8 * n;
        EXPECT_GE(Sort::workspace_bytes(n), pairs);
        EXPECT_LE(Sort::workspace_bytes(n), pairs + std::max<std::size_t>(8 * n / 14, 5'000'000));
    }
}

}  // namespace
}  // namespace stream_compaction
