// onesweep: all types of keys and values, equal keys in their order, in place and not. Partial
// tiles; more tiles than blocks, so that rows of the look-back are reused; keys that are ranked, up
// to a limit, by the threads of one block or of many; keys that are sorted by a cluster of blocks,
// if the device has clusters.
#include "stream_compaction/onesweep.h"

#include "simt/memory.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"
#include "tests/stream_compaction/onesweep/sizes.h"
#include "tests/typed_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr onesweep::Thresholds kNoneFew{}, kAllRanked{.ranked = 20'000},
    kAllClustered{.clustered = ~std::size_t{0}};

/// Different for all indices, in all bytes of the value.
template <class Value>
Value value_at(std::size_t i) {
    using Bits = KeyBits<sizeof(Value)>;
    return std::bit_cast<Value>(static_cast<Bits>(Bits{0x9e3779b97f4a7c15u & ~Bits{0}} * (i + 1)));
}

template <class Pair>
class Onesweep : public testing::Test {
  protected:
    using Key = typename Pair::first_type;
    using Value = typename Pair::second_type;
    using Bits = KeyBits<sizeof(Key)>;
    using ValueBits = KeyBits<sizeof(Value)>;
    using Sort = onesweep::SortPairs<Key, Value>;

    static void expect_sorted(Sort& sort, const std::vector<Key>& keys, bool keys_in_place,
                              bool values_in_place) {
        const std::size_t n = keys.size();
        std::vector<Value> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = value_at<Value>(i);
        simt::DeviceArray<Key> keys_in{std::span<const Key>(keys)};
        simt::DeviceArray<Key> keys_out(keys_in_place ? 0 : n);
        simt::DeviceArray<Value> values_in{std::span<const Value>(values)};
        simt::DeviceArray<Value> values_out(values_in_place ? 0 : n);
        auto& sorted_keys = keys_in_place ? keys_in : keys_out;
        auto& sorted_values = values_in_place ? values_in : values_out;
        sort.enqueue(keys_in.data(), sorted_keys.data(), values_in.data(), sorted_values.data(), n);
        std::vector<Key> got_keys(n);
        std::vector<Value> got_values(n);
        sorted_keys.copy_to(got_keys);
        sorted_values.copy_to(got_values);

        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, [&](std::size_t a, std::size_t b) { return comes_before(keys[a], keys[b]); });
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(std::bit_cast<Bits>(got_keys[i]), std::bit_cast<Bits>(keys[order[i]]))
                << "key " << i;
            ASSERT_EQ(std::bit_cast<ValueBits>(got_values[i]),
                      std::bit_cast<ValueBits>(values[order[i]]))
                << "value " << i;
        }
        if (!keys_in_place) {
            keys_in.copy_to(got_keys);
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_EQ(std::bit_cast<Bits>(got_keys[i]), std::bit_cast<Bits>(keys[i]))
                    << "the input's key " << i;
        }
    }

    /// The first patterns of keys, up to a number, in a slow build every fifth; alternately in
    /// place.
    static void expect_patterns_sorted(std::size_t n, const onesweep::Thresholds& thresholds,
                                       std::size_t patterns) {
        Sort sort(n, {}, thresholds);
        for (std::size_t number = 0; number < patterns; number += is_slow() ? 5 : 1) {
            const auto& pattern = kPatterns<Bits>[number];
            const bool keys_in_place = number % 2 == 1, values_in_place = number / 2 % 2 == 1;
            SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n
                                            << (keys_in_place ? ", keys in place" : "")
                                            << (values_in_place ? ", values in place" : ""));
            expect_sorted(sort, make_keys<Key>(pattern, n, n), keys_in_place, values_in_place);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
};
using Pairs = AllOrFirst<2, std::pair<int, unsigned>, std::pair<unsigned long long, std::int64_t>,
                         std::pair<float, std::uint64_t>, std::pair<double, int>>;
TYPED_TEST_SUITE(Onesweep, Pairs);

TYPED_TEST(Onesweep, KeepsEqualKeysInOrder) {
    for (const std::size_t n : without_too_large({1, 2, 31, 500, 3584, 3585, 9000})) {
        typename TestFixture::Sort sort(n, {}, kNoneFew);
        bool in_place = n % 2 == 0;  // every second pattern, and for odd sizes the others
        for (const auto& pattern : all_or_some(kPatterns<typename TestFixture::Bits>)) {
            SCOPED_TRACE(testing::Message()
                         << pattern.name << ", n = " << n << (in_place ? ", in place" : ""));
            this->expect_sorted(sort, make_keys<typename TestFixture::Key>(pattern, n, n), in_place,
                                in_place);
            if (testing::Test::HasFatalFailure()) return;
            in_place = !in_place;
        }
    }
}

TYPED_TEST(Onesweep, RanksFewKeys) {
    for (const std::size_t n : without_too_large({1, 2, 31, 32, 33, 257, 1000}))
        this->expect_patterns_sorted(n, kAllRanked, std::size(kPatterns<unsigned>));
}

/// One block or all blocks have keys; the last of them has a partial tile; as many keys as there is
/// room for, and more.
TYPED_TEST(Onesweep, SortsInACluster) {
    for (const std::size_t n : without_too_large({1, 2, 31, 1024, 1025, 4096, 4097, 9000, 33'000}))
        this->expect_patterns_sorted(n, kAllClustered,
                                     n > 9000   ? 2
                                     : n > 2000 ? 5
                                                : std::size(kPatterns<unsigned>));
}

/// The part of a warp has more keys than it holds at a time.
TYPED_TEST(Onesweep, RanksKeysOfSeveralPieces) {
    const std::size_t n = at_most(8'200);
    typename TestFixture::Sort sort(n, {}, kAllRanked);
    this->expect_sorted(
        sort, make_keys<typename TestFixture::Key>(kPatterns<typename TestFixture::Bits>[8], n, 2),
        false, false);
}

TYPED_TEST(Onesweep, RanksUpToItsLimit) {
    constexpr std::size_t kLimit = 300;
    typename TestFixture::Sort sort(kLimit + 1, {}, {.ranked = kLimit});
    for (const std::size_t n : without_too_large({kLimit - 1, kLimit, kLimit + 1})) {
        SCOPED_TRACE(n);
        this->expect_sorted(
            sort,
            make_keys<typename TestFixture::Key>(kPatterns<typename TestFixture::Bits>[2], n, n),
            false, true);
    }
}

TYPED_TEST(Onesweep, TakesManyTilesABlock) {
    const std::size_t n = at_most(200'000);
    typename TestFixture::Sort sort(n, {}, kNoneFew);
    for (const int i : {0, 2, 7}) {
        const auto& pattern = kPatterns<typename TestFixture::Bits>[i];
        SCOPED_TRACE(pattern.name);
        this->expect_sorted(sort, make_keys<typename TestFixture::Key>(pattern, n, 1), false, true);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(Onesweep, TakesAnySizeUpToItsOwn) {
    const std::size_t largest = at_most(40'000);
    typename TestFixture::Sort sort(largest);
    std::mt19937 random(5);
    for (int round = 0; round < rounds(10); ++round) {
        const std::size_t n = 1 + random() % largest;
        const auto& patterns = kPatterns<typename TestFixture::Bits>;
        const auto& pattern = patterns[random() % std::size(patterns)];
        SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n);
        this->expect_sorted(sort, make_keys<typename TestFixture::Key>(pattern, n, n),
                            round % 2 == 0, round % 4 < 2);
        if (testing::Test::HasFatalFailure()) return;
    }
}

template <class Key>
class OnesweepKeys : public testing::Test {};
using Keys = testing::Types<int, std::uint64_t>;
TYPED_TEST_SUITE(OnesweepKeys, Keys);

/// As many keys as a shape for 32 bits has room for, and one more; alternately in place.
TYPED_TEST(OnesweepKeys, AreSortedInTilesOfAllShapes) {
    for (const std::size_t keys_of_thread : {20, 32, 48, 64})
        for (const std::size_t n : without_too_large(
                 {keys_of_threads(keys_of_thread), keys_of_threads(keys_of_thread) + 1})) {
            onesweep::Sort<TypeParam> sort(n, {}, {}, kNoneFew);
            for (const int number : {0, 2, 8}) {
                const auto& pattern = kPatterns<KeyBits<sizeof(TypeParam)>>[number];
                const bool in_place = (number / 2 + n) % 2 == 0;
                SCOPED_TRACE(testing::Message()
                             << pattern.name << ", n = " << n << (in_place ? ", in place" : ""));
                std::vector<TypeParam> keys = make_keys<TypeParam>(pattern, n, n), got(n);
                simt::DeviceArray<TypeParam> in{std::span<const TypeParam>(keys)};
                simt::DeviceArray<TypeParam> out(in_place ? 0 : n);
                auto& sorted = in_place ? in : out;
                sort.enqueue(in.data(), sorted.data(), n);
                sorted.copy_to(got);
                std::ranges::sort(keys, comes_before<TypeParam>);
                for (std::size_t i = 0; i < n; ++i)
                    ASSERT_EQ(std::bit_cast<KeyBits<sizeof(TypeParam)>>(got[i]),
                              std::bit_cast<KeyBits<sizeof(TypeParam)>>(keys[i]))
                        << "key " << i;
            }
        }
}

/// The first digit, or others, are the same in all keys: one to four passes.
TEST(OnesweepKeysOfFewDigits, AreSorted) {
    const std::size_t n = at_most(5'000);
    onesweep::Sort<unsigned> sort(n, {}, {}, kNoneFew);
    for (const unsigned mask : {0xffu, 0xff00u, 0xffffu, 0xff00ffu, 0xffff00u, 0xffffffu,
                                0xffffff00u, 0xff0000ffu, 0xff00ffffu})
        for (const bool in_place : {false, true}) {
            SCOPED_TRACE(testing::Message() << "bits " << mask << (in_place ? ", in place" : ""));
            std::vector<unsigned> keys = make_keys<unsigned>(kPatterns<unsigned>[0], n, mask);
            std::vector<unsigned> got(n);
            for (unsigned& key : keys) key = (key & mask) | (0x55555555u & ~mask);
            simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)};
            simt::DeviceArray<unsigned> out(in_place ? 0 : n);
            auto& sorted = in_place ? in : out;
            sort.enqueue(in.data(), sorted.data(), n);
            sorted.copy_to(got);
            std::ranges::sort(keys);
            EXPECT_EQ(got, keys);
        }
}

}  // namespace
}  // namespace stream_compaction
