// The work that a kernel makes for as many keys as the device says: the same that the host makes
// for so many.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/fit.h"
#include "tests/size_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using hybrid_radix::Limits;
using hybrid_radix::OnDevice;
using Shape = hybrid_radix::Shape<unsigned, 23, 13, 14, 16, 10,
                                  onesweep::LargeShape<unsigned, onesweep::NoValue>>;
using Work = hybrid_radix::Work<Shape, unsigned>;

constexpr unsigned kMost = 1u << 31, kBlocks = 40, kMultiprocessors = 20, kFirstSpread = 3;
constexpr Limits kLimits{Shape::kBlockKeys, Shape::kBlockKeys};

/// All that depends on n.
using Fitted = std::array<unsigned, 23>;

__host__ __device__ Fitted fitted(const Work& work) {
    return {work.n,
            work.digit_bits[0],
            work.digit_bits[1],
            work.countable_bits,
            work.bucket,
            work.digit,
            work.frequent,
            work.least_digits,
            work.rare_for_passes,
            work.is_divided_by_samples,
            work.tile,
            work.split_tile,
            work.is_split_again,
            work.window_bits,
            work.costs.splitters,
            work.costs.moved,
            work.costs.sorted,
            work.costs.passes,
            work.costs.pass,
            work.passes.n,
            work.passes.groups,
            work.passes.blocks,
            work.passes.first};
}

template <auto kFit>
__global__ void fit_on_device(const __grid_constant__ Work most, OnDevice on_device, Fitted* out) {
    const Work& work = hybrid_radix::own_work<kFit>(most, on_device);
    if (threadIdx.x == 0) out[blockIdx.x] = fitted(work);
}

/// @tparam kFit of own_work
/// @param cluster blocks of a cluster that is launched beside the others
template <auto kFit>
void expect_the_same(std::size_t most, unsigned cluster = 0) {
    for (std::size_t power = 1; power <= most; power *= 2)
        for (const std::size_t n : {power, power + power / 3}) {
            if (n > most) continue;
            Work work{};
            work.n = kMost;
            work.cluster = cluster;
            work.passes.multiprocessors = kMultiprocessors;
            work.passes.first_spread = kFirstSpread;
            SizeWord size(n);
            simt::DeviceArray<Fitted> of_blocks(kBlocks + cluster);
            simt::launch(fit_on_device<kFit>, {kBlocks + cluster, 32}, work,
                         OnDevice{size.get(), kLimits}, of_blocks.data());
            std::vector<Fitted> on_device(kBlocks + cluster);
            of_blocks.copy_to(on_device);
            work.n = static_cast<unsigned>(n);
            kFit(work, work.n, kLimits, kBlocks);
            for (const Fitted& of_block : on_device) ASSERT_EQ(of_block, fitted(work)) << n;
        }
}

TEST(HybridRadixFit, OnTheGridIsThatOfTheHost) {
    expect_the_same<hybrid_radix::fit_grid<Shape, unsigned>>(kMost);
}

TEST(HybridRadixFit, OfOnePartitionIsThatOfTheHost) {
    expect_the_same<hybrid_radix::fit_one_partition<Shape>>(std::size_t{kBlocks} *
                                                            Shape::kBlockKeys);
}

TEST(HybridRadixFit, BesideAClusterIsThatOfTheHost) {
    expect_the_same<hybrid_radix::fit_one_partition<Shape>>(
        std::size_t{kBlocks} * Shape::kBlockKeys, 8);
}

/// Passes in tiles that all start together need no more than one for each block.
TEST(HybridRadixFit, OfOnePartitionGivesPassesOfFewKeysOneTileEach) {
    using Few = onesweep::FewShape<unsigned, onesweep::NoValue>;
    using Shape = hybrid_radix::Shape<unsigned, 23, 13, 14, 16, 10, Few>;
    for (const unsigned resident : {1u, kBlocks, 264u, 376u})
        for (std::size_t n = 1; Few::is_for(n, resident); n += n / 9 + 1) {
            hybrid_radix::Work<Shape, unsigned> work{};
            work.passes.multiprocessors = kMultiprocessors;
            hybrid_radix::fit_one_partition(work, static_cast<unsigned>(n), kLimits, resident);
            ASSERT_EQ(work.passes.blocks, ceil_div(n, Few::tile_keys(work.passes.groups)))
                << n << ", " << resident;
        }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
