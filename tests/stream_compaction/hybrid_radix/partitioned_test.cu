// A partition into arrays that may be anywhere, and the sort of keys that are partitioned by their
// first digit.
#include "stream_compaction/hybrid_radix/partitioned.h"

#include "tests/guarded_array.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

template <class Bits>
class HybridRadixPartitioned : public testing::Test {
  protected:
    static constexpr unsigned kBits = 8 * sizeof(Bits);
    using PartitionedSort = hybrid_radix::PartitionedSort<Bits>;

    static std::vector<Bits> random_keys(std::mt19937_64& random, std::size_t n) {
        std::vector<Bits> keys(n);
        for (Bits& key : keys) key = static_cast<Bits>(random());
        return keys;
    }

    /// Each bin has an array of its own that begins at any key of a sector, with words around it
    /// that may not change.
    /// @param numbers of the keys
    /// @param splits  ascending numbers
    /// @param none    a bin whose keys are not stored
    /// @param bits    of a number; a key also has a base
    static void expect_partitioned(const std::vector<Bits>& numbers, unsigned digit_bits,
                                   const std::vector<Bits>& splits, std::size_t none,
                                   unsigned bits = kBits, Bits base = 0) {
        const std::size_t bins = (std::size_t{1} << digit_bits) + splits.size();
        std::vector<std::vector<Bits>> expected(bins);
        std::vector<Bits> keys;
        for (const Bits number : numbers) {
            const auto below = std::ranges::lower_bound(splits, number) - splits.begin();
            const std::size_t digit = digit_bits == 0 ? 0 : number >> (bits - digit_bits);
            keys.push_back(number + base);
            expected[digit + static_cast<std::size_t>(below)].push_back(keys.back());
        }
        PartitionedSort sort(order_of<Bits>());
        std::vector<GuardedArray<Bits>> arrays;
        for (std::size_t b = 0; b < bins; ++b) {
            arrays.emplace_back(Place::device, expected[b].size(), b * 5 % 8);
            arrays.back().assign({});
            sort.arrays()[b] = {b == none ? nullptr : arrays.back().data(),
                                static_cast<unsigned>(expected[b].size())};
        }
        std::ranges::copy(splits, sort.splits());
        const simt::DeviceArray<Bits> in{std::span<const Bits>(keys)};
        sort.enqueue_partition(in.data(), keys.size(), base, bits - digit_bits, digit_bits,
                               static_cast<unsigned>(splits.size()), nullptr);
        for (std::size_t b = 0; b < bins; ++b) {
            std::vector<Bits> got = arrays[b].read();
            if (b == none) continue;
            std::ranges::sort(got);
            std::ranges::sort(expected[b]);
            ASSERT_TRUE(got == expected[b]) << "bin " << b << " of " << bins;
        }
    }

    /// @param out_of_order  whether a bin is too large, so nothing is sorted
    static void expect_sorted(std::vector<Bits> keys, unsigned first_bits, unsigned second_bits,
                              KeyOrder order, bool out_of_order = false) {
        const KeyMap<Bits> map(order);
        const unsigned low_bits = kBits - first_bits;
        const auto number = [&](Bits key) {
            return key ^ (key >> (kBits - 1) != 0 ? map.flip_negative : map.flip_positive);
        };
        const auto digit = [&](Bits key) { return number(key) >> low_bits; };
        std::ranges::stable_sort(keys, {}, digit);
        const Bits first = digit(keys.front());
        const auto segments = static_cast<unsigned>(digit(keys.back()) - first + 1);
        PartitionedSort sort(order);
        for (unsigned segment = 0; segment <= segments; ++segment)
            sort.begins()[segment] = static_cast<unsigned>(
                std::ranges::lower_bound(keys, first + segment, {}, digit) - keys.begin());
        std::vector<Bits> expected = keys;
        std::ranges::sort(expected, {}, number);
        const simt::DeviceArray<Bits> from{std::span<const Bits>(keys)};
        GuardedArray<Bits> out(Place::device, keys.size(), 3);
        for (int round = 0; round < 2; ++round) {
            out.assign({});
            sort.enqueue(from.data(), out.data(), keys.size(), segments, low_bits, second_bits,
                         nullptr);
            simt::synchronize();
            ASSERT_EQ(sort.has_sorted(), !out_of_order);
            if (out_of_order) continue;
            ASSERT_TRUE(out.read() == expected)
                << keys.size() << " keys, " << segments << " segments";
        }
        std::vector<Bits> kept(keys.size());
        from.copy_to(std::span(kept));
        EXPECT_TRUE(kept == keys) << "the keys are sorted by another kernel if a bin is too large";
    }
};
using Widths = testing::Types<unsigned, unsigned long long>;
TYPED_TEST_SUITE(HybridRadixPartitioned, Widths);

TYPED_TEST(HybridRadixPartitioned, StoresEachKeyInTheArrayOfItsBin) {
    std::mt19937_64 random(1);
    constexpr std::size_t kNone = ~std::size_t{0};
    const typename TestFixture::PartitionedSort sort({});
    const std::size_t most = std::size_t{1} << sort.array_bits();
    for (const std::size_t n : {1u, 70u, 3'000u, 12'000u}) {
        if (n > at_most(12'000)) continue;
        std::vector<TypeParam> keys = this->random_keys(random, n);
        keys.front() = ~TypeParam{0}, keys.back() = 0;
        for (const std::size_t splits : {0u, 1u, 2u, 3u, 14u, 200u}) {
            std::vector<TypeParam> numbers;
            while (numbers.size() < splits) numbers.push_back(keys[random() % n] - random() % 2);
            std::ranges::sort(numbers);
            for (const unsigned digit_bits : {0u, 1u, 5u, 7u, 8u})
                if ((1u << digit_bits) + splits <= most)
                    this->expect_partitioned(keys, digit_bits, numbers,
                                             splits % 2 == 0 ? kNone : splits / 2);
        }
    }
}

TYPED_TEST(HybridRadixPartitioned, PartitionsNumbersAboveABase) {
    constexpr unsigned kBits = 20;
    std::mt19937_64 random(2);
    std::vector<TypeParam> numbers = this->random_keys(random, at_most(12'000));
    for (TypeParam& number : numbers) number >>= 8 * sizeof(TypeParam) - kBits;
    for (const unsigned digit_bits : {0u, 7u})
        this->expect_partitioned(numbers, digit_bits, {1'000, 700'000}, 1, kBits,
                                 TypeParam{5} << kBits);
}

/// All keys are in one bin, whose keys are stored or not.
TYPED_TEST(HybridRadixPartitioned, StoresOrDropsManyKeysOfOneBin) {
    const std::vector<TypeParam> keys(at_most(30'000), 77);
    for (const std::size_t none : {0u, 1u, 2u}) this->expect_partitioned(keys, 0, {76, 77}, none);
}

TYPED_TEST(HybridRadixPartitioned, SortsPartitionedKeys) {
    std::mt19937_64 random(3);
    const typename TestFixture::PartitionedSort sort_of_few({});
    for (const std::size_t n : {1u, 9u, 800u, 15'000u}) {
        if (n > at_most(15'000)) continue;
        std::vector<TypeParam> keys = this->random_keys(random, n);
        this->expect_sorted(keys, 3, 3, {});
        this->expect_sorted(keys, 8, sort_of_few.second_bits(0), {});
        this->expect_sorted(keys, 4, 4, {.is_signed = true});
        this->expect_sorted(keys, 2, 6, {.is_signed = true, .is_floating = true});
        this->expect_sorted(keys, 2, 5, {.is_descending = true});
        // Only some segments, in the middle, some without keys.
        for (TypeParam& key : keys) key = key >> 3 | TypeParam{3} << (8 * sizeof(key) - 2) >> 1;
        this->expect_sorted(keys, 6, 2, {});
    }
}

/// Many keys of one segment have the same second digit.
TYPED_TEST(HybridRadixPartitioned, SaysIfABinIsTooLarge) {
    std::mt19937_64 random(4);
    std::vector<TypeParam> keys = this->random_keys(random, at_most(15'000));
    if (keys.size() < 15'000) GTEST_SKIP() << "a block sorts fewer keys";
    std::fill_n(keys.begin() + 1'000, 12'000, keys.front());
    this->expect_sorted(keys, 3, 3, {}, true);
}

TYPED_TEST(HybridRadixPartitioned, ChoosesASecondDigitThatFillsNoBin) {
    const typename TestFixture::PartitionedSort sort({});
    EXPECT_EQ(sort.second_bits(0), 2u);
    unsigned largest = 0;
    for (std::size_t n = 1; n <= std::size_t{1} << 31; n = n * 3 / 2 + 1) {
        const unsigned bits = sort.second_bits(n);
        if (bits == 0) {
            EXPECT_EQ(largest, sort.array_bits()) << "partitions have as many bins at most";
            return;
        }
        EXPECT_GE(bits, largest);
        EXPECT_LT(n >> bits, 12'000u) << "a block does not sort more";
        largest = bits;
    }
    FAIL() << "2^31 keys of one bin need more bins than one partition has";
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
