// hybrid_radix partitions, splits what is too large for a block again, counts, or sorts in a block,
// as the keys ask for. Its limits are small here, so that a few thousand keys take all of these
// ways; and all types of keys do.
#include "stream_compaction/hybrid_radix.h"

#include "simt/memory.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/hybrid_radix/sorts.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace stream_compaction {
namespace {

using hybrid_radix::Limits;

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

}  // namespace
}  // namespace stream_compaction
