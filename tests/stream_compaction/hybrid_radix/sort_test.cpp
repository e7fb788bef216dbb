// hybrid_radix sorts keys of any pattern, by each of its strategies. Its thresholds are small
// here, so a few thousand keys use all of them.
#include "stream_compaction/hybrid_radix.h"

#include "simt/memory.h"
#include "tests/guarded_array.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace stream_compaction {
namespace {

using hybrid_radix::Thresholds;

template <class Key>
class HybridRadix : public testing::Test {
  protected:
    using Bits = KeyBits<sizeof(Key)>;
    using Sort = hybrid_radix::Sort<Key>;

    /// @param offset  elements from a 16-byte boundary to the output; one more to the input
    static void expect_sorted(Sort& sort, std::vector<Key> keys, bool in_place,
                              std::size_t offset = 0) {
        GuardedArray<Key> in(Place::device, keys.size(), offset + 1);
        GuardedArray<Key> out(Place::device, keys.size(), offset);
        in.assign(keys);
        GuardedArray<Key>& result = in_place ? in : out;
        sort.enqueue(in.data(), result.data(), keys.size());
        const std::vector<Key> got = result.read();
        if (!in_place) {
            EXPECT_TRUE(in.read() == keys) << "the input has changed";
        }
        std::ranges::sort(keys);
        for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(got[i], keys[i]) << "key " << i;
    }

    /// All patterns, with the plan's size and smaller ones, alternating between arrays.
    static void expect_sorted(std::size_t n, Thresholds thresholds) {
        thresholds.bucket = std::min(thresholds.bucket, Sort::default_thresholds().bucket);
        Sort sort(n, {}, {}, thresholds);
        std::size_t turn = n;
        for (const Pattern<Bits>& pattern : all_or_some(kPatterns<Bits>)) {
            const std::size_t size = n - (turn % 3 == 0 ? n / 3 : 0);
            SCOPED_TRACE(testing::Message()
                         << pattern.name << ", n = " << size << " of " << n << ", buckets of "
                         << thresholds.bucket << (turn % 2 == 0 ? ", in place" : ""));
            expect_sorted(sort, make_keys<Key>(pattern, size, n), turn % 2 == 0, turn % 8);
            if (testing::Test::HasFatalFailure()) return;
            ++turn;
        }
    }
};
using Keys = testing::Types<int, unsigned long long>;
TYPED_TEST_SUITE(HybridRadix, Keys);

TYPED_TEST(HybridRadix, RefusesThresholdsBeyondABlock) {
    using Sort = typename TestFixture::Sort;
    const std::size_t most = Sort::default_thresholds().bucket;
    for (const std::size_t n : {0, 1, 1000}) {
        EXPECT_NO_THROW(Sort(n, {}, {}, {0, most}));
        EXPECT_NO_THROW(Sort(n, {}, {}, {0, 2}));
        for (const std::size_t bucket : {std::size_t{0}, std::size_t{1}, most + 1})
            EXPECT_THROW(Sort(n, {}, {}, {0, bucket}), std::invalid_argument) << bucket;
    }
}

TYPED_TEST(HybridRadix, SortsFewKeysByOnesweep) {
    for (const std::size_t n : without_too_large({1, 31, 33, 500, 701}))
        this->expect_sorted(n, {.few = n, .bucket = 2});
}

TYPED_TEST(HybridRadix, PartitionsOnceFromRegisters) {
    for (const std::size_t n : without_too_large({1, 33, 300, 513, 3001, 12'001}))
        this->expect_sorted(n, {.few = 0, .bucket = n == 3001 ? std::size_t{64} : 5000});
}

TYPED_TEST(HybridRadix, PartitionsTilesOnTheGrid) {
    for (const std::size_t n : without_too_large({1, 2, 33, 513, 3001, 6001}))
        this->expect_sorted(
            n, {.few = 0, .bucket = n == 6001 ? std::size_t{20} : 200, .in_registers = 0});
}

TYPED_TEST(HybridRadix, SortsSkewedKeysInACluster) {
    for (const std::size_t n : without_too_large({300, 3001}))
        this->expect_sorted(n, {.few = 0, .bucket = 200, .clustered = n});
}

/// The state that launches leave for each other, in orders that are rare on a GPU.
class HybridRadixOfInts : public HybridRadix<int> {};
TEST_F(HybridRadixOfInts, AreSortedUnderEverySchedule) {
    constexpr std::size_t kKeys = 1001;
    simt::test::under_every_schedule([&] {
        for (const std::size_t in_registers : {std::size_t{0}, kKeys}) {
            Sort sort(kKeys, {}, {}, {0, 200, in_registers, kKeys});
            for (const int i : {0, 2, 7}) {
                SCOPED_TRACE(kPatterns<unsigned>[i].name);
                expect_sorted(sort, make_keys<int>(kPatterns<unsigned>[i], kKeys, 1), true);
            }
        }
    });
}

// The strategies alternate in one plan, and none depends on what another has left.
TYPED_TEST(HybridRadix, SortsInOneWayAfterTheOther) {
    using Bits = typename TestFixture::Bits;
    const std::size_t n = at_most(18'000);
    Bits (*const make[])(Bits) = {
        [](Bits r) { return r; },                                              // even
        [](Bits r) { return static_cast<Bits>(r & r >> 5 & r >> 11); },        // skewed
        [](Bits r) { return static_cast<Bits>(r % 3 * 0x9e3779b97f4a7c15); },  // three values
        [](Bits r) { return static_cast<Bits>(r % 50); },                      // a small range
    };
    for (const std::size_t in_registers : {std::size_t{0}, n})
        for (const std::size_t bucket : {8, 300}) {
            typename TestFixture::Sort sort(n, {}, {}, {100, bucket, in_registers});
            std::mt19937_64 random(9);
            for (unsigned round = 0; round < 10; ++round) {
                const std::size_t size = round % 5 == 4 ? 1 + random() % n : n;
                SCOPED_TRACE(testing::Message() << "round " << round << ", n = " << size);
                std::vector<TypeParam> keys(size);
                for (TypeParam& key : keys)
                    key = std::bit_cast<TypeParam>(
                        make[round * 7 / 3 % 4](static_cast<Bits>(random())));
                this->expect_sorted(sort, keys, round % 2 == 0, round % 8);
                if (testing::Test::HasFailure()) return;
            }
        }
}

}  // namespace
}  // namespace stream_compaction
