// The plain kernel: a persistent grid whose blocks load one tile after another into registers. For
// large arrays on GPUs without bulk copies.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/single_pass/launch.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// Returns the aggregate of the block's warps before the calling warp. The first warp also computes
/// the aggregate of all warps, and publishes it.
template <class Job>
__device__ typename Job::Prefix add_up_warps(const Launch<Job>& launch, const Ticket& ticket,
                                             const typename Job::Aggregate* of_warp,
                                             typename Job::Aggregate& all) {
    using Aggregate = typename Job::Aggregate;
    using Operator = typename Job::Operator;
    const unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    const unsigned warps = blockDim.x / kLanes;
    const auto identity = Operator::template kIdentity<Aggregate>;
    all = identity;
    if (warp == 0) {
        all = reduce_lanes<Operator>(lane < warps ? of_warp[lane] : identity);
        if (lane == 0) publish(launch.aggregates, ticket, all);
    }
    return reduce_lanes<Operator>(lane < warp ? of_warp[lane] : identity);
}

template <class Job, int kRows>
__device__ void take_tiles(const Launch<Job>& launch) {
    using Aggregate = typename Job::Aggregate;
    using Prefix = typename Job::Prefix;
    using Operator = typename Job::Operator;
    constexpr unsigned kPart = kWarpPart<Job, kRows>;

    __shared__ Ticket drawn;
    __shared__ Aggregate of_warp[kMostWarps];
    __shared__ Prefix before_tile;
    auto* const stagings = simt::dynamic_shared<typename Job::template Staging<kRows>>();

    const Job& job = launch.job;
    const unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    const unsigned warps = blockDim.x / kLanes;
    auto& staging = stagings[warp];

    if (threadIdx.x == 0) drawn = launch.tickets.draw();
    __syncthreads();
    LookBackOf<Job, 4> look_back(launch.aggregates, drawn.epoch);  // the rows need the registers

    for (;;) {
        const Ticket ticket = drawn;
        if (ticket.tile >= launch.tiles) return;
        const std::size_t first = (std::size_t{ticket.tile} * warps + warp) * kPart;
        const bool whole = first + kPart <= launch.extent.vectors_end;

        VectorOf<Job> rows[kRows];
        typename Job::template Held<kRows> held;
        Aggregate own;
        const auto take = [&]<bool kWhole>() {
            own = load_and_reduce<kWhole>(job, first, launch.extent, rows);
            if (lane == 0) of_warp[warp] = own;
        };
        whole ? take.template operator()<true>() : take.template operator()<false>();
        __syncthreads();

        Aggregate all;
        const Prefix before_warp = add_up_warps(launch, ticket, of_warp, all);
        const auto hold = [&]<bool kWhole>() {
            job.template hold<kWhole>(rows, own, first, launch.extent, held, staging);
        };
        whole ? hold.template operator()<true>() : hold.template operator()<false>();
        if (warp == 0) {
            const Prefix before = look_back.before(ticket.tile);
            if (lane == 0) {
                before_tile = before;
                if (ticket.tile == launch.tiles - 1) job.end(Operator()(before, Prefix{all}));
            }
        }
        __syncthreads();

        // Not drawn earlier, because from now on other blocks wait for this block's next tile.
        Ticket next{};
        if (threadIdx.x == 0) next = launch.tickets.draw();
        const auto prepared = job.prepare(held);
        const Prefix prefix = Operator()(before_tile, before_warp);
        if (whole)
            job.template finish<true>(held, prepared, first, launch.extent, prefix, staging);
        else
            job.template finish<false>(held, prepared, first, launch.extent, prefix, staging);
        if (threadIdx.x == 0) drawn = next;
        __syncthreads();
    }
}

/// A block draws a tile, loads and reduces it, publishes the aggregate, looks back, and finishes
/// it, until no tile is left.
template <class Job, int kRows>
__global__ void __launch_bounds__(kMostWarps* kLanes, kBlocks<Job, kRows>)
    plain(Launch<Job> launch) {
    simt::wait_for_earlier_work();
    take_tiles<Job, kRows>(launch);
}

/// The same for a number of elements in device memory.
template <class Job, int kRows>
__global__ void __launch_bounds__(kMostWarps* kLanes, kBlocks<Job, kRows>)
    plain_of_device_size(Launch<Job> launch, DeviceSize size) {
    simt::wait_for_earlier_work();
    fit(launch, size, blockDim.x / kLanes * std::size_t{kWarpPart<Job, kRows>}, 1);
    take_tiles<Job, kRows>(launch);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
