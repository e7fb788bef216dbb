// A partition on the grid: each key is moved to its bin, once, wherever bins begin and end in a
// sector, and no word outside the output is written.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/partition.h"
#include "tests/guarded_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using hybrid_radix::Partition;
using hybrid_radix::Taken;

template <class Shape>
__global__ void __launch_bounds__(hybrid_radix::kThreads)
    move(const __grid_constant__ Partition<Shape> described) {
    __shared__ Partition<Shape> part;
    if (threadIdx.x == 0) part = described;
    __syncthreads();
    hybrid_radix::move_tiles(part);
}

template <class Bits>
class HybridRadixPartition : public testing::Test {
  protected:
    using Shape = hybrid_radix::SmallShape<Bits, onesweep::NoValue>;

    struct Case {
        std::vector<unsigned> segments;  ///< keys of each
        unsigned bits;                   ///< of the digit, which is the lowest byte or part of it
        unsigned tile, chunk = 1;
    };

    /// @param digit_of  the digit of the i-th key
    static void expect_moved(const Case& c, std::size_t offset,
                             std::function<unsigned(unsigned i)> digit_of) {
        const auto segments = static_cast<unsigned>(c.segments.size());
        const unsigned bins = 1u << c.bits;
        std::vector<Bits> keys, want;
        std::vector<unsigned> begins{0}, bin_begins;
        for (const unsigned size : c.segments) {
            std::vector<Bits> own;
            for (unsigned i = 0; i < size; ++i) {
                const auto n = static_cast<Bits>(keys.size());
                keys.push_back(n << c.bits | (digit_of(static_cast<unsigned>(n)) & (bins - 1)));
                own.push_back(keys.back());
            }
            begins.push_back(static_cast<unsigned>(keys.size()));
            const auto bin = [=](Bits key) { return key & (bins - 1); };
            std::ranges::stable_sort(own, {}, bin);
            for (unsigned b = 0; b < bins; ++b)
                bin_begins.push_back(static_cast<unsigned>(
                    want.size() + static_cast<std::size_t>(
                                      std::ranges::lower_bound(own, b, {}, bin) - own.begin())));
            want.insert(want.end(), own.begin(), own.end());
        }
        bin_begins.push_back(begins.back());

        const simt::DeviceArray<Bits> in{std::span<const Bits>(keys)};
        GuardedArray<Bits> out(Place::device, keys.size(), offset);
        out.assign({});
        const simt::DeviceArray<unsigned> of_segments{std::span<const unsigned>(begins)},
            of_bins{std::span<const unsigned>(bin_begins)};
        simt::DeviceArray<Taken> taken(bin_begins.size());
        simt::fill_async(taken.data(), 0, taken.size() * sizeof(Taken));
        Partition<Shape> part{};
        part.from = in.data(), part.target = {out.data(), of_bins.data(), 0};
        part.bits = c.bits, part.segments = segments;
        part.begins = of_segments.data();
        part.taken = taken.data(), part.tile = c.tile, part.chunk = c.chunk;
        simt::launch(move<Shape>,
                     {3, hybrid_radix::kThreads, hybrid_radix::TileMemory<Shape>::kBytes, nullptr},
                     part);

        std::vector<Bits> got = out.read();
        for (std::size_t b = 0; b + 1 < bin_begins.size(); ++b)
            std::sort(got.begin() + bin_begins[b], got.begin() + bin_begins[b + 1]);
        ASSERT_TRUE(got == want) << keys.size() << " keys, offset " << offset << ", " << segments
                                 << " segments, tiles of " << c.tile;
    }
};
using Widths = testing::Types<unsigned, unsigned long long>;
TYPED_TEST_SUITE(HybridRadixPartition, Widths);

unsigned any_digit(unsigned i) { return i * 0x9e3779b9u >> 24; }

TYPED_TEST(HybridRadixPartition, MovesToAnyAddress) {
    constexpr std::size_t kKeysOfSector = 32 / sizeof(TypeParam);
    for (std::size_t offset = 0; offset < kKeysOfSector; ++offset) {
        this->expect_moved({{5'000}, 8, 1'500}, offset, any_digit);
        this->expect_moved({{3'000}, 8, 2'048}, offset, [](unsigned i) { return i % 3 * 77; });
        this->expect_moved({{700}, 8, 200}, offset, any_digit);  // less than a sector per bin
    }
}

// Bins begin and end anywhere in the same sector, or fill it.
TYPED_TEST(HybridRadixPartition, MovesFewKeys) {
    for (unsigned n = 1; n <= 70; ++n)
        for (const unsigned bits : {1u, 3u})
            this->expect_moved({{n}, bits, n % 2 == 0 ? n : 10}, n % 8, any_digit);
}

TYPED_TEST(HybridRadixPartition, MovesAllKeysToOneBin) {
    for (const unsigned bin : {0u, 255u})
        for (const unsigned n : {1u, 8u, 1'000u, 9'001u})
            this->expect_moved({{n}, 8, 2'000}, 3, [=](unsigned) { return bin; });
}

// Segments without keys, with one key, and with several tiles; they change inside a chunk of tiles.
TYPED_TEST(HybridRadixPartition, MovesSegmentsEachByItself) {
    for (const unsigned chunk : {1u, 2u, 4u})
        for (const std::size_t offset : {0u, 1u, 7u}) {
            this->expect_moved({{0, 1, 900, 0, 0, 17, 305, 64, 8, 2'000, 3, 0}, 4, 64, chunk},
                               offset, any_digit);
            this->expect_moved({std::vector<unsigned>(256, 21), 8, 100, chunk}, offset, any_digit);
        }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
