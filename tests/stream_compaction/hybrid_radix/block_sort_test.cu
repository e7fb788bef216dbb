// A block sorts a bucket: groups of every size that its networks sort, and larger ones.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/block_sort.h"
#include "tests/guarded_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using onesweep::NoValue;

template <class Shape, class Bits = typename Shape::Bits>
__global__ void sort(const Bits* in, typename Shape::Out out, unsigned count) {
    if (threadIdx.x == 0) hybrid_radix::destination<Shape>(1) = {out, {}};
    hybrid_radix::block_sort<Shape>(in, count, 1);
}

template <class Shape>
class HybridRadixBlock : public testing::Test {
  protected:
    using Bits = typename Shape::Bits;
    static constexpr unsigned kTied = Shape::ItemArrays::kTiedBits, kMost = Shape::kBlockKeys;

    /// @param key  of the i-th number
    static void expect_sorted(unsigned count, std::function<Bits(unsigned)> key) {
        SCOPED_TRACE(testing::Message() << count << " keys");
        std::mt19937_64 random(count);
        std::vector<Bits> numbers(count), got(count);
        for (unsigned i = 0; i < count; ++i)
            numbers[i] = kTied == 0 ? key(i) : key(i) << kTied | static_cast<unsigned>(random());
        if (count % 2 == 0)
            std::ranges::reverse(numbers);  // as far from their final positions as possible
        else
            std::ranges::shuffle(numbers, random);
        const simt::DeviceArray<Bits> in{std::span<const Bits>(numbers)};
        const simt::LaunchConfig config{1, hybrid_radix::kThreads,
                                        hybrid_radix::BlockMemory<Shape>::kBytes, nullptr};
        if constexpr (kTied == 0) {
            GuardedArray<Bits> out(Place::device, count, count % 4);
            simt::launch(sort<Shape>, config, in.data(), out.data(), count);
            got = out.read();
        } else {
            GuardedArray<unsigned> keys(Place::device, count), values(Place::device, count);
            simt::launch(sort<Shape>, config, in.data(),
                         hybrid_radix::PairsOut{keys.data(), values.data()}, count);
            const std::vector<unsigned> sorted_keys = keys.read(), sorted_values = values.read();
            for (unsigned i = 0; i < count; ++i)
                got[i] = static_cast<Bits>(Bits{sorted_keys[i]} << kTied | sorted_values[i]);
        }
        for (std::size_t i = 1; i < count; ++i)
            ASSERT_LE(got[i - 1] >> kTied, got[i] >> kTied) << "key " << i;
        std::ranges::sort(numbers);
        std::ranges::sort(got);
        ASSERT_TRUE(got == numbers) << "other items";
    }

    /// All keys of a group are different, and groups are far from each other. The range is that of
    /// all keys, so neighbouring keys are in one group.
    static void expect_sorted_by_groups(unsigned count, unsigned of_group, Bits step) {
        SCOPED_TRACE(testing::Message() << "groups of " << of_group << ", step " << step);
        const unsigned groups = (count - 1) / of_group + 1;
        const Bits apart = (static_cast<Bits>(~Bits{0}) >> kTied) / groups;
        expect_sorted(count, [=](unsigned i) {
            return static_cast<Bits>(i / of_group * apart + i % of_group * step);
        });
    }
};

struct Names {
    template <class Shape>
    static std::string GetName(int) {
        if (Shape::ItemArrays::kTiedBits > 0) return "Pairs";
        return sizeof(typename Shape::Bits) == 4 ? "Keys32" : "Keys64";
    }
};
using Shapes = testing::Types<hybrid_radix::SmallShape<unsigned, NoValue>,
                              hybrid_radix::SmallShape<unsigned long long, NoValue>,
                              hybrid_radix::SmallShape<unsigned, unsigned>>;
TYPED_TEST_SUITE(HybridRadixBlock, Shapes, Names);

// With fewer than four keys per thread they are ranked, otherwise networks sort them, and the
// largest groups are merged. With a step of 2^27 the keys are too far apart for one word per pair.
TYPED_TEST(HybridRadixBlock, SortsGroupsOfAnySize) {
    using Bits = typename TestFixture::Bits;
    for (const unsigned of_group : {1, 2, 7, 8, 10, 11, 12, 14, 15, 22, 23, 32, 33, 700})
        for (const unsigned count : {2'048u, 2'500u, 2'501u})
            this->expect_sorted_by_groups(count, of_group, Bits{1});
    // A few keys of one group, far above the others of their run.
    for (unsigned count = 2'500; count < 2'515; ++count)
        this->expect_sorted(count, [=](unsigned i) {
            constexpr Bits kLargest = static_cast<Bits>(~Bits{0}) >> TestFixture::kTied;
            return i < 5 ? kLargest - 1 - i * 100 : kLargest / 2 / count * i;
        });
    for (const unsigned count : {300u, 3'000u})
        this->expect_sorted(count, [](unsigned i) {  // far apart in one group, and the largest key
            constexpr Bits kLargest = static_cast<Bits>(~Bits{0}) >> TestFixture::kTied;
            return i == 0 ? kLargest : i % 1'000 == 1 ? kLargest - (Bits{1} << 20) : Bits{i};
        });
}

TYPED_TEST(HybridRadixBlock, SortsAnyCount) {
    using Bits = typename TestFixture::Bits;
    constexpr unsigned kMost = TestFixture::kMost;
    for (const unsigned count :
         {1u, 2u, 31u, 32u, 33u, 511u, 512u, 513u, 2'047u, 2'048u, 2'049u, kMost - 1, kMost}) {
        this->expect_sorted(count, [](unsigned) { return Bits{5}; });
        std::mt19937_64 random(count);
        const auto any = [&](unsigned) {
            return static_cast<Bits>(random()) >> TestFixture::kTied;
        };
        this->expect_sorted(count, any);
        this->expect_sorted(count, [&](unsigned i) { return any(i) & any(i) & any(i) & any(i); });
    }
}

// All keys except two are in one group: ascending runs, some of which are already in order.
TYPED_TEST(HybridRadixBlock, MergesKeysOfOneGroup) {
    using Bits = typename TestFixture::Bits;
    constexpr Bits kLargest = static_cast<Bits>(~Bits{0}) >> TestFixture::kTied;
    for (const unsigned count : {40u, 600u, 2'049u, TestFixture::kMost})
        this->expect_sorted(count, [=](unsigned i) { return i == 0 ? kLargest : Bits{i}; });
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
