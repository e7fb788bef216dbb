// A sort of few keys: each key is compared with all others, and moved to the position given by its
// rank. It needs one launch without a barrier between blocks; its time does not depend on the keys.
//
// Source: Knuth, "The art of computer programming", volume 3, 5.2, "comparison counting"; Muller
// and Preparata, "Bounds to complexities of networks for sorting and for switching", 1975.
#pragma once

#include "stream_compaction/onesweep/shape.h"
#include "stream_compaction/parts/key_map.h"
#include "stream_compaction/parts/size_on_device.h"

#include <cmath>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Keys that a block ranks: as many as a warp has lanes. Fewer blocks would leave multiprocessors
/// idle.
constexpr unsigned kRankedKeys = kLanes;

/// The largest number of keys that are ranked, given how many comparisons each multiprocessor may
/// do: the default takes about 16 us on an H200.
inline std::size_t most_ranked(unsigned multiprocessors, double comparisons = 1 << 20) {
    return static_cast<std::size_t>(std::sqrt(comparisons * multiprocessors));
}

/// A warp compares all keys of the block with its part of the array. A lane holds some keys of the
/// block, and each group of lanes holds all of them, so a key that is read from shared memory is
/// compared several times.
template <class Bits>
struct Ranking {
    static constexpr unsigned kGroups = 4, kLanesOfGroup = kLanes / kGroups, kOwn = kGroups;
    // Keys of the array that a warp holds at once.
    static constexpr unsigned kPiece = 2048 / sizeof(Bits);
    struct alignas(16) Vector {
        Bits key[16 / sizeof(Bits)];
    };
    static constexpr unsigned kVector = sizeof(Vector) / sizeof(Bits), kStep = kGroups * kVector;
    static_assert(kRankedKeys % kStep == 0 && kPiece % kStep == 0);

    Bits own[kOwn];
    float rank[kOwn];  // exact below 2^24; integer additions would use the units that compare

    /// The index among the block's keys of the lane's k-th key.
    static __device__ unsigned own_index(unsigned k) {
        return k * kLanesOfGroup + threadIdx.x % kLanesOfGroup;
    }

    /// Counts the keys from `from` to `to` that come before the lane's own keys. Keys from `begin`
    /// on are in `piece`.
    template <class F>
    __device__ void count(const Bits* piece, unsigned begin, unsigned from, unsigned to,
                          F comes_before) {
        const unsigned group = threadIdx.x % kLanes / kLanesOfGroup;
#pragma unroll 4
        for (unsigned i = from; i < to; i += kStep) {
            const auto others =
                *reinterpret_cast<const Vector*>(&piece[i - begin + group * kVector]);
#pragma unroll
            for (unsigned v = 0; v < kVector; ++v)
#pragma unroll
                for (unsigned k = 0; k < kOwn; ++k)
                    if (comes_before(others.key[v], i + group * kVector + v, k)) rank[k] += 1;
        }
    }

    /// Adds up the counts of all groups of lanes, which gives the ranks.
    __device__ void store(unsigned* ranks) {
        const unsigned lane = threadIdx.x % kLanes;
#pragma unroll
        for (unsigned k = 0; k < kOwn; ++k) {
#pragma unroll
            for (unsigned distance = kLanesOfGroup; distance < kLanes; distance *= 2)
                rank[k] += __shfl_xor_sync(kAllLanes, rank[k], distance);
            if (lane < kLanesOfGroup) ranks[own_index(k)] = static_cast<unsigned>(rank[k]);
        }
    }
};

/// Moves the block's keys, with their values or indices, to their ranks among n keys. Stable. A
/// block does not know which blocks have read their input, so the output must not overlap with the
/// input.
/// @tparam Map converts keys to numbers to compare, which have as many bits as a key, or more
template <class Key, class Value, class Map>
__device__ void place_by_ranks(const Key* in, Key* out, const Value* values_in, Value* values_out,
                               unsigned n, Map map) {
    using Bits = decltype(map.number(Key{}));
    using Own = Ranking<Bits>;
    constexpr unsigned kPiece = Own::kPiece, kStep = Own::kStep;
    constexpr bool kHasValues = kValueBytes<Value> != 0;
    alignas(16) __shared__ Bits pieces[kWarps][kPiece];
    __shared__ unsigned ranks[kWarps][kRankedKeys];

    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned first = blockIdx.x * kRankedKeys;
    const auto index_of = [&](unsigned k) { return first + Own::own_index(k); };
    Own ranking{};
#pragma unroll
    for (unsigned k = 0; k < Own::kOwn; ++k)
        ranking.own[k] = map.number(in[min(index_of(k), n - 1)]);

    // Loaded early and stored late, by the first warp.
    const bool stores = warp == 0 && first + lane < n;
    Key key{};
    Value value{};
    if (stores) {
        key = in[first + lane];
        if constexpr (kHasValues)
            value = values_in == nullptr ? Value{first + lane} : values_in[first + lane];
    }

    const unsigned part = (n + kWarps * kStep - 1) / (kWarps * kStep) * kStep;
    const unsigned begin = warp * part, end = begin + part;
    for (unsigned piece = begin; piece < end; piece += kPiece) {
        const unsigned piece_end = min(end, piece + kPiece);
#pragma unroll 8
        for (unsigned i = piece + lane; i < piece_end; i += kLanes)
            pieces[warp][i - piece] = i < n ? map.number(in[i]) : ~Bits{0};  // comes before no key
        __syncwarp();
        const auto count = [&](unsigned from, unsigned to, auto comes_before) {
            ranking.count(pieces[warp], piece, max(from, piece), min(to, piece_end), comes_before);
        };
        // Of equal keys, those with smaller indices come first.
        count(0, first, [&](Bits other, unsigned, unsigned k) { return other <= ranking.own[k]; });
        count(first, first + kRankedKeys, [&](Bits other, unsigned i, unsigned k) {
            return (other < ranking.own[k]) | ((other == ranking.own[k]) & (i < index_of(k)));
        });
        count(first + kRankedKeys, end,
              [&](Bits other, unsigned, unsigned k) { return other < ranking.own[k]; });
        __syncwarp();
    }

    ranking.store(ranks[warp]);
    __syncthreads();
    if (!stores) return;
    unsigned position = 0;
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) position += ranks[w][lane];
    out[position] = key;
    if constexpr (kHasValues) values_out[position] = value;
}

/// Sorts n keys, at least one. A block of 32 keys ranks them.
template <class Bits, class Value>
__global__ void __launch_bounds__(kThreads, 2)
    rank_sort(const Bits* in, Bits* out, const Value* values_in, Value* values_out, unsigned n,
              KeyMap<Bits> map) {
    place_by_ranks(in, out, values_in, values_out, n, map);
}

/// The same for a number of keys in device memory, which may be 0.
template <class Bits, class Value>
__global__ void __launch_bounds__(kThreads, 2)
    rank_sort_of_device_size(const Bits* in, Bits* out, const Value* values_in, Value* values_out,
                             unsigned capacity, DeviceSize size, KeyMap<Bits> map) {
    const auto n = static_cast<unsigned>(read_size(size, capacity));
    if (blockIdx.x * kRankedKeys < n) place_by_ranks(in, out, values_in, values_out, n, map);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
