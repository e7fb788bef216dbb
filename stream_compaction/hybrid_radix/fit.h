// Makes a launch's work one for n keys: on the host, or by each block where only the device knows
// n.
#pragma once

#include "stream_compaction/hybrid_radix/lists.h"
#include "stream_compaction/hybrid_radix/passes.h"
#include "stream_compaction/hybrid_radix/plan.h"
#include "stream_compaction/hybrid_radix/work.h"
#include "stream_compaction/parts/size_on_device.h"

#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

template <class Shape>
__host__ __device__ constexpr BlockRoom room_of() {
    return {Shape::kBlockKeys, Shape::kSplitTile, kMaxHistogramBits<Shape>};
}

/// To be partitioned once, from registers: first, how the keys are divided among the blocks, beside
/// a cluster of so many, if there is one, that sorts uneven ones.
template <class Shape>
__host__ __device__ void fit_tiles(Fit<Shape, unsigned>& fit, unsigned n, unsigned resident,
                                   unsigned cluster) {
    const PartitionTiles tiles = plan_tiles(n, room_of<Shape>(), resident, cluster);
    fit.n = fit.passes.n = n;
    fit.blocks = tiles.blocks;
    fit.tile = tiles.tile;
}

/// Then the digits,
template <class Shape>
__host__ __device__ void fit_digits(Fit<Shape, unsigned>& fit, const Limits& limits,
                                    unsigned cluster) {
    fit.digits = plan_digits(fit.n, limits, cluster);
}

/// and what becomes of uneven keys.
template <class Shape>
__host__ __device__ void fit_uneven(Fit<Shape, unsigned>& fit, const Limits& limits,
                                    unsigned cluster) {
    const unsigned n = fit.n;
    fit.bucket = bucket_of_partition(n, limits, cluster);
    fit.window_bits = window_bits(n, fit.bucket);
    fit.split_tile = split_tile(n, fit.blocks, room_of<Shape>());
    // Divided once, from registers, uneven keys are sorted sooner than level by level.
    const bool is_divided_once =
        fit.tile <= Shape::kSplitTile && limits.uneven_way != UnevenWay::passes;
    fit.is_divided_by_samples =
        is_divided_once && n <= most_divided_by_samples(fit.bucket, sizeof(typename Shape::Bits));
    const Splitting splitting = fit.is_divided_by_samples ? Splitting::by_samples
                                : is_divided_once         ? Splitting::once
                                                          : Splitting::in_levels_of_few;
    fit.rare_for_passes =
        rare_for_passes(n, sizeof(typename Shape::Passes::Bits), sizeof(typename Shape::Bits),
                        limits.uneven_way, splitting, kHasPassesForFew<typename Shape::Passes>);
    fit.costs = uneven_costs(
        n, sizeof(typename Shape::Bits),
        is_divided_once || fit.rare_for_passes > 0 ? UnevenWay::splitters : limits.uneven_way);
}

/// How many blocks have keys.
template <class Shape>
unsigned fit_one_partition(Fit<Shape, unsigned>& fit, unsigned n, const Limits& limits,
                           unsigned resident, unsigned cluster) {
    fit_tiles(fit, n, resident, cluster);
    fit_digits(fit, limits, cluster);
    fit_uneven(fit, limits, cluster);
    fit.passes.choose_tiles(fit.blocks);
    return fit.blocks;
}

/// To be partitioned as often as it takes. How many blocks have keys.
template <class Shape, class Offset>
__host__ __device__ unsigned fit_grid(Fit<Shape, Offset>& fit, Offset n, const Limits& limits,
                                      unsigned resident) {
    const GridPlan plan = plan_on_grid(n, limits, room_of<Shape>(), resident);
    fit.n = fit.passes.n = n;
    fit.blocks = plan.blocks;
    fit.tile = plan.tile;
    fit.split_tile = split_tile(n, plan.blocks, room_of<Shape>());
    fit.bucket = static_cast<unsigned>(limits.bucket);
    fit.window_bits = window_bits(n, fit.bucket);
    fit.digit_bits = plan.digit_bits;
    fit.filled_digits = plan.filled_digits;
    fit.rare_for_passes = rare_for_passes(
        n, sizeof(typename Shape::Passes::Bits), sizeof(typename Shape::Bits), limits.uneven_way,
        Splitting::in_levels, kHasPassesForFew<typename Shape::Passes>);
    fit.costs = uneven_costs(n, sizeof(typename Shape::Bits),
                             fit.rare_for_passes > 0 ? UnevenWay::splitters : limits.uneven_way);
    fit.few_values = few_values(n, limits.uneven_way);
    fit.passes.choose_tiles(plan.blocks);
    return plan.blocks;
}

/// What a kernel gets besides its work, where only the device knows n.
struct OnDevice {
    DeviceSize size;
    Limits limits;
};

/// Makes work.fit() what the host planned.
template <class Shape, class Offset>
__device__ void take_plan(const Work<Shape, Offset>& work) {
    copy_words(work.planned, own_fit<Shape, Offset>());
    __syncthreads();
}

/// The same for as many keys as the device says, maybe none: one thread calls fit_to(fit, n). All
/// threads call it, as the others here.
template <class Shape, class F>
__device__ void plan_on_device(const Work<Shape, unsigned>& work, const DeviceSize& size,
                               F fit_to) {
    Fit<Shape, unsigned>& fit = own_fit<Shape, unsigned>();
    take_plan(work);
    if (threadIdx.x == 0) {
        fit.n = static_cast<unsigned>(read_size(size, work.planned.n));
        if (fit.n > 0) fit_to(fit, fit.n);
    }
    __syncthreads();
}

template <class Shape>
__device__ void plan_grid_on_device(const Work<Shape, unsigned>& work, const OnDevice& on_device) {
    plan_on_device(work, on_device.size, [&](Fit<Shape, unsigned>& fit, unsigned n) {
        fit_grid(fit, n, on_device.limits, gridDim.x);
    });
}

/// Of one partition, what a block needs to read its keys;
template <class Shape>
__device__ void plan_tiles_on_device(const Work<Shape, unsigned>& work, const OnDevice& on_device) {
    plan_on_device(work, on_device.size, [&](Fit<Shape, unsigned>& fit, unsigned n) {
        fit_tiles(fit, n, gridDim.x - work.cluster, work.cluster);
    });
}

/// the digits, while these come: nobody reads them before the block's next barrier;
template <class Shape>
__device__ void plan_digits_on_device(const Work<Shape, unsigned>& work,
                                      const OnDevice& on_device) {
    if (threadIdx.x == 0) fit_digits(own_fit<Shape, unsigned>(), on_device.limits, work.cluster);
}

/// and, of uneven keys, the rest.
template <class Shape>
__device__ void plan_uneven_on_device(const Work<Shape, unsigned>& work,
                                      const OnDevice& on_device) {
    Fit<Shape, unsigned>& fit = own_fit<Shape, unsigned>();
    if (threadIdx.x == 0) {
        fit_uneven(fit, on_device.limits, work.cluster);
        fit.passes.choose_tiles(fit.blocks);
    }
    __syncthreads();
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
