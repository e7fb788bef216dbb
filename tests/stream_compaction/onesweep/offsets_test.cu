// Passes with 64-bit positions, which more than 2^31 keys need; here with few keys.
#include "simt/kernel.h"
#include "simt/memory.h"
#include "stream_compaction/onesweep/passes.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using Offset = unsigned long long;

template <class Shape>
__global__ void __launch_bounds__(onesweep::kThreads, 1)
    sort_with_wide_offsets(const __grid_constant__ onesweep::Job<Shape, Offset> job,
                           KeyMap<typename Shape::Bits> map, GridBarrier* barrier) {
    onesweep::sort_by_passes(job, map, *barrier);
}

/// Sorts keys with their indices as values, by so few blocks that each has several tiles.
/// @param most maximum number of blocks; a quarter in a slow build
template <class Shape>
void expect_sorted(std::size_t most) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    constexpr bool kHasValues = onesweep::kValueBytes < Value >> 0;
    constexpr unsigned kBlocks = 2;
    const std::size_t n = is_slow() ? most / 4 : most;
    std::mt19937_64 random(n);
    std::vector<Bits> keys(n), got(n);
    for (Bits& key : keys) key = static_cast<Bits>(random());
    simt::DeviceArray<Bits> in{std::span<const Bits>(keys)}, out(n), spare(n);
    simt::DeviceArray<Value> values_out(kHasValues ? n : 0), values_spare(kHasValues ? n : 0);

    onesweep::Job<Shape, Offset> job{};
    const auto lay_out_all = [&](std::byte* memory) {
        Arrays arrays(memory);
        auto* const barrier = arrays.take<GridBarrier>(1);
        job.shared.histograms = arrays.take<Offset>(onesweep::kHistogramSize<Bits>);
        onesweep::lay_out<Bits>(job.shared, n, arrays);
        return std::pair{barrier, arrays.bytes()};
    };
    simt::DeviceArray<std::byte> memory(lay_out_all(nullptr).second);
    simt::fill_async(memory.data(), 0, memory.size());
    GridBarrier* const barrier = lay_out_all(memory.data()).first;
    job.in = in.data(), job.out = out.data(), job.spare = spare.data();
    job.values_out = values_out.data(), job.values_spare = values_spare.data();
    job.n = n;
    job.multiprocessors = 1;
    job.choose_tiles(kBlocks);
    simt::launch(
        sort_with_wide_offsets<Shape>,
        {job.blocks, onesweep::kThreads, onesweep::kPassBytes<Shape, Offset>, nullptr, true}, job,
        KeyMap<Bits>(KeyOrder{}), barrier);

    out.copy_to(got);
    if constexpr (kHasValues) {
        std::vector<Value> indices(n);
        values_out.copy_to(indices);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(keys[indices[i]], got[i]) << "value " << i;
    }
    std::ranges::sort(keys);
    EXPECT_EQ(got, keys);
}

TEST(OnesweepWideOffsets, SortKeys) {
    expect_sorted<onesweep::SmallShape<unsigned, onesweep::NoValue>>(50'000);
    expect_sorted<onesweep::SmallShape<unsigned long long, onesweep::NoValue>>(20'000);
}
TEST(OnesweepWideOffsets, SortPairs) {
    expect_sorted<onesweep::SmallShape<unsigned, unsigned>>(30'000);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
