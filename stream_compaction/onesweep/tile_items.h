// The items of a tile that a thread processes, and how it loads them.
#pragma once

#include "stream_compaction/onesweep/pass.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Calls f(i) for the thread's items in groups kFirst to kLast, if the tile has them. Unrolled, so
/// that arrays with the index i stay in registers.
template <unsigned kOfGroup, unsigned kFirst, unsigned kLast, class F>
__device__ void for_each_item(unsigned groups, F f) {
#pragma unroll
    for (unsigned g = kFirst; g < kLast; ++g)
        if (g == 0 || g < groups)  // there is at least one
#pragma unroll
            for (unsigned i = g * kOfGroup; i < (g + 1) * kOfGroup; ++i) f(i);
}

/// Where in shared memory the item with this position in the tile is staged: each row of 32
/// positions is permuted by its index. If the keys are consecutive numbers, all digits are equally
/// frequent, and a warp ranks 32 consecutive digits at once: without the permutation it would stage
/// all 32 in one bank.
__device__ constexpr unsigned staged_at(unsigned position) {
    return position ^ position / kLanes % kLanes;
}

/// Holds a number below 2^16 for each of a thread's keys, two per word. They must be set in
/// ascending order of i.
template <unsigned kItems>
class HalfWords {
  public:
    __device__ void set(unsigned i, unsigned position) {
        words_[i / 2] = i % 2 == 0 ? position : words_[i / 2] | position << 16;
    }
    __device__ void add(unsigned i, unsigned more) {
        words_[i / 2] += i % 2 == 0 ? more : more << 16;
    }
    /// Applies staged_at to number i, and if `two` also to the one before it if both are in one
    /// word.
    __device__ void permute(unsigned i, bool two) {
        constexpr unsigned kLower = kLanes - 1, kUpper = kLower << 16;
        words_[i / 2] ^= words_[i / 2] / kLanes & (two          ? kLower | kUpper
                                                   : i % 2 == 0 ? kLower
                                                                : kUpper);
    }
    __device__ unsigned get(unsigned i) const {
        return i % 2 == 0 ? words_[i / 2] & 0xffffu : words_[i / 2] >> 16;
    }

  private:
    unsigned words_[(kItems + 1) / 2];
};

/// The positions of a thread's items in a pass's tiles.
template <class Shape, class Offset>
struct TileItems {
    static constexpr unsigned kOfGroup = Shape::kOfGroup, kGroups = Shape::kMaxGroups;

    const Pass<Shape, Offset>& pass;
    unsigned groups;  ///< of a tile
    unsigned keys_of_tile;
    /// Index of its first item in a tile; its other items are a warp's width apart.
    unsigned first_of_thread;

    __device__ unsigned size_from(Offset first) const {
        return static_cast<unsigned>(min(pass.n - first, static_cast<Offset>(keys_of_tile)));
    }

    template <class F>
    __device__ void for_each(F f) const {
        for_each_item<kOfGroup, 0, kGroups>(groups, f);
    }

    /// Loads groups kFirst to kLast of the tile that begins at `first`; past the array's end,
    /// repeats its last item. If there are few keys, the L2 cache is asked to evict them first
    /// after they have been read, so that it keeps what the next pass reads: 2 % to 4 % faster from
    /// 3 to 9 million keys on an H100.
    template <unsigned kFirst, unsigned kLast, class T, std::size_t kItems>
    __device__ void load(const T* from, Offset first, T (&item)[kItems]) const {
        const unsigned size = size_from(first);
        const auto* const own = from + first + first_of_thread;
        if (size == keys_of_tile)
            for_each_item<kOfGroup, kFirst, kLast>(groups, [&](unsigned i) {
                if constexpr (Shape::kHasFewTiles && !Shape::kHasValues)
                    item[i] = __ldcs(own + i * kLanes);
                else
                    item[i] = own[i * kLanes];
            });
        else
            for_each_item<kOfGroup, kFirst, kLast>(groups, [&](unsigned i) {
                item[i] = from[first + min(first_of_thread + i * kLanes, size - 1)];
            });
    }

    /// Prefetches the groups of a full tile from kFirst on: each lane prefetches a row of the 32
    /// items that its warp will load at once.
    template <unsigned kFirst, class T>
    __device__ void prefetch_from(const T* from, Offset first, unsigned size) const {
        if constexpr (kFirst < kGroups) {
            const unsigned lane = threadIdx.x % kLanes, i = kFirst * kOfGroup + lane;
            if (i < groups * kOfGroup && size == keys_of_tile)
                simt::prefetch(from + first + (first_of_thread - lane) + i * kLanes);
        }
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
