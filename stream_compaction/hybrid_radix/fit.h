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

/// To be partitioned once, from registers. How many blocks have keys, beside a cluster of
/// `work.cluster` blocks, if there is one, that sorts uneven ones.
template <class Shape>
__host__ __device__ unsigned fit_one_partition(Work<Shape, unsigned>& work, unsigned n,
                                               const Limits& limits, unsigned resident) {
    const PartitionPlan plan =
        plan_one_partition(n, limits, room_of<Shape>(), resident, work.cluster);
    work.bucket = plan.bucket;
    work.digit = plan.digit;
    work.n = work.passes.n = n;
    work.tile = plan.tile;
    work.split_tile = split_tile(n, plan.blocks, room_of<Shape>());
    work.digit_bits[0] = plan.digit_bits;
    work.countable_bits = plan.countable_bits;
    work.frequent = plan.frequent;
    work.least_digits = plan.least_digits;
    // Divided once, from registers, uneven keys are sorted sooner than level by level.
    const bool is_divided_once =
        plan.tile <= Shape::kSplitTile && limits.uneven_way != UnevenWay::passes;
    work.is_divided_by_samples =
        is_divided_once && n <= most_divided_by_samples(plan.bucket, sizeof(typename Shape::Bits));
    const Splitting splitting = work.is_divided_by_samples ? Splitting::by_samples
                                : is_divided_once          ? Splitting::once
                                                           : Splitting::in_levels_of_few;
    work.rare_for_passes =
        rare_for_passes(n, sizeof(typename Shape::Passes::Bits), sizeof(typename Shape::Bits),
                        limits.uneven_way, splitting, kHasPassesForFew<typename Shape::Passes>);
    work.costs = uneven_costs(
        n, sizeof(typename Shape::Bits),
        is_divided_once || work.rare_for_passes > 0 ? UnevenWay::splitters : limits.uneven_way);
    work.passes.choose_tiles(plan.blocks);
    return plan.blocks;
}

/// To be partitioned as often as it takes. How many blocks have keys.
template <class Shape, class Offset>
__host__ __device__ unsigned fit_grid(Work<Shape, Offset>& work, Offset n, const Limits& limits,
                                      unsigned resident) {
    const GridPlan plan = plan_on_grid(n, limits, room_of<Shape>(), resident);
    work.n = work.passes.n = n;
    work.window_bits = window_bits(n, limits.bucket);
    work.tile = plan.tile;
    work.split_tile = split_tile(n, plan.blocks, room_of<Shape>());
    work.digit_bits[0] = plan.digit_bits[0], work.digit_bits[1] = plan.digit_bits[1];
    work.is_split_again = plan.is_split_again;
    work.rare_for_passes = rare_for_passes(
        n, sizeof(typename Shape::Passes::Bits), sizeof(typename Shape::Bits), limits.uneven_way,
        Splitting::in_levels, kHasPassesForFew<typename Shape::Passes>);
    work.costs = uneven_costs(n, sizeof(typename Shape::Bits),
                              work.rare_for_passes > 0 ? UnevenWay::splitters : limits.uneven_way);
    work.passes.choose_tiles(plan.blocks);
    return plan.blocks;
}

/// What a kernel gets besides its work, where only the device knows n. The work is one for as many
/// keys as there can be.
/// (Kernels choose between the work that they were given and their own by a pointer: a function for
/// both would change what the compiler inlines for an n of the host. See notes.md.)
struct OnDevice {
    DeviceSize size;
    Limits limits;
};

/// The block's own work, in shared memory, for as many keys as the device says: maybe none. All
/// threads call it.
/// @tparam kFit fit_one_partition or fit_grid
template <auto kFit, class Shape>
__device__ const Work<Shape, unsigned>& own_work(const Work<Shape, unsigned>& most,
                                                 const OnDevice& on_device) {
    static_assert(std::is_trivially_default_constructible_v<Work<Shape, unsigned>>);
    __shared__ Work<Shape, unsigned> work;
    if (threadIdx.x == 0) {
        work = most;
        work.n = static_cast<unsigned>(read_size(on_device.size, most.n));
        if (work.n > 0) kFit(work, work.n, on_device.limits, gridDim.x - work.cluster);
    }
    __syncthreads();
    return work;
}

template <class Shape>
__device__ const Work<Shape, unsigned>& work_of_one_partition(const Work<Shape, unsigned>& most,
                                                              const OnDevice& on_device) {
    return own_work<fit_one_partition<Shape>>(most, on_device);
}
template <class Shape>
__device__ const Work<Shape, unsigned>& work_of_grid(const Work<Shape, unsigned>& most,
                                                     const OnDevice& on_device) {
    return own_work<fit_grid<Shape, unsigned>>(most, on_device);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
