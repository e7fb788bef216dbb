// hybrid_radix's stable sorts of pairs: keys in order, and equal ones in the order of the input, on
// each way that they go. Limits are small here, so that few pairs are many, and fill buckets.
#include "simt/memory.h"
#include "simt/stream.h"
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
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

using hybrid_radix::StableLimits;

/// Keys that are evenly spread over a range: each number of it but for the last bits at most once,
/// in an order that looks random. Where the range is a power of two, all classes have as many.
struct Even {
    const char* name;
    std::uint64_t range;
    unsigned base;
    unsigned copies;  ///< of each number

    std::vector<unsigned> make(std::size_t n) const {
        std::vector<unsigned> keys(n);
        const std::size_t numbers = (n + copies - 1) / copies;
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = base + static_cast<unsigned>(range * (i % numbers) / numbers);
        std::ranges::shuffle(keys, std::mt19937(n));
        return keys;
    }
};
constexpr Even kEven[] = {{"all numbers", 1ull << 32, 0, 1},
                          {"half of them, from the middle", 1ull << 31, 1u << 30, 1},
                          {"a part of a power of two", 1'500'000'000, 77, 1},
                          {"around zero", 1 << 20, 0u - (1 << 19), 1},
                          {"each twice", 1ull << 32, 0, 2},
                          {"each five times", 3'000'000'000, 12, 5}};

std::vector<unsigned> any_values(std::size_t n) {
    std::vector<unsigned> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = 0x9e3779b9u * static_cast<unsigned>(i + 1);
    return values;
}

template <class Pair>
class HybridRadixStablePairs : public testing::Test {
  public:
    using Key = typename Pair::first_type;
    using Value = typename Pair::second_type;
    using Sort = hybrid_radix::StableSortPairs<Key, Value>;

    static Key key_of(unsigned bits) { return std::bit_cast<Key>(bits); }

    /// @param offset of sort_guarded
    static void expect_sorted(Sort& sort, const std::vector<unsigned>& keys, InPlace in_place,
                              bool is_descending = false, std::size_t offset = 0) {
        const std::size_t n = keys.size();
        const std::vector<unsigned> values = any_values(n);
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            const Key x = key_of(keys[a]), y = key_of(keys[b]);
            return is_descending ? comes_before(y, x) : comes_before(x, y);
        });
        const auto [got_keys, got_values] =
            sort_guarded<Key, Value>(sort, {keys, values}, in_place, offset);
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(got_keys[i], keys[order[i]]) << "key " << i;
            ASSERT_EQ(got_values[i], values[order[i]]) << "value " << i;
        }
    }

    static StableLimits legal(StableLimits limits) {
        limits.bucket = std::min(limits.bucket, Sort::default_limits().bucket);
        return limits;
    }
};
using Pairs = testing::Types<std::pair<int, unsigned>, std::pair<unsigned, float>,
                             std::pair<float, std::int32_t>>;
TYPED_TEST_SUITE(HybridRadixStablePairs, Pairs);

/// One pass and two, of few blocks and of more than there are at once.
TYPED_TEST(HybridRadixStablePairs, AreSortedByTheirHighestBitsAndInBlocks) {
    for (const auto& [n, bucket] : {std::pair<std::size_t, std::size_t>{3000, 32},
                                    {5000, 5632},
                                    {20'000, 64},
                                    {20'000, 600},
                                    {70'000, 3000},
                                    {70'000, 100}})
        for (const Even& even : kEven) {
            if (n > at_most(n)) continue;
            SCOPED_TRACE(testing::Message() << even.name << ", n = " << n << ", bucket " << bucket);
            typename TestFixture::Sort sort(n, {}, this->legal({0, bucket}));
            this->expect_sorted(sort, even.make(n), kInPlace[0], false, n % 3);
            if (testing::Test::HasFatalFailure()) return;
        }
}

TYPED_TEST(HybridRadixStablePairs, AreSortedInPlace) {
    for (const std::size_t n : without_too_large({5000})) {
        typename TestFixture::Sort sort(n, {}, this->legal({0, 100}));
        for (const InPlace in_place : kInPlace)
            this->expect_sorted(sort, kEven[0].make(n), in_place);
    }
}

/// Whatever the keys are, and whether they are sorted in place.
TYPED_TEST(HybridRadixStablePairs, OfAllPatternsAreSorted) {
    for (const std::size_t n : without_too_large({1, 2, 31, 700, 12'001}))
        for (const std::size_t bucket : {8, 200, 5632}) {
            typename TestFixture::Sort sort(n, {}, this->legal({0, bucket}));
            std::size_t turn = n;
            for (const Pattern<unsigned>& pattern : all_or_some(kPatterns<unsigned>)) {
                const InPlace in_place = kInPlace[turn++ % std::size(kInPlace)];
                SCOPED_TRACE(testing::Message()
                             << pattern.name << ", n = " << n << ", bucket " << bucket
                             << (in_place.keys ? ", keys in place" : "")
                             << (in_place.values ? ", values in place" : ""));
                this->expect_sorted(sort, make_keys<unsigned>(pattern, n, n), in_place);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
}

TYPED_TEST(HybridRadixStablePairs, ThatAreFewAreSortedByOnesweep) {
    for (const std::size_t n : without_too_large({1, 700, 9'000})) {
        typename TestFixture::Sort sort(n, {}, this->legal({n, 100}));
        for (const InPlace in_place : kInPlace)
            this->expect_sorted(sort, kEven[4].make(n), in_place);
    }
}

/// The largest class is as much as a block sorts, or a pair more, which takes all passes.
TYPED_TEST(HybridRadixStablePairs, MayFillABlock) {
    const std::size_t bucket = TestFixture::Sort::default_limits().bucket, n = 5 * bucket;
    if (n > at_most(n)) return;
    typename TestFixture::Sort sort(n, {}, {0, bucket});
    for (const std::size_t largest : {bucket, bucket + 1}) {
        SCOPED_TRACE(testing::Message() << "a class of " << largest);
        std::vector<unsigned> keys(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t of_others = i % 255;
            const std::size_t high = i < largest       ? 100
                                     : of_others < 100 ? of_others
                                                       : of_others + 1;
            // Numbers: the highest bit of a key with a sign is the other one.
            const auto number = static_cast<unsigned>(high << 24 | (i * 7919 & 0xffffff));
            keys[i] = number ^ (std::is_signed_v<typename TestFixture::Key> ? 1u << 31 : 0);
        }
        std::ranges::shuffle(keys, std::mt19937(7));
        this->expect_sorted(sort, keys, kInPlace[0]);
    }
}

/// Of a range across a power of two, the first classes and the last ones have no keys.
TYPED_TEST(HybridRadixStablePairs, MayHaveNoKeysInMostClasses) {
    for (const std::size_t n : without_too_large({900, 20'000})) {
        typename TestFixture::Sort sort(n, {}, this->legal({0, 50}));
        for (const std::uint64_t range : {1ull << 30, 1ull << 31})
            for (const unsigned below : {1u << 26, 1u << 29}) {
                SCOPED_TRACE(testing::Message() << range << " numbers, " << below << " below");
                this->expect_sorted(sort, Even{"", range, 0u - below, 1}.make(n), kInPlace[0]);
                if (testing::Test::HasFatalFailure()) return;
            }
    }
}

/// Samples show neither of them.
TYPED_TEST(HybridRadixStablePairs, MayHaveOneKeyFarFromAllOthersOrOneThatRepeats) {
    for (const std::size_t n : without_too_large({30'000})) {
        typename TestFixture::Sort sort(n, {}, this->legal({0, 400}));
        std::vector<unsigned> keys = Even{"", 1 << 24, 1u << 30, 1}.make(n);
        for (const unsigned far : {0u, ~0u}) {
            keys[n / 2 + 3] = far;
            this->expect_sorted(sort, keys, kInPlace[0]);
            this->expect_sorted(sort, kEven[0].make(n), kInPlace[0]);  // the counts are forgotten
        }
        for (std::size_t i = 0; i < n; i += 60) keys[i] = (1u << 30) + 5;
        this->expect_sorted(sort, keys, kInPlace[0]);
    }
}

TYPED_TEST(HybridRadixStablePairs, TakeAnySizeUpToTheirPlans) {
    const std::size_t largest = at_most(9000);
    typename TestFixture::Sort sort(largest, {}, {100, 200});
    std::mt19937 random(5);
    for (int round = 0; round < rounds(30); ++round) {
        const std::size_t n = 1 + random() % largest;
        const auto& pattern = kPatterns<unsigned>[random() % std::size(kPatterns<unsigned>)];
        SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n);
        this->expect_sorted(sort,
                            round % 2 == 0 ? kEven[round / 2 % std::size(kEven)].make(n)
                                           : make_keys<unsigned>(pattern, n, n),
                            kInPlace[round % 4], false, round % 5);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(HybridRadixStablePairs, CanBeDescending) {
    for (const std::size_t n : without_too_large({33, 9'000})) {
        typename TestFixture::Sort sort(n, {.descending = true}, this->legal({0, 150}));
        for (const Even& even : kEven) this->expect_sorted(sort, even.make(n), kInPlace[0], true);
    }
}

/// Keys and their places, which the sort makes up.
TYPED_TEST(HybridRadixStablePairs, AreKeysAndPlacesWithoutValues) {
    using Key = typename TestFixture::Key;
    for (const std::size_t n : without_too_large({33, 9'000}))
        for (const Even& even : kEven) {
            SCOPED_TRACE(testing::Message() << even.name << ", n = " << n);
            hybrid_radix::StableSortPairs<Key, unsigned> sort(n, {}, this->legal({0, 150}));
            const std::vector<unsigned> bits = even.make(n);
            std::vector<Key> keys(n), got(n);
            std::ranges::transform(bits, keys.begin(), this->key_of);
            std::vector<unsigned> order(n), places(n);
            std::iota(order.begin(), order.end(), 0u);
            std::ranges::stable_sort(
                order, [&](unsigned a, unsigned b) { return comes_before(keys[a], keys[b]); });
            const simt::DeviceArray<Key> in{std::span<const Key>(keys)};
            simt::DeviceArray<Key> out(n);
            simt::DeviceArray<unsigned> places_out(n);
            sort.enqueue(in.data(), out.data(), places_out.data(), n);
            out.copy_to(got);
            places_out.copy_to(places);
            ASSERT_EQ(places, order);
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_EQ(std::bit_cast<unsigned>(got[i]), bits[order[i]]) << "key " << i;
        }
}

/// Counters of the highest bits are halves of words, or bytes, where there are so many of these: of
/// keys around zero, two more than others have.
TEST(HybridRadixStablePairsOfManyClasses, AreCountedInSmallCounters) {
    using Test = HybridRadixStablePairs<std::pair<int, unsigned>>;
    const Even around_zero{"", 1u << 30, 0u - (1u << 29), 1};
    for (const std::size_t n : without_too_large({30'000, 60'000})) {
        hybrid_radix::StableSortPairs<int, unsigned> sort(n, {}, {0, 8});
        std::vector<unsigned> keys = around_zero.make(n);
        // A byte counts none of so many that one block sees.
        for (std::size_t i = 0; i < 256; ++i) keys[n / 3 + i] = 12345;
        Test::expect_sorted(sort, keys, kInPlace[0]);
        Test::expect_sorted(sort, around_zero.make(n), kInPlace[0]);
    }
}

/// What one call leaves behind is what the next one needs, also where they go different ways.
TEST(HybridRadixStablePairsPlans, CanBeCapturedAndReplayed) {
    const std::size_t n = at_most(20'000);
    hybrid_radix::StableSortPairs<int, int> sort(n, {}, {0, 300});
    simt::DeviceArray<int> in(n), out(n), values_out(n);
    const simt::Graph graph([&](simt::stream_t stream) {
        sort.enqueue(in.data(), out.data(), in.data(), values_out.data(), n, stream);
    });
    const simt::Stream stream;
    for (int replay = 0; replay < 6; ++replay) {
        const std::vector<unsigned> bits = replay % 3 < 2
                                               ? kEven[replay % 3].make(n)
                                               : make_keys<unsigned>(kPatterns<unsigned>[7], n, 3);
        std::vector<int> expected(bits.begin(), bits.end()), got(n);
        in.copy_from(expected);
        graph.launch(stream.get());
        stream.synchronize();
        std::ranges::sort(expected);
        out.copy_to(got);
        EXPECT_EQ(got, expected) << "replay " << replay;
        values_out.copy_to(got);
        EXPECT_EQ(got, expected) << "replay " << replay;
    }
}

/// The memory of few, and of many, which take turns.
TEST(HybridRadixStablePairsPlans, CanLiveInGivenMemory) {
    using Test = HybridRadixStablePairs<std::pair<unsigned, unsigned>>;
    // So many that onesweep needs what it had in its memory after the last call.
    const std::size_t n = at_most(150'000), few = n - n / 10;
    const StableLimits limits{few, 1000};
    const std::size_t bytes = hybrid_radix::StablePairsSort::workspace_bytes(n, limits);
    simt::DeviceArray<std::byte> memory(bytes);
    const std::span<std::byte> all(memory.data(), bytes);
    using Sort = hybrid_radix::StableSortPairs<unsigned, unsigned>;
    EXPECT_THROW(Sort(n, {.memory = all.first(bytes - 1)}, limits), std::invalid_argument);
    Sort sort(n, {.memory = all}, limits);
    for (int round = 0; round < 2; ++round)
        for (const std::size_t size : {few, n})
            Test::expect_sorted(sort, kEven[0].make(size), kInPlace[0]);
}

TEST(HybridRadixStablePairsLimits, AreThoseOfABlock) {
    using Sort = hybrid_radix::StableSortPairs<int, unsigned>;
    const StableLimits most = Sort::default_limits();
    EXPECT_THROW(Sort(10, {}, {0, most.bucket + 1}), std::invalid_argument);
    EXPECT_THROW(Sort(10, {}, {0, 1}), std::invalid_argument);
    EXPECT_NO_THROW(Sort(10, {}, {0, 2}));
}

TEST(HybridRadixStablePairsWorkspace, IsAnArrayOfPairsAndLittleMore) {
    using Sort = hybrid_radix::StableSortPairs<int, unsigned>;
    std::size_t last = 0;
    for (const int power : {14, 20, 21, 22, 24, 28, 31}) {
        const std::size_t n = std::size_t{1} << power, pairs = 8 * n;
        const std::size_t bytes = Sort::workspace_bytes(n);
        EXPECT_GE(bytes, std::max(pairs, last));
        EXPECT_LE(bytes, pairs + 28'000'000);
        last = bytes;
    }
}

}  // namespace
}  // namespace stream_compaction
