// What of a key a sort compares, and which way round; and the places that keys had.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"
#include "tests/stream_compaction/onesweep_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr onesweep::Limits kFewKeys[] = {{}, {.ranked = 1'000}, {.clustered = 100'000}};

/// How many keys there are below this one, counted from the middle of all.
template <class Key>
KeyBits<sizeof(Key)> place_among_all(Key key) {
    using Bits = KeyBits<sizeof(Key)>;
    constexpr Bits kMiddle = Bits{1} << (8 * sizeof(Key) - 1);
    const Bits bits = std::bit_cast<Bits>(key);
    if (std::is_unsigned_v<Key>) return bits;
    if (std::is_integral_v<Key> || bits < kMiddle) return kMiddle + bits;
    return kMiddle - 1 - (bits - kMiddle);
}

/// Whether a key must come before another, told from their places among all keys.
template <class Key>
auto comparison(const SortOptions& options) {
    return [options](Key a, Key b) {
        const auto compared = [&](Key key) {
            auto place = place_among_all(key);
            constexpr unsigned kBits = 8 * sizeof(Key);
            for (unsigned bit = options.end_bit == 0 ? kBits : options.end_bit; bit < kBits; ++bit)
                place &= ~(decltype(place){1} << bit);
            return place >> options.begin_bit;
        };
        return options.descending ? compared(b) < compared(a) : compared(a) < compared(b);
    };
}

template <class Key>
std::vector<std::size_t> stable_order(const std::vector<Key>& keys, const SortOptions& options) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto comes_first = comparison<Key>(options);
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return comes_first(keys[a], keys[b]); });
    return order;
}

template <class Key>
void expect_order(const std::vector<Key>& got, const std::vector<Key>& keys,
                  const std::vector<std::size_t>& order) {
    using Bits = KeyBits<sizeof(Key)>;
    for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(keys[order[i]])) << "key " << i;
}

/// @param sort of as many keys
template <class Key, class Sort>
void expect_sorted(Sort sort, const std::vector<Key>& keys, const SortOptions& options) {
    simt::DeviceArray<Key> in{std::span<const Key>(keys)}, out(keys.size());
    std::vector<Key> got(keys.size());
    sort.enqueue(in.data(), out.data(), keys.size());
    out.copy_to(got);
    const std::vector<std::size_t> order = stable_order(keys, options);
    expect_order(got, keys, order);
    sort.enqueue(in.data(), in.data(), keys.size());
    in.copy_to(got);
    expect_order(got, keys, order);
}

/// Keys and their places, which the sort makes up.
template <class Key, class Place>
void expect_places(onesweep::SortPairs<Key, Place> sort, const std::vector<Key>& keys,
                   const SortOptions& options) {
    const std::size_t n = keys.size();
    const std::vector<std::size_t> order = stable_order(keys, options);
    for (const bool in_place : {false, true}) {
        SCOPED_TRACE(in_place ? "in place" : "not in place");
        simt::DeviceArray<Key> in{std::span<const Key>(keys)}, out(n);
        simt::DeviceArray<Place> places(n);
        simt::DeviceArray<Key>& to = in_place ? in : out;
        sort.enqueue(in.data(), to.data(), places.data(), n);
        std::vector<Key> got(n);
        std::vector<Place> got_places(n);
        to.copy_to(got);
        places.copy_to(got_places);
        expect_order(got, keys, order);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got_places[i], order[i]) << "place " << i;
    }
}

/// Any keys; few ones, with one digit that differs, and none; both sides of zero.
template <class Key>
std::vector<std::vector<Key>> key_sets(std::size_t n) {
    const auto& patterns = kPatterns<KeyBits<sizeof(Key)>>;
    std::vector<std::vector<Key>> sets;
    for (const int i : {0, 1, 2, 4}) sets.push_back(make_keys<Key>(patterns[i], n, n));
    return sets;
}

template <class Key>
class SortOptionsOf : public testing::Test {
  protected:
    static std::vector<std::size_t> sizes() { return without_too_large({1, 33, 700, 9'000}); }
};
using Keys = testing::Types<int, unsigned, float, std::int64_t, std::uint64_t, double>;
TYPED_TEST_SUITE(SortOptionsOf, Keys);

TYPED_TEST(SortOptionsOf, CanBeDescending) {
    const SortOptions options{.descending = true};
    for (const std::size_t n : this->sizes())
        for (const auto& keys : key_sets<TypeParam>(n)) {
            SCOPED_TRACE(n);
            using Hybrid = hybrid_radix::Sort<TypeParam>;
            expect_sorted(Hybrid(n, {}, options), keys, options);
            expect_sorted(Hybrid(n, {}, options, {0, 64}), keys, options);
            for (const onesweep::Limits& limits : kFewKeys) {
                expect_sorted(onesweep::Sort<TypeParam>(n, {}, options, limits), keys, options);
                expect_places(onesweep::SortPairs<TypeParam, unsigned>(n, options, limits), keys,
                              options);
            }
        }
}

/// Bits of one digit, of parts of two, of all but the lowest or the highest.
TYPED_TEST(SortOptionsOf, CanNameSomeBits) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    for (const auto& [begin, end] : {std::pair{0u, 1u},
                                     {3u, 7u},
                                     {5u, 19u},
                                     {0u, 16u},
                                     {1u, 0u},
                                     {kBits - 1, kBits},
                                     {0u, kBits - 1}})
        for (const bool is_descending : {false, true}) {
            const SortOptions options{
                .descending = is_descending, .begin_bit = begin, .end_bit = end};
            for (const std::size_t n : this->sizes()) {
                SCOPED_TRACE(testing::Message() << n << " keys, bits from " << begin << " to "
                                                << end << (is_descending ? ", descending" : ""));
                const auto keys =
                    make_keys<TypeParam>(kPatterns<KeyBits<sizeof(TypeParam)>>[0], n, n);
                for (const std::size_t clustered : {std::size_t{0}, n}) {
                    const onesweep::Limits limits{.clustered = clustered};
                    expect_sorted(onesweep::Sort<TypeParam>(n, {}, options, limits), keys, options);
                    expect_places(onesweep::SortPairs<TypeParam, std::uint64_t>(n, options, limits),
                                  keys, options);
                }
                if (testing::Test::HasFatalFailure()) return;
            }
        }
}

/// Keys that differ, but in no bit that is compared, stay where they are.
TYPED_TEST(SortOptionsOf, CanNameBitsThatAreTheSame) {
    using Bits = KeyBits<sizeof(TypeParam)>;
    const SortOptions options{.begin_bit = 8, .end_bit = 24};
    for (const std::size_t n : this->sizes()) {
        SCOPED_TRACE(n);
        std::mt19937 random(n);
        std::vector<TypeParam> keys(n);
        for (TypeParam& key : keys)
            key = std::bit_cast<TypeParam>(static_cast<Bits>(random() % 200));
        for (const std::size_t clustered : {std::size_t{0}, n}) {
            const onesweep::Limits limits{.clustered = clustered};
            expect_sorted(onesweep::Sort<TypeParam>(n, {}, options, limits), keys, options);
            expect_places(onesweep::SortPairs<TypeParam, unsigned>(n, options, limits), keys,
                          options);
        }
    }
}

/// Blocks have one tile, or several. Keys that are equal in these bits keep their order.
TEST(SortOptionsOfManyKeys, CanNameSomeBits) {
    const SortOptions options{.begin_bit = 5, .end_bit = 23};
    for (const std::size_t n : without_too_large({keys_of_threads(11), keys_of_threads(50)}))
        for (const int pattern : {0, 2}) {
            SCOPED_TRACE(testing::Message() << kPatterns<unsigned>[pattern].name << ", " << n);
            const auto keys = make_keys<int>(kPatterns<unsigned>[pattern], n, n);
            expect_sorted(onesweep::Sort<int>(n, {}, options, {}), keys, options);
        }
}

TYPED_TEST(SortOptionsOf, CanHaveNoBitsThatThereAreNot) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    using Sort = onesweep::Sort<TypeParam>;
    using Pairs = onesweep::SortPairs<TypeParam, unsigned>;
    for (const auto& [begin, end] :
         {std::pair{3u, 3u}, {4u, 3u}, {kBits, 0u}, {0u, kBits + 1}, {kBits, kBits}, {~0u, 0u}}) {
        const SortOptions options{.begin_bit = begin, .end_bit = end};
        EXPECT_THROW(Sort(10, {}, options), std::invalid_argument) << begin << " to " << end;
        EXPECT_THROW(Pairs(10, options), std::invalid_argument) << begin << " to " << end;
    }
    using Hybrid = hybrid_radix::Sort<TypeParam>;
    EXPECT_THROW(Hybrid(10, {}, {.begin_bit = 1}), std::invalid_argument);
    EXPECT_THROW(Hybrid(10, {}, {.end_bit = kBits - 1}), std::invalid_argument);
    EXPECT_NO_THROW(Hybrid(10, {}, {.end_bit = kBits}));
}

TYPED_TEST(SortOptionsOf, ArePlacesWithoutValues) {
    for (const std::size_t n : this->sizes())
        for (const auto& keys : key_sets<TypeParam>(n)) {
            SCOPED_TRACE(n);
            for (const onesweep::Limits& limits : kFewKeys) {
                expect_places(onesweep::SortPairs<TypeParam, unsigned>(n, {}, limits), keys, {});
                expect_places(onesweep::SortPairs<TypeParam, std::uint64_t>(n, {}, limits), keys,
                              {});
            }
        }
}

TEST(PlacesOfKeys, MustFitIntoTheirType) {
    constexpr std::size_t kMany = (std::size_t{1} << 32) + 1;
    // No plan that small serves so many keys: it is the values that are refused first.
    onesweep::SortPairs<int, unsigned> sort(10);
    try {
        sort.enqueue(nullptr, nullptr, static_cast<unsigned*>(nullptr), kMany);
        FAIL() << "it was not refused";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "4294967297 places do not fit into values of 32 bits");
    }
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, static_cast<unsigned*>(nullptr), 11),
                 std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction
