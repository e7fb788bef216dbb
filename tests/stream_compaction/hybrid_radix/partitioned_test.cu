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
    /// @param splits  ascending numbers
    /// @param none    a bin whose keys are not stored
    static void expect_partitioned(const std::vector<Bits>& keys, unsigned digit_bits,
                                   const std::vector<Bits>& splits, std::size_t none) {
        const std::size_t bins = (std::size_t{1} << digit_bits) + splits.size();
        std::vector<std::vector<Bits>> expected(bins);
        for (const Bits key : keys) {
            const auto below = std::ranges::lower_bound(splits, key) - splits.begin();
            const std::size_t digit = digit_bits == 0 ? 0 : key >> (kBits - digit_bits);
            expected[digit + static_cast<std::size_t>(below)].push_back(key);
        }
        PartitionedSort sort(order_of<Bits>(), 1);
        std::vector<GuardedArray<Bits>> arrays;
        for (std::size_t b = 0; b < bins; ++b) {
            arrays.emplace_back(Place::device, expected[b].size(), b * 5 % 8);
            arrays.back().assign({});
            sort.arrays()[b] = {b == none ? nullptr : arrays.back().data(),
                                static_cast<unsigned>(expected[b].size())};
        }
        std::ranges::copy(splits, sort.splits());
        const simt::DeviceArray<Bits> in{std::span<const Bits>(keys)};
        sort.enqueue_partition(in.data(), keys.size(), digit_bits,
                               static_cast<unsigned>(splits.size()), nullptr);
        for (std::size_t b = 0; b < bins; ++b) {
            std::vector<Bits> got = arrays[b].read();
            if (b == none) continue;
            std::ranges::sort(got);
            std::ranges::sort(expected[b]);
            ASSERT_TRUE(got == expected[b]) << "bin " << b << " of " << bins;
        }
    }

    static void expect_sorted(std::vector<Bits> keys, unsigned first_bits, unsigned second_bits,
                              KeyOrder order) {
        const KeyMap<Bits> map(order);
        const auto number = [&](Bits key) {
            return key ^ (key >> (kBits - 1) != 0 ? map.flip_negative : map.flip_positive);
        };
        const auto digits = [&](Bits key) {
            return number(key) >> (kBits - first_bits - second_bits);
        };
        std::ranges::stable_sort(keys, {}, [&](Bits key) { return digits(key) >> second_bits; });
        const Bits first = digits(keys.front()) >> second_bits;
        const Bits last = digits(keys.back()) >> second_bits;
        PartitionedSort sort(order, std::size_t{1} << (first_bits + second_bits));
        std::vector<Bits> expected = keys;
        std::ranges::sort(expected, {}, number);
        const auto segments = static_cast<unsigned>(last - first + 1);
        for (Bits bin = 0; bin <= Bits{segments} << second_bits; ++bin)
            sort.begins()[bin] = static_cast<unsigned>(
                std::ranges::lower_bound(expected, (first << second_bits) + bin, {}, digits) -
                expected.begin());
        const simt::DeviceArray<Bits> from{std::span<const Bits>(keys)};
        GuardedArray<Bits> out(Place::device, keys.size(), 3);
        out.assign({});
        for (int round = 0; round < 2; ++round) {
            sort.enqueue_begins(segments, second_bits, nullptr);
            sort.enqueue(from.data(), out.data(), keys.size(), segments,
                         kBits - first_bits - second_bits, second_bits, nullptr);
        }
        ASSERT_TRUE(out.read() == expected) << keys.size() << " keys, " << segments << " segments";
    }
};
using Widths = testing::Types<unsigned, unsigned long long>;
TYPED_TEST_SUITE(HybridRadixPartitioned, Widths);

TYPED_TEST(HybridRadixPartitioned, StoresEachKeyInTheArrayOfItsBin) {
    std::mt19937_64 random(1);
    constexpr std::size_t kNone = ~std::size_t{0};
    for (const std::size_t n : {1u, 70u, 3'000u, 12'000u}) {
        if (n > at_most(12'000)) continue;
        std::vector<TypeParam> keys = this->random_keys(random, n);
        keys.front() = ~TypeParam{0}, keys.back() = 0;
        for (const std::size_t splits : {0u, 1u, 2u, 3u, 14u, 200u}) {
            std::vector<TypeParam> numbers;
            while (numbers.size() < splits) numbers.push_back(keys[random() % n] - random() % 2);
            std::ranges::sort(numbers);
            for (const unsigned digit_bits : {0u, 1u, 5u, 7u})
                if ((1u << digit_bits) + splits <= hybrid_radix::kMostBinArrays)
                    this->expect_partitioned(keys, digit_bits, numbers,
                                             splits % 2 == 0 ? kNone : splits / 2);
        }
    }
}

/// All keys are in one bin, whose keys are stored or not.
TYPED_TEST(HybridRadixPartitioned, StoresOrDropsManyKeysOfOneBin) {
    const std::vector<TypeParam> keys(at_most(30'000), 77);
    for (const std::size_t none : {0u, 1u, 2u}) this->expect_partitioned(keys, 0, {76, 77}, none);
}

TYPED_TEST(HybridRadixPartitioned, SortsPartitionedKeys) {
    std::mt19937_64 random(3);
    for (const std::size_t n : {1u, 9u, 800u, 15'000u}) {
        if (n > at_most(15'000)) continue;
        std::vector<TypeParam> keys = this->random_keys(random, n);
        this->expect_sorted(keys, 3, 3, {});
        this->expect_sorted(keys, 4, 4, {.is_signed = true});
        this->expect_sorted(keys, 2, 6, {.is_signed = true, .is_floating = true});
        this->expect_sorted(keys, 2, 5, {.is_descending = true});
        // Only some segments, in the middle, some without keys.
        for (TypeParam& key : keys) key = key >> 3 | TypeParam{3} << (8 * sizeof(key) - 2) >> 1;
        this->expect_sorted(keys, 6, 2, {});
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
