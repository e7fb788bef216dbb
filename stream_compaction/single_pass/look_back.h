// What the blocks of a launch tell each other: who works on which tile, and the tiles' aggregates.
//
// Forward progress. A tile belongs to whoever draws its ticket, and tickets are drawn in order by
// blocks that run. A block publishes a tile's aggregate before it waits for anything, and waits
// only for aggregates of lower tickets. So among the blocks that have unpublished tiles, the one
// with the lowest needs nobody: it publishes, and by induction all do. Nothing depends on how many
// blocks are resident, on their order, or on what else runs on the device.
//
// Every launch has a number, its epoch; a word of another epoch is as good as empty. So nothing
// needs to be cleared, and the same launch can be replayed from a graph. (The number has 32 bits: a
// plan that was used for small arrays exactly 2^32 - 1 times since its last large one, and never
// in between, would take that one's words for new.)
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/single_pass/lanes.h"
#include "stream_compaction/single_pass/operators.h"

#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

// A word holds the epoch in its upper half, and something of that epoch in its lower half.
__host__ __device__ constexpr std::uint64_t pack(unsigned epoch, unsigned value) {
    return std::uint64_t{epoch} << 32 | value;
}
__host__ __device__ constexpr unsigned epoch_of(std::uint64_t word) {
    return static_cast<unsigned>(word >> 32);
}
__host__ __device__ constexpr unsigned value_of(std::uint64_t word) {
    return static_cast<unsigned>(word);
}

struct Ticket {
    unsigned tile;  ///< none where it is not less than the number of tiles
    unsigned epoch;
};

/// Hands out 0, 1, 2, ... to the blocks of a launch, which draw `draws` times together. The last
/// draw prepares the word for the next launch.
struct Tickets {
    std::uint64_t* word;  ///< {epoch before this launch's, tickets drawn}
    unsigned draws;

    __device__ Ticket draw() const {
        const simt::DeviceAtomic<std::uint64_t> shared(*word);
        const std::uint64_t drawn = shared.fetch_add(1, simt::memory_order_relaxed);
        const Ticket ticket{value_of(drawn), epoch_of(drawn) + 1};
        if (ticket.tile == draws - 1)
            shared.store(pack(ticket.epoch, 0), simt::memory_order_relaxed);
        return ticket;
    }
};

// A tile's aggregate is computed from each of its elements, so whoever has seen it knows that they
// have been read, and may write there (in place). On the GPU that dependency orders enough; C++,
// to which ThreadSanitizer holds the emulated backend, knows no such order.
inline constexpr auto kPublish =
    simt::kBackend == simt::Backend::cuda ? simt::memory_order_relaxed : simt::memory_order_release;
inline constexpr auto kObserve =
    simt::kBackend == simt::Backend::cuda ? simt::memory_order_relaxed : simt::memory_order_acquire;

/// An aggregate of 4 or 8 bytes takes one or two words of its tile.
template <class Aggregate>
inline constexpr int kWordsOfTile = sizeof(Aggregate) / 4;

/// Called by one thread.
template <class Aggregate>
__device__ void publish(std::uint64_t* words, const Ticket& ticket, Aggregate aggregate) {
    struct Halves {
        unsigned half[kWordsOfTile<Aggregate>];
    };
    const auto halves = __builtin_bit_cast(Halves, aggregate);
    std::uint64_t* const own = words + std::size_t{ticket.tile} * kWordsOfTile<Aggregate>;
#pragma unroll
    for (int h = 0; h < kWordsOfTile<Aggregate>; ++h)
        simt::DeviceAtomic<std::uint64_t>(own[h]).store(pack(ticket.epoch, halves.half[h]),
                                                        kPublish);
}

/// The prefixes of one block's tiles, computed by one warp.
///
/// Tiles are taken in groups of 32, a lane each. The sum of all groups before that of the block's
/// latest tile is remembered; so a prefix needs the groups since then, and the lower tiles of its
/// own group. All their words are loaded at once: one trip to the L2 where everyone has published.
/// Groups are reduced in a fixed order, and added from left to right: the same for every block.
/// @tparam kBatchWords that are on their way together
template <class Operator, class Aggregate, class Prefix, int kBatchWords>
class LookBack {
  public:
    __device__ LookBack(std::uint64_t* words, unsigned epoch) : words_(words), epoch_(epoch) {}

    /// The aggregate of all tiles before `tile`, in every lane. Tiles come in ascending order.
    __device__ Prefix before(unsigned tile) {
        const unsigned own_group = tile / kLanes, lane = threadIdx.x % kLanes;
        Prefix within_group = Operator::template kIdentity<Prefix>;
        for (unsigned first = group_; first <= own_group; first += kBatch) {
            std::uint64_t word[kBatch][kWords];
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b)
                if (is_before(tile, first + b))
#pragma unroll
                    for (int h = 0; h < kWords; ++h) word[b][h] = load(first + b, lane, h);
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b) {
                if (first + b > own_group) break;
                auto value = Operator::template kIdentity<Aggregate>;
                if (is_before(tile, first + b)) value = wait_for(word[b], first + b, lane);
                const Prefix sum = reduce_lanes<Operator>(value);
                if (first + b < own_group)
                    before_group_ = Operator()(before_group_, sum);
                else
                    within_group = sum;
            }
        }
        group_ = own_group;
        return Operator()(before_group_, within_group);
    }

  private:
    static constexpr int kWords = kWordsOfTile<Aggregate>;
    static constexpr unsigned kBatch = kBatchWords / kWords;  // groups

    /// Whether the lane's tile of that group is before `tile`.
    __device__ static bool is_before(unsigned tile, unsigned group) {
        return group * std::uint64_t{kLanes} + threadIdx.x % kLanes < tile;
    }

    __device__ std::uint64_t load(unsigned group, unsigned lane, int half) const {
        const std::size_t tile = std::size_t{group} * kLanes + lane;
        return simt::DeviceAtomic<std::uint64_t>(words_[tile * kWords + half]).load(kObserve);
    }

    __device__ Aggregate wait_for(std::uint64_t (&word)[kWords], unsigned group, unsigned lane) {
        struct Halves {
            unsigned half[kWords];
        } halves;
#pragma unroll
        for (int h = 0; h < kWords; ++h) {
            while (epoch_of(word[h]) != epoch_) {
                simt::relax();
                word[h] = load(group, lane, h);
            }
            halves.half[h] = value_of(word[h]);
        }
        return __builtin_bit_cast(Aggregate, halves);
    }

    std::uint64_t* words_;
    unsigned epoch_;
    unsigned group_ = 0;  // of the latest tile
    Prefix before_group_ = Operator::template kIdentity<Prefix>;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
