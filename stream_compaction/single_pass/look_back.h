// Communication between the blocks of a launch: which block processes which tile, and the tiles'
// aggregates.
//
// A block waits only for aggregates of lower tickets, whose blocks run and publish before they
// wait. Every launch has a number, its epoch; a word of another epoch counts as empty, so no word
// is ever cleared. design.md, "Why it is right", has the arguments.
#pragma once

#include "simt/atomic_pair.h"
#include "simt/kernel.h"
#include "stream_compaction/single_pass/lanes.h"
#include "stream_compaction/single_pass/operators.h"

#include <bit>
#include <cstdint>
#include <iterator>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

// A word holds the epoch in its upper half, and a value of that epoch in its lower half.
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
    unsigned tile;  ///< greater than or equal to the number of tiles: no tile
    unsigned epoch;
};

/// Assigns the numbers 0, 1, 2, ... to the blocks of a launch, which draw `draws` times in total.
/// The last draw resets the word for the next launch.
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

    /// The launch's epoch, for a block that draws its ticket later.
    __device__ unsigned epoch() const {
        const simt::DeviceAtomic<std::uint64_t> shared(*word);
        return epoch_of(shared.load(simt::memory_order_relaxed)) + 1;
    }
};

// On the GPU the dependency of an aggregate on its tile's elements orders the accesses; C++, whose
// rules ThreadSanitizer checks on the emulated backend, does not define such an order.
inline constexpr auto kPublish =
    simt::kBackend == simt::Backend::cuda ? simt::memory_order_relaxed : simt::memory_order_release;
inline constexpr auto kObserve =
    simt::kBackend == simt::Backend::cuda ? simt::memory_order_relaxed : simt::memory_order_acquire;

/// An aggregate of 4 or 8 bytes uses one or two words of its tile, which are loaded and stored
/// together.
template <class Aggregate>
inline constexpr int kWordsOfTile = sizeof(Aggregate) / 4;

__device__ inline void store_words(std::uint64_t* shared, const std::uint64_t (&words)[1]) {
    simt::DeviceAtomic<std::uint64_t>(*shared).store(words[0], kPublish);
}
__device__ inline void store_words(std::uint64_t* shared, const std::uint64_t (&words)[2]) {
    simt::DeviceAtomicPair(shared).store(words);
}
__device__ inline void load_words(std::uint64_t* shared, std::uint64_t (&words)[1]) {
    words[0] = simt::DeviceAtomic<std::uint64_t>(*shared).load(kObserve);
}
__device__ inline void load_words(std::uint64_t* shared, std::uint64_t (&words)[2]) {
    simt::DeviceAtomicPair(shared).load(words);
}

/// A tile's words, as read by another block.
template <class Aggregate>
struct Words {
    std::uint64_t word[kWordsOfTile<Aggregate>];

    __device__ static Words of(unsigned epoch, Aggregate aggregate) {
        const auto halves = __builtin_bit_cast(Halves, aggregate);
        Words words;
#pragma unroll
        for (int h = 0; h < kWordsOfTile<Aggregate>; ++h)
            words.word[h] = pack(epoch, halves.half[h]);
        return words;
    }

    __device__ static Words load(std::uint64_t* words, std::size_t tile) {
        Words found;
        load_words(words + tile * kWordsOfTile<Aggregate>, found.word);
        return found;
    }

    __device__ bool are_there(unsigned epoch) const {
        bool all = true;
#pragma unroll
        for (int h = 0; h < kWordsOfTile<Aggregate>; ++h) all &= epoch_of(word[h]) == epoch;
        return all;
    }

    __device__ Aggregate wait(std::uint64_t* words, std::size_t tile, unsigned epoch) {
#pragma unroll
        for (int h = 0; h < kWordsOfTile<Aggregate>; ++h)
            while (epoch_of(word[h]) != epoch) {
                simt::relax();
                *this = load(words, tile);
            }
        return aggregate();
    }

    __device__ Aggregate aggregate() const {
        Halves halves;
#pragma unroll
        for (int h = 0; h < kWordsOfTile<Aggregate>; ++h) halves.half[h] = value_of(word[h]);
        return __builtin_bit_cast(Aggregate, halves);
    }

  private:
    struct Halves {
        unsigned half[kWordsOfTile<Aggregate>];
    };
};

/// Called by one thread.
template <class Aggregate>
__device__ void publish(std::uint64_t* words, const Ticket& ticket, Aggregate aggregate) {
    const auto own = Words<Aggregate>::of(ticket.epoch, aggregate);
    store_words(words + std::size_t{ticket.tile} * kWordsOfTile<Aggregate>, own.word);
}

/// The prefixes of one block's tiles, computed by one warp.
///
/// Tiles are processed in groups of 32, one per lane. The warp remembers the sum of all groups
/// before the group of the block's latest tile. The next prefix then needs only the groups since
/// then, and the lower tiles of its own group. All their words are loaded at once: one access to
/// the L2 if all have been published. Groups are reduced in a fixed order and added from left to
/// right. The result is therefore the same in every block, whichever tiles the block had before,
/// and whenever the words were published.
/// @tparam kBatchWords words that are loaded at once
template <class Operator, class Aggregate, class Prefix, int kBatchWords>
class LookBack {
  public:
    __device__ LookBack(std::uint64_t* words, unsigned epoch) : words_(words), epoch_(epoch) {}

    /// The aggregate of all tiles before `tile`, in every lane. Must be called with ascending
    /// tiles.
    __device__ Prefix before(unsigned tile) {
        const unsigned own_group = tile / kLanes, lane = threadIdx.x % kLanes;
        Prefix within_group = Operator::template kIdentity<Prefix>;
        for (unsigned first = group_; first <= own_group; first += kBatch) {
            if constexpr (!kReducesInOneStep<Operator, Aggregate>) {
                add_at_once(first, tile, within_group);
            } else {
                Words<Aggregate> of_lane[kBatch];
#pragma unroll
                for (unsigned b = 0; b < kBatch; ++b)
                    if (is_before(tile, first + b))
                        of_lane[b] = Words<Aggregate>::load(words_, tile_of(first + b, lane));
#pragma unroll
                for (unsigned b = 0; b < kBatch; ++b) {
                    if (first + b > own_group) break;
                    auto value = Operator::template kIdentity<Aggregate>;
                    if (is_before(tile, first + b))
                        value = of_lane[b].wait(words_, tile_of(first + b, lane), epoch_);
                    const Prefix sum = reduce_lanes<Operator>(value);
                    if (first + b < own_group)
                        before_group_ = Operator()(before_group_, sum);
                    else
                        within_group = sum;
                }
            }
        }
        group_ = own_group;
        return Operator()(before_group_, within_group);
    }

  private:
    static constexpr unsigned kBatch = kBatchWords / kWordsOfTile<Aggregate>;  // groups

    /// For reductions of many steps: all groups are reduced together, when all words have been
    /// published. Only missing words are polled again.
    __device__ void add_at_once(unsigned first, unsigned tile, Prefix& within_group) {
        const unsigned own_group = tile / kLanes, lane = threadIdx.x % kLanes;
        constexpr auto kNothing = Operator::template kIdentity<Aggregate>;
        Words<Aggregate> of_lane[kBatch];
#pragma unroll
        for (unsigned b = 0; b < kBatch; ++b)
            of_lane[b] = is_before(tile, first + b)
                             ? Words<Aggregate>::load(words_, tile_of(first + b, lane))
                             : Words<Aggregate>::of(epoch_, kNothing);
        const auto are_there = [&] {
            bool all = true;
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b) all &= of_lane[b].are_there(epoch_);
            return all;
        };
        while (!are_there()) {
            simt::relax();
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b)
                if (!of_lane[b].are_there(epoch_))
                    of_lane[b] = Words<Aggregate>::load(words_, tile_of(first + b, lane));
        }
        Aggregate values[std::bit_ceil(kBatch)];
#pragma unroll
        for (unsigned b = 0; b < std::size(values); ++b)
            values[b] = b < kBatch ? of_lane[b % kBatch].aggregate() : kNothing;
        const Prefix of_group = reduce_lanes_each<Operator>(values);
#pragma unroll
        for (unsigned b = 0; b < kBatch; ++b) {
            const Prefix sum = __shfl_sync(kAllLanes, of_group, b);
            if (first + b < own_group)
                before_group_ = Operator()(before_group_, sum);
            else if (first + b == own_group)
                within_group = sum;
        }
    }

    /// Whether the lane's tile of the group is before `tile`.
    __device__ static bool is_before(unsigned tile, unsigned group) {
        return tile_of(group, threadIdx.x % kLanes) < tile;
    }

    __device__ static std::size_t tile_of(unsigned group, unsigned lane) {
        return std::size_t{group} * kLanes + lane;
    }

    std::uint64_t* words_;
    unsigned epoch_;
    unsigned group_ = 0;  // of the latest tile
    Prefix before_group_ = Operator::template kIdentity<Prefix>;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
