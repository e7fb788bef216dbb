// The pipelined kernel: bulk copies bring tiles to shared memory while others are processed.
#pragma once

#include "simt/async_copy.h"
#include "simt/kernel.h"
#include "stream_compaction/single_pass/launch.h"

#include <cstddef>
#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// The warps of a block have four roles:
///  * the loader draws tickets and starts the copies of tiles to shared memory when there is room;
///  * the workers load every tile from there and reduce it. A worker holds several tiles: when it
///    has loaded a new tile, it finishes its oldest one, whose prefix has had the time of the
///    others to arrive;
///  * the publisher publishes the tiles' aggregates;
///  * the lookers compute the tiles' prefixes.
/// Only a few chunks are in flight at any time. They saturate the memory, so more would not be
/// faster, but the words of the look-back would queue behind them: with six tiles in flight, a
/// prefix took 6 us.
///
/// @tparam kWorkers, kRows number of workers, rows of a worker. More workers hide latency better
template <class Job, unsigned kWorkers, int kRows>
struct Pipeline {
    using Aggregate = typename Job::Aggregate;
    using Prefix = typename Job::Prefix;
    using Operator = typename Job::Operator;
    using Vectors = VectorOf<Job>;

    using Held = typename Job::template Held<kRows>;
    using Staging = typename Job::template Staging<kRows>;

    static constexpr unsigned kLookers = 2;                                   // maximum; see Launch
    static constexpr unsigned kThreads = (kWorkers + 2 + kLookers) * kLanes;  // first the workers,
    static constexpr unsigned kLoader = kWorkers, kPublisher = kLoader + 1;   // then
    static constexpr unsigned kFirstLooker = kPublisher + 1;
    static constexpr unsigned kStages = 2;  // tiles in shared memory
    static constexpr unsigned kDepth = Job::kDepth;
    static constexpr unsigned kSlots = kDepth + kLookers;
    static constexpr unsigned kWarpPart = kRows * kRow<typename Job::Element>;
    static constexpr unsigned kTile = kWorkers * kWarpPart;
    static constexpr unsigned kTileBytes = kTile * sizeof(typename Job::Element);
    static constexpr unsigned kWorkersOfChunk = 8;
    static constexpr unsigned kChunks = kWorkers / kWorkersOfChunk;  // of a tile
    static constexpr unsigned kChunkBytes = kTileBytes / kChunks;
    static constexpr unsigned kChunksAtOnce = kChunks + 1;  // in flight; at least 40 KB
    static constexpr unsigned kNoTile = ~0u;
    /// Batch of the look-back: eight groups, or six of two words each, limited by registers.
    static constexpr int kBatchWords = kWordsOfTile<Aggregate> == 1 ? 8 : 12;

    /// Communication between the warps about a tile. The k-th tile of a block uses slot k % kSlots.
    /// The slot is free then: a worker that takes tile k has finished tile k - kSlots + 1, whose
    /// prefix needed the publisher's and the lookers' work on tile k - kSlots.
    struct Slot {
        Ticket ticket;
        Aggregate of_warp[kWorkers];
        Prefix before_warp[kWorkers];
        simt::TransactionBarrier reduced;   // ticket and of_warp are valid
        simt::TransactionBarrier prefixed;  // before_warp is valid
    };

    struct Shared {
        Vectors stages[kStages][kTileBytes / sizeof(Vectors)];
        Staging staging[kDepth][kWorkers];
        Ticket staged[kStages];
        simt::TransactionBarrier full[kStages][kChunks];
        simt::TransactionBarrier empty[kStages];
        Slot slots[kSlots];
    };

    /// Barriers alternate between two phases.
    __device__ static unsigned parity(unsigned use) { return use % 2; }

    const Launch<Job>& launch;
    Shared& shared;
    unsigned warp, lane;

    /// Size of a tile's bulk copies, which move only whole vectors.
    __device__ unsigned bulk_bytes(unsigned tile) const {
        const std::size_t first = std::size_t{tile} * kTile;
        if (first >= launch.extent.vectors_end) return 0;
        const std::size_t left = launch.extent.vectors_end - first;
        return static_cast<unsigned>(min(left, std::size_t{kTile}) * sizeof(typename Job::Element));
    }

    __device__ void init_barriers() const {
        for (unsigned s = 0; s < kStages; ++s) {
            for (auto& full : shared.full[s]) full.init(1);
            shared.empty[s].init(kWorkers);
        }
        for (Slot& slot : shared.slots) {
            slot.reduced.init(kWorkers);
            slot.prefixed.init(kWorkers);
        }
        simt::fence_barrier_init();
    }

    /// The loader, one thread.
    __device__ void load() const {
        Ticket ticket = launch.tickets.draw();
        for (unsigned k = 0;; ++k) {
            const unsigned tile = ticket.tile, stage = k % kStages;
            const bool is_end = tile >= launch.tiles;
            const Ticket staged{is_end ? kNoTile : tile, ticket.epoch};
            if (!is_end) prefetch_word<Job>(launch, tile);
            // Draw while the stage is being emptied. But the first tile must not wait for another
            // ticket.
            if (!is_end && k > 0) ticket = launch.tickets.draw();
            if (k >= kStages) shared.empty[stage].wait(parity(k / kStages - 1));
            shared.staged[stage] = staged;
            load_chunks(k, tile, is_end ? 0 : bulk_bytes(tile));
            if (is_end) return;
            if (k == 0) ticket = launch.tickets.draw();
        }
    }

    /// Loads the block's k-th tile. A chunk is requested when fewer than kChunksAtOnce are in
    /// flight.
    __device__ void load_chunks(unsigned k, unsigned tile, unsigned bytes) const {
        const unsigned stage = k % kStages;
        auto* const from = reinterpret_cast<const char*>(launch.job.in + std::size_t{tile} * kTile);
        auto* const to = reinterpret_cast<char*>(shared.stages[stage]);
        for (unsigned c = 0; c < kChunks; ++c) {
            const unsigned chunk = k * kChunks + c, begin = c * kChunkBytes;
            if (chunk >= kChunksAtOnce) {
                const unsigned before = chunk - kChunksAtOnce;
                wait_for_chunk(before / kChunks, before % kChunks);
            }
            simt::TransactionBarrier& full = shared.full[stage][c];
            if (begin >= bytes) {
                full.arrive();
                continue;
            }
            const unsigned of_chunk = min(bytes - begin, kChunkBytes);
            full.arrive_expect_tx(of_chunk);
            // Before a short launch, the L2 contains much data that has not been written back. It
            // need not be if the input replaces its own lines. In a long launch, results would
            // evict lines that are about to be read.
            if (launch.is_short)
                simt::bulk_load_evict_first(to + begin, from + begin, of_chunk, full);
            else
                simt::bulk_load_evict_last(to + begin, from + begin, of_chunk, full);
        }
    }

    /// Waits for a chunk of the block's k-th tile.
    __device__ void wait_for_chunk(unsigned k, unsigned chunk) const {
        shared.full[k % kStages][chunk].wait(parity(k / kStages));
    }

    __device__ void work() const {
        Held held[kDepth];
        unsigned tiles[kDepth];
        unsigned end = kNoTile;  // the number of the block's tiles, once it is known
        for (unsigned round = 0;; round += kDepth) {
#pragma unroll
            for (unsigned newest = 0; newest < kDepth; ++newest) {
                const unsigned k = round + newest, oldest = (newest + 1) % kDepth;
                if (k < end) {
                    tiles[newest] = take(k, held[newest], shared.staging[newest][warp]);
                    if (tiles[newest] == kNoTile) end = k;
                }
                if (k + 1 < kDepth) continue;
                if (k + 1 - kDepth >= end) return;
                finish(k + 1 - kDepth, tiles[oldest], held[oldest], shared.staging[oldest][warp]);
            }
        }
    }

    /// Moves the worker's part of the block's k-th tile out of the ring of stages, and reduces it.
    __device__ unsigned take(unsigned k, Held& held, Staging& staging) const {
        const unsigned stage = k % kStages;
        Slot& slot = shared.slots[k % kSlots];
        wait_for_chunk(k, warp / kWorkersOfChunk);
        // One lane reads it, because the loader overwrites it as soon as that lane has arrived at
        // `empty`.
        Ticket ticket{};
        if (lane == 0) ticket = shared.staged[stage];
        const unsigned tile = __shfl_sync(kAllLanes, ticket.tile, 0);
        if (tile == kNoTile) {
            for (unsigned looker = 0; lane == 0 && looker < launch.lookers; ++looker) {
                Slot& last = shared.slots[(k + looker) % kSlots];
                if (warp == 0) last.ticket = ticket;
                last.reduced.arrive();
            }
            return tile;
        }
        if (warp == 0 && lane == 0) slot.ticket = ticket;

        const std::size_t first = first_of_warp(tile);
        Vectors rows[kRows];
        const auto take_rows = [&]<bool kWhole>() {
            const auto vector_at = [&](int row) {
                return shared.stages[stage][(warp * kRows + row) * kLanes + lane];
            };
            load_rows<kWhole>(vector_at, launch.job.in, first, launch.extent, Job::kPadding, rows);
            __syncwarp();
            if (lane == 0) shared.empty[stage].arrive();
            const Aggregate aggregate =
                launch.job.template reduce<kWhole>(rows, first, launch.extent);
            if (lane == 0) {
                slot.of_warp[warp] = aggregate;
                slot.reduced.arrive();
            }
            launch.job.template hold<kWhole>(rows, aggregate, first, launch.extent, held, staging);
        };
        is_whole(first) ? take_rows.template operator()<true>()
                        : take_rows.template operator()<false>();
        return tile;
    }

    __device__ void finish(unsigned k, unsigned tile, const Held& held, Staging& staging) const {
        Slot& slot = shared.slots[k % kSlots];
        const auto prepared = launch.job.prepare(held);
        slot.prefixed.wait(parity(k / kSlots));
        const Prefix prefix = slot.before_warp[warp];
        const std::size_t first = first_of_warp(tile);
        if (is_whole(first))
            launch.job.template finish<true>(held, prepared, first, launch.extent, prefix, staging);
        else
            launch.job.template finish<false>(held, prepared, first, launch.extent, prefix,
                                              staging);
    }

    /// Whether the warp's part of a tile consists of whole vectors.
    __device__ bool is_whole(std::size_t first) const {
        return first + kWarpPart <= launch.extent.vectors_end;
    }

    __device__ std::size_t first_of_warp(unsigned tile) const {
        return std::size_t{tile} * kTile + warp * kWarpPart;
    }

    /// Waits until the block's k-th tile has been reduced.
    __device__ Slot& wait_for_reduced(unsigned k) const {
        Slot& slot = shared.slots[k % kSlots];
        slot.reduced.wait(parity(k / kSlots));
        return slot;
    }

    __device__ void publish_aggregates() const {
        for (unsigned k = 0;; ++k) {
            const Slot& slot = wait_for_reduced(k);
            const Ticket ticket = slot.ticket;
            if (ticket.tile == kNoTile) return;
            const Aggregate sum = reduce_lanes<Operator>(of_worker(slot));
            __syncwarp();  // all lanes have read the slot before anyone can reuse it
            if (lane == 0) publish(launch.aggregates, ticket, sum);
        }
    }

    /// A looker processes every lookers-th tile.
    __device__ void look_back(unsigned looker) const {
        unsigned k = looker;
        Slot* slot = &wait_for_reduced(k);
        LookBackOf<Job, kBatchWords> look_back(launch.aggregates, slot->ticket.epoch);
        for (; slot->ticket.tile != kNoTile; slot = &wait_for_reduced(k += launch.lookers)) {
            const unsigned tile = slot->ticket.tile;
            Prefix up_to_warp[1] = {of_worker(*slot)};
            scan_lanes(up_to_warp, Operator());
            Prefix before_warp = __shfl_up_sync(kAllLanes, up_to_warp[0], 1);
            if (lane == 0) before_warp = Operator::template kIdentity<Prefix>;

            __syncwarp();  // all lanes have read the slot before anyone can reuse it
            const Prefix before_tile = look_back.before(tile);
            if (lane < kWorkers) {
                slot->before_warp[lane] = Operator()(before_tile, before_warp);
                slot->prefixed.arrive();
            }
            if (lane == kWorkers && tile == launch.tiles - 1)
                launch.job.end(Operator()(before_tile, before_warp));
        }
    }

    __device__ Aggregate of_worker(const Slot& slot) const {
        return lane < kWorkers ? slot.of_warp[lane] : Operator::template kIdentity<Aggregate>;
    }
};

/// The body of both kernels: assigns the roles to the warps.
/// @param fit_launch called when earlier work has finished, because that work may compute n
template <class Job, class Pipe, class Fit>
__device__ void run_pipeline(const Launch<Job>& launch, Fit fit_launch) {
    auto& shared = *simt::dynamic_shared<typename Pipe::Shared>();
    const Pipe pipe{launch, shared, threadIdx.x / kLanes, threadIdx.x % kLanes};
    simt::let_next_kernel_start();
    if (threadIdx.x == 0) {
        simt::prefetch(launch.tickets.word);
        pipe.init_barriers();
    }
    __syncthreads();
    simt::wait_for_earlier_work();
    fit_launch();
    if (pipe.warp < Pipe::kLoader) {
        pipe.work();
    } else if (pipe.warp == Pipe::kLoader) {
        if (pipe.lane == 0) pipe.load();
    } else if (pipe.warp == Pipe::kPublisher) {
        pipe.publish_aggregates();
    } else if (pipe.warp - Pipe::kFirstLooker < launch.lookers) {
        pipe.look_back(pipe.warp - Pipe::kFirstLooker);
    }
}

/// Processes tiles in a pipeline, one block per multiprocessor.
template <class Job, class Pipe>
__global__ void __launch_bounds__(Pipe::kThreads, 1) pipelined(Launch<Job> launch) {
    run_pipeline<Job, Pipe>(launch, [] {});
}

/// The same for a number of elements in device memory.
template <class Job, class Pipe>
__global__ void __launch_bounds__(Pipe::kThreads, 1)
    pipelined_of_device_size(Launch<Job> launch, DeviceSize size) {
    run_pipeline<Job, Pipe>(launch, [&] { fit(launch, size, Pipe::kTile, 1); });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
