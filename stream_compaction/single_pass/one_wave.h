// One tile per block, with all blocks in one wave: for arrays whose time is dominated by latency,
// not bandwidth. The tile of a block is given by its index, so it can load without waiting for a
// ticket. All of its warps look back, each over other tiles, with one access to the L2.
//
// A block may need tiles of blocks that do not run yet. It therefore polls a limited number of
// times, and then computes the missing aggregates from the input. In place, tiles are assigned by
// ticket. design.md, "Why it is right", has the arguments.
//
// Source: Smith, Levien and Owens, "Decoupled Fallback: A Portable Single-Pass GPU Scan", 2025, for
// computing aggregates that other blocks have not published.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/single_pass/launch.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// As many tiles as one warp can add up, in groups of 32.
inline constexpr unsigned kMostTilesOfWave = kLanes * kLanes;
/// How often a word is polled before other blocks compute its tile; about 100 us on an H200.
inline constexpr unsigned kPatience = 200;

/// The words of the tiles in a group that are before a block's tile, one per lane.
template <class Job>
struct Group {
    using Aggregate = typename Job::Aggregate;

    unsigned tile;  ///< the lane's
    bool is_before;
    Words<Aggregate> words{};

    __device__ Group(unsigned group, const Ticket& own)
        : tile(group * kLanes + threadIdx.x % kLanes), is_before(tile < own.tile) {}

    /// Loads the words once. Returns a mask of the lanes whose tiles are not published.
    __device__ unsigned look(const Launch<Job>& launch, unsigned epoch) {
        if (is_before) words = Words<Aggregate>::load(launch.aggregates, tile);
        return __ballot_sync(kAllLanes, is_before && !words.are_there(epoch));
    }

    /// The aggregate of these tiles, in every lane.
    __device__ Aggregate sum() const {
        using Operator = typename Job::Operator;
        return reduce_lanes<Operator>(is_before ? words.aggregate()
                                                : Operator::template kIdentity<Aggregate>);
    }
};

/// Publishes what the owner of a tile would publish, bit for bit. Called by one warp.
template <class Job, int kRows>
__device__ void publish_for_owner(const Launch<Job>& launch, const Ticket& ticket) {
    const unsigned warps = blockDim.x / kLanes, lane = threadIdx.x % kLanes;
    auto of_warp = Job::Operator::template kIdentity<typename Job::Aggregate>;
    for (unsigned warp = 0; warp < warps; ++warp) {
        VectorOf<Job> rows[kRows];
        const std::size_t first = (std::size_t{ticket.tile} * warps + warp) * kWarpPart<Job, kRows>;
        const auto own = load_and_reduce<false>(launch.job, first, launch.extent, rows);
        if (lane == warp) of_warp = own;
    }
    const auto all = reduce_lanes<typename Job::Operator>(of_warp);
    if (lane == 0) publish(launch.aggregates, ticket, all);
}

template <class Job, int kRows>
struct OneTile {
    using Aggregate = typename Job::Aggregate;
    using Prefix = typename Job::Prefix;
    using Operator = typename Job::Operator;
    using Staging = typename Job::template Staging<kRows>;
    static constexpr auto kNothing = Operator::template kIdentity<Aggregate>;
    static constexpr unsigned kPart = kWarpPart<Job, kRows>;

    struct Shared {
        Ticket ticket;
        Aggregate of_warp[kMostWarps], of_group[kLanes];
    };

    const Launch<Job>& launch;
    Shared& shared;
    bool by_ticket;  ///< whether blocks get their tile by ticket instead of by index
    unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    unsigned warps = blockDim.x / kLanes;

    __device__ bool is_alone() const { return gridDim.x == 1; }  // no other block to publish for

    __device__ void take() const {
        Ticket ticket{blockIdx.x, 0};
        if (!is_alone() && threadIdx.x == 0) {
            if (by_ticket)
                shared.ticket = launch.tickets.draw();
            else
                ticket.epoch = launch.tickets.epoch();  // in flight while the tile is loaded
        }
        if (by_ticket) {
            __syncthreads();
            ticket = shared.ticket;
        }
        if (ticket.tile >= launch.tiles) {  // there may be fewer tiles than the launch has blocks
            if (!is_alone() && !by_ticket && threadIdx.x == 0) launch.tickets.draw();
            return;
        }
        for (bool is_first = true; !try_tile(ticket, is_first); is_first = false)
            publish_what_is_missing(ticket);
    }

    /// Returns, in every thread, whether all earlier tiles were published.
    __device__ bool try_tile(Ticket& ticket, bool is_first) const {
        const Job& job = launch.job;
        Staging& staging = simt::dynamic_shared<Staging>()[warp];
        const std::size_t first = (std::size_t{ticket.tile} * warps + warp) * kPart;
        const bool whole = first + kPart <= launch.extent.vectors_end;

        VectorOf<Job> rows[kRows];
        typename Job::template Held<kRows> held;
        Aggregate own;
        const auto take = [&]<bool kWhole>() {
            own = load_and_reduce<kWhole>(job, first, launch.extent, rows);
            if (lane == 0) shared.of_warp[warp] = own;
        };
        whole ? take.template operator()<true>() : take.template operator()<false>();
        if (threadIdx.x == 0 && !by_ticket) shared.ticket = ticket;
        __syncthreads();

        ticket = shared.ticket;
        Aggregate all = kNothing;
        if (warp == 0) {
            all = reduce_lanes<Operator>(lane < warps ? shared.of_warp[lane] : kNothing);
            if (lane == 0 && !is_alone()) publish(launch.aggregates, ticket, all);
        }
        const Aggregate before_warp =
            reduce_lanes<Operator>(lane < warp ? shared.of_warp[lane] : kNothing);
        const auto hold = [&]<bool kWhole>() {
            job.template hold<kWhole>(rows, own, first, launch.extent, held, staging);
        };
        whole ? hold.template operator()<true>() : hold.template operator()<false>();
        const auto prepared = job.prepare(held);
        simt::let_next_kernel_start();  // earlier it would delay this kernel

        // A block that has read the epoch draws a ticket, to be counted. A warp with little
        // look-back work does that.
        if (is_first && !by_ticket && !is_alone() && warp == warps - 1 && lane == 0)
            launch.tickets.draw();

        const unsigned groups = groups_before(ticket);
        bool is_complete = true;
        for (unsigned group = warp; group < groups; group += warps) {
            Group<Job> words(group, ticket);
            for (unsigned looks = 1; words.look(launch, ticket.epoch) != 0; looks += !by_ticket) {
                is_complete = looks < kPatience;
                if (!is_complete) break;
                simt::relax();
            }
            const Aggregate sum = words.sum();
            if (lane == 0) shared.of_group[group] = sum;
        }
        if (!__syncthreads_and(is_complete)) return false;
        const Aggregate before_tile =
            reduce_lanes<Operator>(lane < groups ? shared.of_group[lane] : kNothing);
        if (threadIdx.x == 0 && ticket.tile == launch.tiles - 1)
            job.end(Operator()(Prefix{before_tile}, Prefix{all}));

        const Prefix prefix{Operator()(before_tile, before_warp)};
        if (whole)
            job.template finish<true>(held, prepared, first, launch.extent, prefix, staging);
        else
            job.template finish<false>(held, prepared, first, launch.extent, prefix, staging);
        return true;
    }

    /// Called without data of the block's own tile, whose registers are needed here.
    __device__ void publish_what_is_missing(const Ticket& ticket) const {
        for (unsigned group = warp; group < groups_before(ticket); group += warps) {
            unsigned missing = Group<Job>(group, ticket).look(launch, ticket.epoch);
            for (; missing != 0; missing &= missing - 1) {
                const auto tile = group * kLanes + static_cast<unsigned>(__ffs(missing)) - 1;
                publish_for_owner<Job, kRows>(launch, {tile, ticket.epoch});
            }
        }
    }

    __device__ static unsigned groups_before(const Ticket& ticket) {
        return (ticket.tile + kLanes - 1) / kLanes;
    }
};

template <class Job, int kRows>
__device__ void take_one_tile(const Launch<Job>& launch, bool by_ticket) {
    __shared__ typename OneTile<Job, kRows>::Shared shared;
    OneTile<Job, kRows>{launch, shared, by_ticket}.take();
}

/// A block's kernel: loads and reduces its tile, publishes the aggregate, looks back, and finishes
/// the tile.
template <class Job, int kRows>
__global__ void __launch_bounds__(kMostWarps* kLanes, kBlocks<Job, kRows>)
    one_wave(Launch<Job> launch, bool by_ticket) {
    if (threadIdx.x == 0) prefetch_word(launch, blockIdx.x);
    simt::wait_for_earlier_work();
    take_one_tile<Job, kRows>(launch, by_ticket);
}

/// The same for a number of elements in device memory; blocks without a tile only draw a ticket.
template <class Job, int kRows>
__global__ void __launch_bounds__(kMostWarps* kLanes, kBlocks<Job, kRows>)
    one_wave_of_device_size(Launch<Job> launch, bool by_ticket, DeviceSize size) {
    if (threadIdx.x == 0) prefetch_word(launch, blockIdx.x);
    simt::wait_for_earlier_work();
    fit(launch, size, blockDim.x / kLanes * std::size_t{kWarpPart<Job, kRows>}, 0);
    take_one_tile<Job, kRows>(launch, by_ticket);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
