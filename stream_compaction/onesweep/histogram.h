// How many keys have which digit, at all positions; and where each digit begins.
#pragma once

#include "stream_compaction/onesweep/job.h"
#include "stream_compaction/onesweep/tile_items.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Adds the digits of all positions to current_pass().histograms.
template <class Shape, class Offset>
__device__ void count_digits() {
    using Bits = typename Shape::Bits;
    const Pass<Shape, Offset>& pass = current_pass<Shape, Offset>();
    const KeyMap<Bits> map = pass.map;
    const BitRange compared = pass.compared;
    unsigned* const counts = simt::dynamic_shared<unsigned>();
    constexpr unsigned kOfGroup = Shape::kOfGroup, kGroups = Shape::kMaxGroups;
    constexpr unsigned kAll = Shape::kAllDigits, kShares = Shape::kShares;
    for (unsigned i = threadIdx.x; i < kAll * kShares / 4; i += kThreads)
        reinterpret_cast<uint4*>(counts)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    unsigned* const own = counts + threadIdx.x % kShares;
    const auto count = [&](Bits key) {
        const Bits number = bits_of(map.number(key), compared);
#pragma unroll
        for (unsigned p = 0; p < kPositions<Bits>; ++p) {
            const unsigned digit = static_cast<unsigned>(number >> p * kDigitBits) % kDigits;
            atomicAdd(&own[(p * kDigits + digit) * kShares], 1u);
        }
    };
    const unsigned tile = Shape::tile_keys(pass.groups);
    for (Offset first = Offset{pass.block} * tile; first < pass.n;
         first += Offset{pass.blocks} * tile) {
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
    for (unsigned i = threadIdx.x; i < kAll; i += kThreads) {
        unsigned sum = 0;
#pragma unroll
        for (unsigned s = 0; s < kShares; ++s)  // threads begin with different ones: no conflicts
            sum += counts[i * kShares + (s + i) % kShares];
        if (sum > 0) atomicAdd(&pass.histograms[i], Offset{sum});
    }
}

/// By one block: turns the histograms into the digits' begins, a warp for each.
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
