// Counters of a block's keys, in shared memory.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/parts/warp.h"

#include <cstddef>
#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::counting {

constexpr unsigned kThreads = 1024;
template <class Bits>
constexpr unsigned kValues = 1u << 8 * sizeof(Bits);
template <class Bits>
constexpr unsigned kOfVector = 16 / sizeof(Bits);  ///< keys that a thread loads or stores at once

constexpr unsigned kFewVectors = 128;  ///< enough work for a block
constexpr unsigned kVectors = 2;       ///< of a thread between two barriers
template <class Bits>
constexpr unsigned kTile = kThreads* kVectors* kOfVector<Bits>;  ///< keys between two barriers

/// The distance between neighbouring counts in global memory. With 256 counts, all blocks add to
/// the same few: spreading them uses more than one slice of the L2.
template <class Bits>
constexpr unsigned kStride = sizeof(Bits) == 1 ? 32 : 1;
template <class Bits>
constexpr unsigned kCounts = kValues<Bits>* kStride<Bits>;

/// The counters of one group of values: kGroups groups cover all values.
template <class Bits, unsigned kGroups>
struct Counters;

/// Each lane has its own counters in its own bank, so the time does not depend on the keys.
template <>
struct Counters<std::uint8_t, 1> {
    static constexpr unsigned kWords = kValues<std::uint8_t> * kLanes;

    unsigned* words = simt::dynamic_shared<unsigned>();

    template <class Offset>
    __device__ void add(std::uint8_t key, Offset*) const {
        atomicAdd(&words[key * kLanes + threadIdx.x % kLanes], 1u);
    }
    /// Counts the keys of a whole warp.
    template <class Offset>
    __device__ void add_of_warp(const std::uint8_t (&key)[kOfVector<std::uint8_t>],
                                Offset* counts) const {
#pragma unroll
        for (const std::uint8_t one : key) add(one, counts);
    }
    __device__ void end_tile() const {}
    /// Adds all counters to the counts of the launch.
    template <class Offset>
    __device__ void flush(Offset* counts) const {
        const unsigned lane = threadIdx.x % kLanes;
        for (unsigned value = threadIdx.x / kLanes; value < kValues<std::uint8_t>;
             value += kThreads / kLanes) {
            const unsigned keys = sum_of_lanes(words[value * kLanes + lane]);
            if (lane == 0 && keys > 0)
                atomicAdd(&counts[value * kStride<std::uint8_t>], Offset{keys});
        }
    }
};

/// Two counters share a word. A tile has at most 2^14 keys plus a few that are not in a vector, so
/// a counter below 2^15 does not reach 2^16 within a tile. The thread that brings a counter to 2^15
/// subtracts 2^15 and adds it to the counts of the launch, before the tile ends. So every counter
/// is below 2^15 again when the next tile begins.
template <unsigned kGroups>
struct Counters<std::uint16_t, kGroups> {
    using Bits = std::uint16_t;
    static constexpr unsigned kCounted = kValues<Bits> / kGroups, kWords = kCounted / 2;
    static constexpr unsigned kFull = 1u << 15;
    static constexpr int kMany = 4;  ///< lanes with the same key
    static_assert(kTile<Bits> + 2 * kOfVector<Bits> <= kFull);

    unsigned* words = simt::dynamic_shared<unsigned>();

    static __device__ unsigned group() { return blockIdx.x % kGroups; }

    template <class Offset>
    __device__ void add(Bits key, Offset* counts) const {
        add(key, 1, counts);
    }
    template <class Offset>
    __device__ void add(Bits key, unsigned keys, Offset* counts) const {
        const unsigned value = key % kCounted;
        if (kGroups > 1 && key / kCounted != group()) return;
        unsigned* const word = words + value % kWords;
        const unsigned shift = value / kWords * 16;
        const unsigned before = atomicAdd(word, keys << shift) >> shift & 0xffff;
        if (before < kFull && before + keys >= kFull) {
            atomicAdd(word, 0u - (kFull << shift));
            atomicAdd(&counts[key], Offset{kFull});
        }
    }
    /// Counts the keys of a whole warp. Lanes with the same key would wait for each other, so if
    /// there are many, one lane counts for all of them.
    template <class Offset>
    __device__ void add_of_warp(const Bits (&key)[kOfVector<Bits>], Offset* counts) const {
        const unsigned lane = threadIdx.x % kLanes;
        const auto as_first = [](Bits one) {
            return __ballot_sync(kAllLanes, one == __shfl_sync(kAllLanes, unsigned{one}, 0));
        };
        const bool are_many = __popc(as_first(key[0])) >= kMany;
#pragma unroll
        for (const Bits one : key) {
            if (!are_many) {
                add(one, counts);
                continue;
            }
            unsigned same = as_first(one);
            if (same != kAllLanes) same = __match_any_sync(kAllLanes, unsigned{one});
            if ((same & -same) >> lane == 1)  // the lowest of these lanes
                add(one, static_cast<unsigned>(__popc(same)), counts);
        }
    }
    __device__ void end_tile() const { __syncthreads(); }
    template <class Offset>
    __device__ void flush(Offset* counts) const {
        Offset* const own = counts + group() * kCounted;
        const unsigned turn = blockIdx.x * kThreads;  // so that blocks begin at different counts
        for (unsigned i = threadIdx.x; i < kWords; i += kThreads) {
            const unsigned value = (i + turn) % kWords;
            const unsigned low = words[value] & 0xffff, high = words[value] >> 16;
            if (low > 0) atomicAdd(&own[value], Offset{low});
            if (high > 0) atomicAdd(&own[value + kWords], Offset{high});
        }
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
