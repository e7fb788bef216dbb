// Barriers and collectives: how a block's threads and a warp's lanes wait for each other.
#include "simt/emulated/multiprocessor/multiprocessor.h"
#include "simt/emulated/watcher.h"

#include <bit>
#include <string>
#include <utility>

namespace simt::inline SIMT_BACKEND::detail {

unsigned Multiprocessor::sync_block(bool predicate, Location where) {
    if (finished_ > 0)
        fail(std::to_string(finished_) +
                 " threads of the block have exited without reaching this __syncthreads()",
             where);
    if (barrier_.first != nullptr && !same_location(barrier_.first->waits_at, where))
        fail("divergent __syncthreads(): other threads wait at " +
                 describe(barrier_.first->waits_at),
             where);
    const unsigned generation = barrier_.generation;
    RaceEdge& edge = barrier_.edges[generation % 2];
    edge.release();
    spins_ = 0;
    running_->waits_at = where;
    running_->next = nullptr;
    (barrier_.first == nullptr ? barrier_.first : barrier_.last->next) = running_;
    barrier_.last = running_;
    barrier_.votes += predicate ? 1 : 0;
    if (++barrier_.arrived == grid_->threads) {
        barrier_.result[generation % 2] = std::exchange(barrier_.votes, 0);
        ++barrier_.generation;
        barrier_.arrived = 0;
        for (Fiber* fiber = std::exchange(barrier_.first, nullptr); fiber != nullptr;
             fiber = fiber->next) {
            ready_.push(fiber);
            tell([&](auto& to) { to.meets(fiber->thread); });
        }
        tell([](auto& to) { to.barrier_completes(); });
        got_somewhere();
    }
    suspend();
    edge.acquire();
    return barrier_.result[generation % 2];
}

std::uint64_t Multiprocessor::sync_warp(Collective kind, unsigned mask, std::uint64_t value,
                                        unsigned argument, int width, Location where) {
    const unsigned lane = running_->thread % kWarpSize;
    Warp& warp = warps_[running_->thread / kWarpSize];
    const bool orders_memory = kind == Collective::barrier;  // ballots and shuffles do not
    if (orders_memory) warp.edges.arrive(lane);
    if ((mask >> lane & 1) == 0) fail("the calling lane is not in its own mask", where);
    if ((mask & warp.gone) != 0) fail("the mask names lanes that have exited", where);
    if (width < 1 || width > 32 || (width & (width - 1)) != 0)
        fail("a shuffle's width must be a power of two up to 32", where);
    for (const Rendezvous& r : warp.open)
        if (r.mask != mask && (r.mask >> lane & 1) != 0 && (r.arrived & mask) != 0)
            fail("the mask names lanes that wait for this lane with another mask at " +
                     describe(warp.fibers[std::countr_zero(r.arrived & mask)]->waits_at),
                 where);
    Rendezvous& rendezvous = warp.open.of(mask, kind);
    if (rendezvous.kind != kind)
        fail("divergent collective of a warp: other lanes wait in another one at " +
                 describe(warp.fibers[std::countr_zero(rendezvous.arrived)]->waits_at),
             where);
    rendezvous.arrived |= 1u << lane;
    warp.lanes[lane] = {value, 0, argument, width};
    warp.fibers[lane] = running_;
    running_->waits_at = where;
    spins_ = 0;
    step();
    if (rendezvous.arrived == mask) {
        warp.open.close(rendezvous);
        complete(kind, mask, warp.lanes);
        if (orders_memory) warp.edges.complete(mask);
        for_each_lane(mask, [&](unsigned l) {
            ready_.push(warp.fibers[l]);
            tell([&](auto& to) { to.meets(warp.fibers[l]->thread); });
        });
        tell([](auto& to) { to.collective_completes(); });
    }
    suspend();
    if (orders_memory) warp.edges.leave(lane, mask);
    return warp.lanes[lane].result;
}

}  // namespace simt::inline SIMT_BACKEND::detail
