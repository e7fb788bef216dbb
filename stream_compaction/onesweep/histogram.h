// Histograms of all digits of the keys, and where each digit value begins.
#pragma once

#include "stream_compaction/onesweep/job.h"
#include "stream_compaction/onesweep/tile_items.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Exclusive scan over the values of the first kDigits threads. All threads call it.
__device__ inline unsigned scan_digits(unsigned count) {
    constexpr unsigned kScanning = kDigits / kLanes;
    __shared__ unsigned sums[kScanning];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned up_to = sum_up_to_lane(count);
    if (lane == kLanes - 1 && warp < kScanning) sums[warp] = up_to;
    __syncthreads();
    return up_to - count + sum_of_lanes(lane < min(warp, kScanning) ? sums[lane] : 0u);
}

/// A block's counters of all digits, in shared memory.
template <class Shape>
class DigitCounters {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kShares = Shape::kShares;

  public:
    __device__ DigitCounters()
        : counts_(simt::dynamic_shared<unsigned>()), own_(counts_ + threadIdx.x % kShares) {}

    __device__ void clear() {
        for (unsigned i = threadIdx.x; i < Shape::kAllDigits * kShares / 4; i += kThreads)
            reinterpret_cast<uint4*>(counts_)[i] = make_uint4(0, 0, 0, 0);
    }
    /// The thread's share of the counter of a number's digit.
    __device__ unsigned& own(Bits number, unsigned position) {
        const unsigned digit = static_cast<unsigned>(number >> position * kDigitBits) % kDigits;
        return own_[(position * kDigits + digit) * kShares];
    }
    __device__ unsigned sum_of_shares(unsigned digit) const {
        unsigned sum = 0;
#pragma unroll
        for (unsigned s = 0; s < kShares; ++s) sum += share(digit, s);
        return sum;
    }
    /// Converts the shares of a digit value to the positions where their keys begin, the first at
    /// `begin`.
    __device__ void begin_shares(unsigned digit, unsigned begin) {
#pragma unroll
        for (unsigned s = 0; s < kShares; ++s) {
            const unsigned count = share(digit, s);
            share(digit, s) = begin;
            begin += count;
        }
    }

  private:
    /// Each thread begins with a different share, to avoid bank conflicts.
    __device__ unsigned& share(unsigned digit, unsigned s) const {
        return counts_[digit * kShares + (s + digit) % kShares];
    }

    unsigned *counts_, *own_;
};

/// Adds all digits of the keys to the pass's histograms, tile by tile, from the last tile to the
/// first, so that the L2 cache holds the first tiles when the first pass reads them.
template <class Shape, class Offset>
__device__ void count_tiles(const Pass<Shape, Offset>& pass, DigitCounters<Shape>& counters) {
    using Bits = typename Shape::Bits;
    constexpr unsigned kOfGroup = Shape::kOfGroup, kGroups = Shape::kMaxGroups;
    const KeyMap<Bits> map = pass.map;
    const BitRange compared = pass.compared;
    const auto count = [&](Bits key) {
        const Bits number = bits_of(map.number(key), compared);
#pragma unroll
        for (unsigned p = 0; p < kPositions<Bits>; ++p) atomicAdd(&counters.own(number, p), 1u);
    };
    const unsigned tile = Shape::tile_keys(pass.groups);
    const Offset tiles = (pass.n + tile - 1) / tile;
    for (Offset behind = pass.block; behind < tiles; behind += pass.blocks) {
        const Offset first = (tiles - 1 - behind) * tile;
        const Bits* const from = pass.from + first;
        if (pass.n - first >= tile) {
            Bits key[Shape::kMaxItems];
            for_each_item<kOfGroup, 0, kGroups>(
                pass.groups, [&](unsigned i) { key[i] = from[i * kThreads + threadIdx.x]; });
            for_each_item<kOfGroup, 0, kGroups>(pass.groups, [&](unsigned i) { count(key[i]); });
        } else {
            for (unsigned i = threadIdx.x; i < pass.n - first; i += kThreads) count(from[i]);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < Shape::kAllDigits; i += kThreads)
        if (const unsigned sum = counters.sum_of_shares(i); sum > 0)
            atomicAdd(&pass.histograms[i], Offset{sum});
}

/// Whether the first pass begins while digits are counted: if each block has at most one tile, and
/// equal keys are indistinguishable.
template <class Shape>
constexpr bool kStagesFirst = kValueBytes<typename Shape::Value> == 0 && Shape::kStartsTogether;

/// Counts the block's only tile, and does its first pass up to the staging of keys. This pass need
/// not keep the order of keys with the same digit. Therefore the rank of a key is the old value of
/// its counter, and the offset of the tile among the keys of a digit is the old value of the
/// histogram: no block looks back. Keys wait in shared memory for the offsets of the digits, and
/// are read only once.
template <class Shape, class Offset>
__device__ void count_and_stage(const Pass<Shape, Offset>& pass, DigitCounters<Shape>& counters) {
    using Bits = typename Shape::Bits;
    constexpr unsigned kGroups = Shape::kMaxGroups;
    const KeyMap<Bits> map = pass.map;
    const BitRange compared = pass.compared;
    const Offset first_key = Offset{pass.block} * Shape::tile_keys(pass.groups);
    const auto size =
        static_cast<unsigned>(min(pass.n - first_key, Offset{Shape::tile_keys(pass.groups)}));
    const auto for_each = [groups = pass.groups](auto f) {
        for_each_item<Shape::kOfGroup, 0, kGroups>(
            groups, [&](unsigned i) { f(i, i * kThreads + threadIdx.x); });
    };
    const Bits* const from = pass.from + first_key;
    Bits key[Shape::kMaxItems];
    HalfWords<Shape::kMaxItems> positions;
    for_each([&](unsigned i, unsigned at) { key[i] = from[min(at, size - 1)]; });
    for_each([&](unsigned i, unsigned at) {
        key[i] = map.number(key[i]);
        const Bits number = bits_of(key[i], compared);
        unsigned rank = 0;
        if (at < size) {
            rank = atomicAdd(&counters.own(number, 0), 1u);
#pragma unroll
            for (unsigned p = 1; p < kPositions<Bits>; ++p) atomicAdd(&counters.own(number, p), 1u);
        }
        positions.set(i, rank);
    });
    __syncthreads();

    unsigned count = 0;  // of the thread's digit value, if it has one
    Offset before = 0;   // keys in tiles that were counted earlier
    for (unsigned i = threadIdx.x; i < Shape::kAllDigits; i += kThreads) {
        const unsigned sum = counters.sum_of_shares(i);
        if (i < kDigits) {
            count = sum;
            before = atomicAdd(&pass.histograms[i], Offset{sum});
        } else if (sum > 0) {
            atomicAdd(&pass.histograms[i], Offset{sum});
        }
    }
    if (!compared.is_whole()) return;  // keys may differ in bits that are not compared
    const unsigned begin = scan_digits(count);
    if (threadIdx.x < kDigits) counters.begin_shares(threadIdx.x, begin);
    __syncthreads();
    for_each([&](unsigned i, unsigned) {
        positions.add(i, counters.own(key[i], 0));
        positions.permute(i, false);
    });
    __syncthreads();  // the keys are staged in the memory of the counters
    const PassMemory<Shape, Offset> memory;
    for_each([&](unsigned i, unsigned at) {
        if (at < size) memory.keys[positions.get(i)] = key[i];
    });
    if (threadIdx.x < kDigits) memory.offsets[threadIdx.x] = before - begin;
}

template <class Shape, class Offset>
__device__ void count_digits() {
    DigitCounters<Shape> counters;
    counters.clear();
    __syncthreads();
    if constexpr (kStagesFirst<Shape>)
        count_and_stage<Shape, Offset>(current_pass<Shape, Offset>(), counters);
    else
        count_tiles<Shape, Offset>(current_pass<Shape, Offset>(), counters);
}

/// Converts the histograms to the begins of the digit values, by one block, with one warp per
/// digit.
template <class Bits, class Offset>
__device__ void scan_histograms(const Shared<Offset>& shared, Offset n) {
    constexpr unsigned kOfLane = kDigits / kLanes;
    const unsigned lane = threadIdx.x % kLanes, position = threadIdx.x / kLanes;
    if (position >= kPositions<Bits>) return;
    const unsigned first = position * kDigits + lane * kOfLane;
    Offset count[kOfLane], sum = 0;
    bool has_all = false;
#pragma unroll
    for (unsigned i = 0; i < kOfLane; ++i) {
        count[i] = shared.histograms[first + i];
        shared.histograms[first + i] = 0;
        sum += count[i];
        has_all |= count[i] == n;
    }
    Offset begin = sum;
    for (unsigned d = 1; d < kLanes; d *= 2) {
        const Offset left = __shfl_up_sync(~0u, begin, d);
        if (lane >= d) begin += left;
    }
    begin -= sum;
#pragma unroll
    for (unsigned i = 0; i < kOfLane; ++i) {
        shared.begins[first + i] = begin;
        begin += count[i];
    }
    const bool is_constant = __any_sync(~0u, has_all) != 0;
    if (lane == 0) shared.varies[position] = is_constant ? 0 : 1;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
