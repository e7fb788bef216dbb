// The bins of a tile: a digit of each key, and the counters of the digit values.
#pragma once

#include "stream_compaction/hybrid_radix/block_rank.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Each bin has several counters, which the lanes share: with one counter, lanes whose keys are in
/// the same bin would wait for each other.
/// @tparam kCounterBits  at most 2^kCounterBits counters
template <class Bits, unsigned kCounterBits>
struct TileBins {
    static constexpr unsigned kMaxSharesLog2 = 1;
    unsigned shift, bins, shares_log2, counters, share_byte;

    __device__ TileBins(unsigned shift, unsigned bits)
        : shift(shift),
          bins(1u << bits),
          shares_log2(min(kMaxSharesLog2, kCounterBits - bits)),
          counters(max(bins << shares_log2, kCountsPerRow)),
          share_byte((threadIdx.x & ((1u << shares_log2) - 1)) *
                     static_cast<unsigned>(sizeof(unsigned))) {}

    /// @param part  a Partition by a digit
    template <class Part>
    explicit __device__ TileBins(const Part& part) : TileBins(part.shift, part.bits) {}

    /// The bin times 2^log2: a rotation and a mask.
    __device__ unsigned bin_times(Bits key, unsigned log2) const {
        constexpr unsigned kBits = 8 * sizeof(Bits);
        const unsigned right = (shift - log2) % kBits, left = (log2 - shift) % kBits;
        return static_cast<unsigned>(key >> right | key << left) & (bins - 1) << log2;
    }
    __device__ unsigned counter_byte(Bits key) const {
        return bin_times(key, shares_log2 + 2) | share_byte;
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
