// hybrid_radix partitions, splits what is too large for a block again, counts, or sorts in a block,
// as the keys ask for. Its limits are small here, so that a few thousand keys take all of these
// ways; and all types of keys do.
#include "stream_compaction/hybrid_radix.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stream_compaction {
namespace {

using hybrid_radix::Limits;
using hybrid_radix::UnevenWay;

/// Keys that are sorted by splitters, whatever they are.
Limits by_splitters(Limits limits) {
    limits.uneven_way = UnevenWay::splitters;
    return limits;
}
Limits by_passes(Limits limits) {
    limits.uneven_way = UnevenWay::passes;
    return limits;
}

/// Partitioned as often as it takes, not from registers.
constexpr Limits kOnGrid{.one_block = 0, .bucket = 200, .one_partition = 0};

template <class Key>
class HybridRadix : public testing::Test {
  protected:
    using Bits = KeyBits<sizeof(Key)>;

    static void expect_sorted(hybrid_radix::Sort<Key>& sort, std::vector<Key> keys, bool in_place) {
        simt::DeviceArray<Key> in{std::span<const Key>(keys)};
        simt::DeviceArray<Key> out(in_place ? 0 : keys.size());
        simt::DeviceArray<Key>& result = in_place ? in : out;
        sort.enqueue(in.data(), result.data(), keys.size());
        std::vector<Key> got(keys.size());
        result.copy_to(got);
        std::ranges::stable_sort(keys, comes_before<Key>);
        for (std::size_t i = 0; i < keys.size(); ++i)
            ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(keys[i])) << "key " << i;
    }

    static void expect_sorted(std::size_t n, Limits limits) {
        const Limits most = hybrid_radix::Sort<Key>::default_limits();
        if (limits.one_block > most.one_block) return;  // more than a block of this device sorts
        limits.bucket = std::min(limits.bucket, most.bucket);
        hybrid_radix::Sort<Key> sort(n, {}, {}, limits);
        bool in_place = n % 2 == 0;  // every second pattern, and for odd sizes the others
        for (const Pattern<Bits>& pattern : all_or_some(kPatterns<Bits>)) {
            SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n << ", buckets of "
                                            << limits.bucket << (in_place ? ", in place" : ""));
            expect_sorted(sort, make_keys<Key>(pattern, n, n), in_place);
            if (testing::Test::HasFatalFailure()) return;
            in_place = !in_place;
        }
    }
};
using Keys = testing::Types<int, unsigned, float, std::int64_t, unsigned long long, double>;
TYPED_TEST_SUITE(HybridRadix, Keys);

TYPED_TEST(HybridRadix, SortsInOneBlock) {
    for (const std::size_t n : without_too_large({1, 2, 31, 500, 3000}))
        this->expect_sorted(n, {n, std::max<std::size_t>(n, 2)});
}

TYPED_TEST(HybridRadix, RanksFewKeys) {
    Limits limits = hybrid_radix::Sort<TypeParam>::default_limits();
    EXPECT_GT(limits.ranked, 0u);
    for (const std::size_t n : without_too_large({1, 31, 33, 500, 701})) {
        limits.ranked = n;
        this->expect_sorted(n, limits);
    }
}

/// Uneven keys by a cluster of blocks, where the device has clusters; others by buckets, of which
/// some have too many keys.
TYPED_TEST(HybridRadix, SortsUnevenKeysInACluster) {
    for (const std::size_t n : without_too_large({300, 3001, 9000}))
        this->expect_sorted(n, {.one_block = 0, .bucket = 200, .clustered = n});
}

class HybridRadixOfInts : public HybridRadix<int> {};

/// What the cluster is told, and what it waits for, in orders that a GPU seldom has.
TEST_F(HybridRadixOfInts, AreSortedBesideAClusterUnderEverySchedule) {
    constexpr std::size_t kKeys = 3001;
    constexpr Limits kLimits{.one_block = 0, .bucket = 200, .clustered = kKeys};
    simt::test::under_every_schedule([&] {
        hybrid_radix::Sort<int> sort(kKeys, {}, {}, kLimits);
        for (const int i : {0, 2, 7, 11, 14}) {
            SCOPED_TRACE(kPatterns<unsigned>[i].name);
            expect_sorted(sort, make_keys<int>(kPatterns<unsigned>[i], kKeys, 1), true);
        }
    });
}

TYPED_TEST(HybridRadix, RefusesLimitsBeyondABlock) {
    using Sort = hybrid_radix::Sort<TypeParam>;
    const Limits most = hybrid_radix::BitsSort<typename TestFixture::Bits>::default_limits();
    for (const std::size_t n : {0, 1, 1000}) {
        EXPECT_NO_THROW(Sort(n, {}, {}, {most.one_block, most.bucket}));
        EXPECT_NO_THROW(Sort(n, {}, {}, {0, 2}));
        for (const Limits& limits : {Limits{0, 0},
                                     {0, 1},
                                     {1 << 20, 1 << 20},
                                     {most.one_block + 1, most.bucket},
                                     {most.one_block, most.bucket + 1}}) {
            SCOPED_TRACE(testing::Message() << limits.one_block << ", " << limits.bucket);
            EXPECT_THROW(Sort(n, {}, {}, limits), std::invalid_argument);
        }
    }
}

TYPED_TEST(HybridRadix, SplitsBucketsAgainAndAgain) {
    for (const std::size_t n : without_too_large({300, 513, 3001}))
        this->expect_sorted(n,
                            by_splitters({0, n == 513 ? std::size_t{500} : std::size_t{64}, 1, 0}));
    for (const std::size_t n : without_too_large({1100}))
        this->expect_sorted(n, by_splitters({0, 20, 1, 0}));
    if constexpr (std::is_same_v<TypeParam, int>)  // many levels: slow, so for one type
        for (const std::size_t n : without_too_large({300}))
            this->expect_sorted(n, by_splitters({0, 2, 1, 0}));
}

// Many buckets of few keys: in each level, a key of each segment has another digit than the others.
TEST(HybridRadixLists, HaveRoomForABucketInEveryLevel) {
    constexpr std::size_t kBucket = 100;
    constexpr int kBits = 64, kPrefixBits = 12;
    constexpr std::size_t kOfGroup = kBucket + 1 + kBits - kPrefixBits;
    // As many groups as there are prefixes, where a GPU makes that quick.
    const std::size_t most = simt::kBackend == simt::Backend::cuda ? 600'000 : 60'000;
    for (const std::size_t n : without_too_large({most})) {
        std::vector<std::uint64_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t group = i / kOfGroup, of_group = i % kOfGroup;
            const std::uint64_t prefix = (group + 1) << (kBits - kPrefixBits);
            keys[i] = of_group < kBits - kPrefixBits ? prefix | 1ull << of_group : prefix;
        }
        std::ranges::shuffle(keys, std::mt19937(1));
        simt::DeviceArray<std::uint64_t> array{std::span<const std::uint64_t>(keys)};
        hybrid_radix::Sort<std::uint64_t> sort(n, {}, {}, by_splitters({0, kBucket, 1, 0}));
        sort.enqueue(array.data(), array.data(), n);
        std::vector<std::uint64_t> sorted(n);
        array.copy_to(sorted);
        std::ranges::sort(keys);
        EXPECT_EQ(sorted, keys);
    }
}

// One digit of 10 bits, and two of 6 that are counted at once; a first digit with the largest
// bucket.
TYPED_TEST(HybridRadix, PartitionsByOneLargeDigitOrByTwo) {
    using Bits = typename TestFixture::Bits;
    constexpr Bits kHighest = static_cast<Bits>(~Bits{0}) << (8 * sizeof(Bits) - 6);
    for (const std::size_t n : without_too_large({12'001}))
        for (const std::size_t bucket : {20, 8}) {
            SCOPED_TRACE(bucket);
            std::vector<TypeParam> keys = make_keys<TypeParam>(kPatterns<Bits>[0], n, n);
            for (std::size_t i = 0; i < n; ++i) {
                const Bits key = std::bit_cast<Bits>(keys[i]);
                const bool is_highest = (key & kHighest) == kHighest;
                keys[i] = std::bit_cast<TypeParam>(i < bucket   ? key | kHighest
                                                   : is_highest ? key ^ kHighest
                                                                : key);
            }
            hybrid_radix::Sort<TypeParam> sort(n, {}, {}, {0, bucket, 1, 0});
            this->expect_sorted(sort, keys, false);
        }
}

TYPED_TEST(HybridRadix, DividesUnevenKeysBySplitters) {
    for (const std::size_t n : without_too_large({300, 12'001}))
        this->expect_sorted(n, by_splitters({0, 64, 4, 0}));
    for (const std::size_t n : without_too_large({3001}))
        this->expect_sorted(n, by_splitters({0, 64}));
}

TYPED_TEST(HybridRadix, SortsUnevenKeysByPasses) {
    for (const std::size_t n : without_too_large({300, 9'001}))  // one tile, and several
        this->expect_sorted(n, by_passes({0, 64, 4, 0}));
    for (const std::size_t n : without_too_large({9'000}))
        this->expect_sorted(n, by_passes({0, 64}));
}

// With buckets that some keys fit into, or all.
TYPED_TEST(HybridRadix, PartitionsOnceFromRegisters) {
    for (const std::size_t n : without_too_large({300, 3001})) this->expect_sorted(n, {0, 64});
    for (const std::size_t n : without_too_large({513, 3001})) this->expect_sorted(n, {0, 500});
    for (const std::size_t n : without_too_large({12'001})) this->expect_sorted(n, {0, 5000});
}

TYPED_TEST(HybridRadix, DividesBySplittersWhereACounterIsTooSmall) {
    using Bits = typename TestFixture::Bits;
    for (const std::size_t n : without_too_large({400'000}))
        for (const std::size_t bucket : {32, 16}) {
            SCOPED_TRACE(bucket);
            hybrid_radix::Sort<TypeParam> sort(n, {}, {}, by_splitters({0, bucket, 1, 0}));
            std::vector<TypeParam> keys = make_keys<TypeParam>(kPatterns<Bits>[0], n, n);
            for (std::size_t i = 0; i < n; ++i)
                if (i % 50 != 0)
                    keys[i] = std::bit_cast<TypeParam>(static_cast<Bits>(~Bits{0} / 3 + i % 64));
            this->expect_sorted(sort, keys, false);
        }
}

// Most keys lie between two samples: a class that is more than a bucket. Samples that are even say
// so after a count, others at once. In small buckets, keys of 32 bits are left to passes then.
TYPED_TEST(HybridRadix, DrawsMoreSplittersWhereTheSamplesMissWhatThereIs) {
    using Bits = typename TestFixture::Bits;
    constexpr std::size_t kSamples = 512, kApart = 5;
    constexpr int kHighest = 8 * sizeof(Bits) - 12;
    for (const std::size_t n : without_too_large({kSamples * kApart + 441}))
        for (const std::size_t bucket : {500, 64})
            for (const bool are_even : {true, false}) {
                SCOPED_TRACE(testing::Message() << "buckets of " << bucket << ", " << are_even);
                hybrid_radix::Sort<TypeParam> sort(n, {}, {}, {0, bucket});
                std::vector<TypeParam> keys(n);
                std::mt19937 random(11);
                for (std::size_t i = 0; i < n; ++i) {
                    const unsigned r = static_cast<unsigned>(random());
                    const bool is_sample = i % kApart == 0 && i / kApart < kSamples;
                    const unsigned high = are_even ? r : r & r * 0x9e3779b1u & r * 0x85ebca6bu;
                    const Bits number = is_sample ? static_cast<Bits>(high % 4096) << kHighest
                                                  : (Bits{1} << kHighest) / 3 + r % 4096;
                    keys[i] = std::bit_cast<TypeParam>(number);
                }
                for (int round = 0; round < 3; ++round) this->expect_sorted(sort, keys, round == 1);
            }
}

// Wherever the values lie, and also 0 and the largest. The samples miss some of 150 values, and
// many of 300, which all blocks together put in order.
TYPED_TEST(HybridRadix, CountsFewDifferentValues) {
    using Bits = typename TestFixture::Bits;
    for (const std::size_t n : without_too_large({700, 9'001, 65'536, 500'001}))
        for (const std::size_t values : {2, 3, 60, 150, 300}) {
            if (n > 65'536 && values < 300) continue;
            SCOPED_TRACE(testing::Message() << values << " values of " << n);
            std::mt19937_64 random(values);
            std::vector<Bits> value(values);
            for (Bits& v : value) v = static_cast<Bits>(random());
            value[0] = 0, value[1] = ~Bits{0};
            hybrid_radix::Sort<TypeParam> sort(n, {}, {}, kOnGrid);
            std::vector<TypeParam> keys(n);
            for (int round = 0; round < 3; ++round) {
                for (TypeParam& key : keys)
                    key = std::bit_cast<TypeParam>(value[random() % values]);
                this->expect_sorted(sort, keys, round == 1);
            }
        }
}

// The samples show a few values. There are more than a block has room for; then there are few.
TYPED_TEST(HybridRadix, GoesAnotherWayWhereThereAreTooManyValues) {
    using Bits = typename TestFixture::Bits;
    for (const std::size_t n : without_too_large({300'000}))
        for (const bool are_sorted : {false, true}) {
            hybrid_radix::Sort<TypeParam> sort(n, {}, {}, kOnGrid);
            std::vector<TypeParam> keys(n);
            for (const unsigned rare : {22u, 0u, 22u}) {  // of a thousand keys
                std::mt19937_64 random(rare);
                for (TypeParam& key : keys)
                    key = std::bit_cast<TypeParam>(static_cast<Bits>(
                        random() % 1000 < rare ? random() : random() % 8 * 0x1234567));
                if (are_sorted) std::ranges::sort(keys, comes_before<TypeParam>);
                this->expect_sorted(sort, keys, false);
            }
        }
}

TYPED_TEST(HybridRadix, TakesAnySizeUpToItsOwn) {
    const std::size_t largest = at_most(4000);
    // In buckets of 64, uneven keys are left to passes.
    hybrid_radix::Sort<TypeParam> sorts[] = {
        hybrid_radix::Sort<TypeParam>(largest, {}, {}, {100, 200}),
        hybrid_radix::Sort<TypeParam>(largest, {}, {}, {50, 64})};
    std::mt19937 random(5);
    for (int round = 0; round < rounds(30); ++round) {
        const std::size_t n = 1 + random() % largest;
        const auto& pattern =
            kPatterns<typename TestFixture::Bits>[random() %
                                                  std::size(kPatterns<typename TestFixture::Bits>)];
        SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n);
        this->expect_sorted(sorts[round / 2 % 2], make_keys<TypeParam>(pattern, n, n),
                            round % 2 == 0);
        if (testing::Test::HasFatalFailure()) return;
    }
}

// As many keys as fill all blocks' registers, nearly: more than passes of few keys take in a round.
TEST(HybridRadixPartition, LeavesNearlyAllThatItHoldsToPasses) {
    constexpr std::size_t kKeys = 11'000;  // of a block
    const std::size_t multiprocessors = simt::device_properties().multiprocessors;
    for (const std::size_t blocks : {multiprocessors, 2 * multiprocessors}) {
        const std::size_t n = blocks * kKeys;
        if (n > largest_size()) GTEST_SKIP() << n << " keys are too many here";
        std::vector<unsigned> keys(n), sorted(n);
        std::mt19937 random(3);
        for (unsigned& key : keys) key = random() & random() & random() & random();
        simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)}, out(n);
        hybrid_radix::Sort<unsigned>(n).enqueue(in.data(), out.data(), n);
        out.copy_to(sorted);
        std::ranges::sort(keys);
        EXPECT_EQ(sorted, keys) << n;
    }
}

// Digits of 15 and of 16 bits, which are counted in halves and in quarters of words.
TEST(HybridRadixCounters, CountManyDigitsInPartsOfWords) {
    constexpr unsigned kNumbers = 300, kApart = 0x9e3779b1;
    for (const std::size_t n : without_too_large({24'001, 48'001})) {
        std::vector<unsigned> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<unsigned>(i % kNumbers) * kApart;
        simt::DeviceArray<unsigned> array{std::span<const unsigned>(keys)};
        hybrid_radix::Sort<unsigned>(n, {}, {}, {0, 2, 1, 0})
            .enqueue(array.data(), array.data(), n);
        std::vector<unsigned> sorted(n);
        array.copy_to(sorted);
        std::ranges::sort(keys);
        EXPECT_EQ(sorted, keys) << n;
    }
}

// Too many numbers to be counted at once, and each is there often: after the first digit they are
// counted, and written. Where a digit has few keys, a block sorts them.
TEST(HybridRadixNumbers, AreCountedAfterTheFirstDigit) {
    constexpr unsigned kBits = 11;  // and one more, since the range is guessed with a margin
    for (const std::size_t n : without_too_large({12'001}))
        for (const bool are_even : {true, false}) {
            std::mt19937 random(3);
            std::vector<int> keys(n);
            for (int& key : keys) {
                const unsigned r = static_cast<unsigned>(random());
                key = static_cast<int>((are_even ? r : r & r >> kBits) % (1u << kBits)) - 1234;
            }
            const std::vector<int> unsorted = keys;
            std::ranges::sort(keys);
            for (const bool in_place : {false, true}) {
                simt::DeviceArray<int> in{std::span<const int>(unsorted)}, out(n);
                simt::DeviceArray<int>& result = in_place ? in : out;
                hybrid_radix::Sort<int> sort(n, {}, {}, by_splitters({0, 8, 1, 0}));
                for (int round = 0; round < 2; ++round)  // the first leaves what the next needs
                    sort.enqueue(round == 0 ? in.data() : result.data(), result.data(), n);
                std::vector<int> sorted(n);
                result.copy_to(sorted);
                EXPECT_EQ(sorted, keys) << are_even << in_place;
            }
        }
}

// The ways take turns in one plan, and neither finds what another has left. (By what costs.h says
// of so many keys, many values go by passes, and three by splitters.)
TEST(HybridRadixPlans, SortInOneWayAfterTheOther) {
    constexpr std::size_t kKeys = 9'000;
    for (const std::size_t n : without_too_large({kKeys}))
        for (const auto [one_partition, bucket] : {std::array<std::size_t, 2>{0, 64},
                                                   {kKeys, 64},
                                                   {kKeys, 250}}) {  // the last between samples
            hybrid_radix::Sort<unsigned> sort(n, {}, {}, {0, bucket, 4, one_partition});
            unsigned (*const make[])(unsigned) = {
                [](unsigned r) { return r; },                                      // even
                [](unsigned r) { return r & r * 0x9e3779b1u & r * 0x85ebca6bu; },  // many values
                [](unsigned r) { return r % 3 * 0x01010101u; },                    // three values
            };
            std::mt19937 random(9);
            for (int round = 0; round < 9; ++round) {
                std::vector<unsigned> keys(n);
                for (unsigned& key : keys)
                    key = make[round * 2 % 3](static_cast<unsigned>(random()));
                simt::DeviceArray<unsigned> array{std::span<const unsigned>(keys)};
                sort.enqueue(array.data(), array.data(), n);
                std::vector<unsigned> sorted(n);
                array.copy_to(sorted);
                std::ranges::sort(keys);
                EXPECT_EQ(sorted, keys) << "round " << round;
            }
        }
}

// Limits that only a test chooses: lists are as long as few keys in a bucket make them.
TEST(HybridRadixLists, AreLongEnoughForTinyBuckets) {
    struct Case {
        std::size_t n, bucket;
        unsigned uneven;
        unsigned (*make)(unsigned random);
    };
    const Case cases[] = {
        {10'000, 2, 1, [](unsigned r) { return r >> 12; }},
        {75'000, 31, 1, [](unsigned r) { return ((r >> 9) % 64 * 64 + 5) << 9 | r % 512; }},
        {20, 2, 4, [](unsigned r) { return ~0u - r % 7; }},
        {60, 3, 4, [](unsigned r) { return ~0u - r % 30; }},
        {5'000, 2, 1, [](unsigned r) { return r % 128; }},
    };
    for (const Case& one : cases)
        for (const std::size_t one_partition : {std::size_t{0}, one.n}) {
            SCOPED_TRACE(testing::Message() << one.n << " keys, buckets of " << one.bucket);
            if (without_too_large({one.n}).empty()) continue;
            std::mt19937 random(7);
            std::vector<unsigned> keys(one.n);
            for (unsigned& key : keys) key = one.make(static_cast<unsigned>(random()));
            simt::DeviceArray<unsigned> array{std::span<const unsigned>(keys)};
            hybrid_radix::Sort<unsigned> sort(
                one.n, {}, {}, by_splitters({0, one.bucket, one.uneven, one_partition}));
            sort.enqueue(array.data(), array.data(), one.n);
            std::vector<unsigned> sorted(one.n);
            array.copy_to(sorted);
            std::ranges::sort(keys);
            EXPECT_EQ(sorted, keys);
        }
}

TEST(HybridRadixOrder, PutsZerosAndNansWhereTotalOrderDoes) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> order{
        std::copysign(nan, -1.0f), -inf, -1.5f, -1e-45f, -0.0f, 0.0f, 1e-45f, 1.5f, inf,
        std::copysign(nan, 1.0f)};
    std::vector<float> keys = order;
    std::ranges::shuffle(keys, std::mt19937(1));
    simt::DeviceArray<float> array{std::span<const float>(keys)};
    hybrid_radix::Sort<float>(keys.size()).enqueue(array.data(), array.data(), keys.size());
    array.copy_to(keys);
    for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_EQ(std::bit_cast<unsigned>(keys[i]), std::bit_cast<unsigned>(order[i])) << i;
}

TEST(HybridRadixWorkspace, IsASecondArrayAndListsAsDocumented) {
    constexpr std::size_t kLargeBucket = 11'776;  // of a GPU with 160 KB of shared memory or more
    const bool are_large = hybrid_radix::Sort<int>::default_limits().bucket == kLargeBucket;
    const auto expect_documented = [&]<class Key>(std::size_t n, Key) {
        const bool is_huge = n > std::size_t{1} << 31;
        const std::size_t percent = are_large ? (is_huge ? 7 : 5) : (is_huge ? 11 : 7);
        const std::size_t keys = n * sizeof(Key), lists = 1'400'000;
        EXPECT_LE(hybrid_radix::Sort<Key>::workspace_bytes(n),
                  keys + std::max(keys / 100 * percent, lists))
            << n << " keys of " << sizeof(Key);
    };
    for (const int power : {14, 16, 19, 21, 22, 23, 24, 26, 28, 33}) {
        expect_documented(std::size_t{1} << power, 0);
        expect_documented(std::size_t{1} << power, 0.0);
    }
}

}  // namespace
}  // namespace stream_compaction
