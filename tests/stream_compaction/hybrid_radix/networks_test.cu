// Keys, and pairs, that are near their places: what a block's networks make of them.
#include "simt/kernel.h"
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/block/sort_neighbours.h"
#include "stream_compaction/onesweep/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using hybrid_radix::Pair;

template <class ItemArrays, class Number>
using ShapeOf = hybrid_radix::Shape<Number, 7, 11, 13, 4, 9,
                                    onesweep::SmallShape<unsigned, onesweep::NoValue>, ItemArrays>;
using Keys32 = ShapeOf<hybrid_radix::KeyArrays<unsigned>, unsigned>;
using Keys64 = ShapeOf<hybrid_radix::KeyArrays<unsigned long long>, unsigned long long>;
using Pairs = ShapeOf<hybrid_radix::PairArrays, Pair>;

template <class Shape, class Bits = typename Shape::Bits>
__global__ void sort(const Bits* in, Bits* out, unsigned count, unsigned distance) {
    const hybrid_radix::BlockMemory<Shape> memory;
    for (unsigned i = threadIdx.x; i < count; i += hybrid_radix::kThreads) memory.keys[i] = in[i];
    __syncthreads();
    hybrid_radix::sort_neighbours<Shape>(memory.keys, count, distance);
    for (unsigned i = threadIdx.x; i < count; i += hybrid_radix::kThreads) out[i] = memory.keys[i];
}

template <class Shape>
class HybridRadixNetworks : public testing::Test {
  protected:
    using Bits = typename Shape::Bits;
    static constexpr unsigned kTied = Shape::Arrays::kTiedBits;
    static constexpr unsigned kMost = hybrid_radix::kMoreOfGroup<Bits>;

    /// Sorts numbers that are given in order, once groups of `distance` have been shuffled; and
    /// once they have been reversed, so that numbers are as far from their places as they can be.
    static void expect_sorted(const std::vector<Bits>& numbers, unsigned distance) {
        std::mt19937_64 random(numbers.size() * distance);
        const auto of_groups = [&](auto change) {
            std::vector<Bits> changed = numbers;
            const auto size = static_cast<std::ptrdiff_t>(changed.size());
            for (std::ptrdiff_t begin = 0; begin < size; begin += distance)
                change(changed.begin() + begin,
                       changed.begin() + std::min<std::ptrdiff_t>(begin + distance, size));
            return changed;
        };
        expect_sorted_of_groups(
            of_groups([&](auto first, auto last) { std::shuffle(first, last, random); }), distance);
        expect_sorted_of_groups(of_groups([](auto first, auto last) { std::reverse(first, last); }),
                                distance);
    }

    static void expect_sorted_of_groups(std::vector<Bits> numbers, unsigned distance) {
        const simt::DeviceArray<Bits> in{std::span<const Bits>(numbers)};
        simt::DeviceArray<Bits> out(numbers.size());
        simt::launch(sort<Shape>,
                     {1, hybrid_radix::kThreads, hybrid_radix::BlockMemory<Shape>::kBytes, nullptr},
                     in.data(), out.data(), static_cast<unsigned>(numbers.size()), distance);
        std::vector<Bits> sorted(numbers.size());
        out.copy_to(std::span(sorted));
        simt::synchronize();
        for (std::size_t i = 1; i < sorted.size(); ++i)
            ASSERT_LE(sorted[i - 1] >> kTied, sorted[i] >> kTied) << "key " << i;
        std::ranges::sort(numbers);
        std::ranges::sort(sorted);
        EXPECT_EQ(sorted, numbers) << "other items";
    }

    /// @param step between the keys of two numbers
    static std::vector<Bits> numbers_in_steps(unsigned count, unsigned step) {
        std::mt19937 random(step);
        std::vector<Bits> numbers;
        for (unsigned i = 0; i < count; ++i)
            numbers.push_back(kTied == 0 ? Bits{i} * step
                                         : static_cast<Bits>(Pair{i * step} << 32 | random()));
        return numbers;
    }
};

struct Names {
    template <class Shape>
    static std::string GetName(int) {
        return std::is_same_v<Shape, Keys32>   ? "Keys32"
               : std::is_same_v<Shape, Keys64> ? "Keys64"
                                               : "Pairs";
    }
};
using Shapes = testing::Types<Keys32, Keys64, Pairs>;
TYPED_TEST_SUITE(HybridRadixNetworks, Shapes, Names);

TYPED_TEST(HybridRadixNetworks, SortGroupsOfUpToSoManyKeys) {
    for (const unsigned count : {1u, 2u, 46u, 345u, 1000u, 3584u})
        for (unsigned distance = 2; distance <= TestFixture::kMost; ++distance)
            this->expect_sorted(this->numbers_in_steps(count, 3), distance);
}

TYPED_TEST(HybridRadixNetworks, SortKeysThatAreFarApart) {
    for (const unsigned step : {(1u << 28) / 15, 1u << 28, (1u << 28) + 1, 1u << 30})
        this->expect_sorted(this->numbers_in_steps(~0u / step, step), TestFixture::kMost);
}

TYPED_TEST(HybridRadixNetworks, KeepNumbersOfAllOnes) {
    using Bits = typename TestFixture::Bits;
    std::vector<Bits> numbers = this->numbers_in_steps(100, 1u << 20);
    for (unsigned i = 0; i < 20; ++i)
        numbers.push_back(~Bits{0} - (TestFixture::kTied == 0 ? Bits{0} : Bits{i % 3}));
    this->expect_sorted(numbers, TestFixture::kMost);
}

TYPED_TEST(HybridRadixNetworks, SortRunsOfWhichSomeKeysAreFar) {
    using Bits = typename TestFixture::Bits;
    const auto key = [](unsigned k) { return Bits{k} << TestFixture::kTied; };
    for (const unsigned last : {(1u << 28) - 2, (1u << 28) - 1, 1u << 28, (1u << 28) + 1, 1u << 31})
        for (unsigned before = 1; before < 30; ++before)
            for (const unsigned distance : {2u, 3u, TestFixture::kMost}) {
                std::vector<Bits> numbers = this->numbers_in_steps(before, 1);
                for (unsigned i = 3; i-- > 0;) numbers.push_back(key(last - i));
                this->expect_sorted(numbers, distance);
            }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
