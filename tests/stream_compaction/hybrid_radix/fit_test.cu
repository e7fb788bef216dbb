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
using Fit = hybrid_radix::Fit<Shape, unsigned>;

constexpr unsigned kMost = 1u << 31, kBlocks = 40, kMultiprocessors = 20, kFirstSpread = 3;
constexpr Limits kLimits{Shape::kBlockKeys, Shape::kBlockKeys};

/// All that depends on n.
using Fitted = std::array<unsigned, 24>;

__host__ __device__ Fitted fitted(const Fit& fit) {
    return {fit.n,
            fit.blocks,
            fit.tile,
            fit.split_tile,
            fit.bucket,
            fit.window_bits,
            fit.digits.digit,
            fit.digits.bits,
            fit.digits.filled,
            fit.digits.countable_bits,
            fit.digits.frequent,
            fit.digits.least,
            fit.digit_bits,
            fit.filled_digits,
            fit.rare_for_passes,
            fit.is_divided_by_samples,
            fit.costs.splitters,
            fit.costs.moved,
            fit.costs.sorted,
            fit.costs.pass,
            fit.passes.n,
            fit.passes.groups,
            fit.passes.blocks,
            fit.passes.first};
}

__global__ void plan_grid(const __grid_constant__ Work work, OnDevice on_device, Fitted* out) {
    hybrid_radix::plan_grid_on_device(work, on_device);
    if (threadIdx.x == 0) out[blockIdx.x] = fitted(work.fit());
}

__global__ void plan_one_partition(const __grid_constant__ Work work, OnDevice on_device,
                                   Fitted* out) {
    hybrid_radix::plan_tiles_on_device(work, on_device);
    hybrid_radix::plan_digits_on_device(work, on_device);
    hybrid_radix::plan_uneven_on_device(work, on_device);
    if (threadIdx.x == 0) out[blockIdx.x] = fitted(work.fit());
}

/// @param plan_on_host of a Fit and n
/// @param cluster      blocks of a cluster that is launched beside the others
template <class F>
void expect_the_same(std::size_t most, void (*plan_on_device)(Work, OnDevice, Fitted*),
                     F plan_on_host, unsigned cluster = 0) {
    for (std::size_t power = 1; power <= most; power *= 2)
        for (const std::size_t n : {power, power + power / 3}) {
            if (n > most) continue;
            Work work{};
            work.planned.n = kMost;
            work.cluster = cluster;
            work.planned.passes.multiprocessors = kMultiprocessors;
            work.planned.passes.first_spread = kFirstSpread;
            SizeWord size(n);
            simt::DeviceArray<Fitted> of_blocks(kBlocks + cluster);
            simt::launch(plan_on_device, {kBlocks + cluster, hybrid_radix::kThreads}, work,
                         OnDevice{size.get(), kLimits}, of_blocks.data());
            std::vector<Fitted> on_device(kBlocks + cluster);
            of_blocks.copy_to(on_device);
            plan_on_host(work.planned, static_cast<unsigned>(n));
            for (const Fitted& of_block : on_device) ASSERT_EQ(of_block, fitted(work.planned)) << n;
        }
}

TEST(HybridRadixFit, OnTheGridIsThatOfTheHost) {
    expect_the_same(kMost, plan_grid,
                    [](Fit& fit, unsigned n) { hybrid_radix::fit_grid(fit, n, kLimits, kBlocks); });
}

TEST(HybridRadixFit, OfOnePartitionIsThatOfTheHost) {
    for (const unsigned cluster : {0u, 8u})
        expect_the_same(
            std::size_t{kBlocks} * Shape::kBlockKeys, plan_one_partition,
            [=](Fit& fit, unsigned n) {
                hybrid_radix::fit_one_partition(fit, n, kLimits, kBlocks, cluster);
            },
            cluster);
}

// Digits that are counted after the first partition have their counters in a level's list. Keys may
// have all of them, also where the samples say that they are spread over two ninths of a range.
TEST(HybridRadixFit, SecondDigitsHaveRoomInALevelsCounters) {
    constexpr unsigned kHistogramBits = hybrid_radix::kMaxHistogramBits<Shape>;
    for (const unsigned bucket : {2u, 3u, 4u, 5u, 11u, 500u, Shape::kBlockKeys})
        for (std::size_t n = 1000; n < std::size_t{1} << 33; n += n / 7) {
            const hybrid_radix::GridPlan plan = hybrid_radix::plan_on_grid(
                n, {bucket, bucket}, hybrid_radix::room_of<Shape>(), kBlocks);
            const unsigned bits =
                hybrid_radix::bits_to_fill(plan.filled_digits, plan.digit_bits, 32, ~0u / 9 * 2);
            const auto digits = hybrid_radix::digits_on_grid(bits, kHistogramBits);
            if (!digits.is_split_again) continue;
            ASSERT_LE(std::size_t{1} << (digits.first + digits.second),
                      hybrid_radix::counters_of_level(n, bucket))
                << n << " keys, buckets of " << bucket;
        }
}

/// Passes in tiles that all start together need no more than one for each block.
TEST(HybridRadixFit, OfOnePartitionGivesPassesOfFewKeysOneTileEach) {
    using Few = onesweep::FewShape<unsigned, onesweep::NoValue>;
    using Shape = hybrid_radix::Shape<unsigned, 23, 13, 14, 16, 10, Few>;
    for (const unsigned resident : {1u, kBlocks, 264u, 376u})
        for (std::size_t n = 1; Few::is_for(n, resident); n += n / 9 + 1) {
            hybrid_radix::Fit<Shape, unsigned> fit{};
            fit.passes.multiprocessors = kMultiprocessors;
            hybrid_radix::fit_one_partition(fit, static_cast<unsigned>(n), kLimits, resident, 0);
            ASSERT_EQ(fit.passes.blocks, ceil_div(n, Few::tile_keys(fit.passes.groups)))
                << n << ", " << resident;
        }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
