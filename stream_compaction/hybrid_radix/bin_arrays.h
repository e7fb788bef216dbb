// The target of a partition whose bins are anywhere, also in the memory of other GPUs: each bin has
// an array of its own. The bins are those of a digit; ranges between given numbers divide them
// further.
#pragma once

#include "stream_compaction/hybrid_radix/partition.h"
#include "stream_compaction/hybrid_radix/partitioned.h"

#include <bit>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// The bins of a tile, as TileBins: the bin of a key is its digit plus the number of splits below
/// the key's number. Few bins have more counters each than the bins of TileBins.
/// @tparam kMostSplits  there are at most this many; 2 is faster
template <class Bits, unsigned kCounterBits, unsigned kMostSplits>
struct SplitBins {
    static constexpr unsigned kMaxSharesLog2 = 3, kFew = 2;
    const Bits* splits;
    unsigned first_step;  ///< of a search for a split
    KeyMap<Bits> map;
    unsigned shift, digit_mask, bins, shares_log2, counters, share_byte;

    /// @param part  a Partition into a BinArrays
    template <class Part>
    explicit __device__ SplitBins(const Part& part)
        : splits(part.target.splits),
          first_step(part.target.first_step),
          map(part.map),
          shift(part.shift % (8 * sizeof(Bits))),
          digit_mask((1u << part.bits) - 1),
          bins(part.target.bins),
          shares_log2(min(kMaxSharesLog2, kCounterBits - bit_width(bins - 1))),
          counters(max(((bins << shares_log2) + 3) & ~3u, kCountsPerRow)),
          share_byte((threadIdx.x & ((1u << shares_log2) - 1)) *
                     static_cast<unsigned>(sizeof(unsigned))) {}

    __device__ unsigned bin_times(Bits key, unsigned log2) const {
        const Bits number = map.number(key);
        unsigned bin = static_cast<unsigned>(number >> shift) & digit_mask;
        if constexpr (kMostSplits <= kFew) {
#pragma unroll
            for (unsigned s = 0; s < kMostSplits; ++s) bin += splits[s] < number ? 1 : 0;
        } else {
            unsigned below = 0;
            for (unsigned step = first_step; step > 0; step /= 2)
                below += splits[below + step - 1] < number ? step : 0;
            bin += below;
        }
        return bin << log2;
    }
    __device__ unsigned counter_byte(Bits key) const {
        return bin_times(key, shares_log2 + 2) | share_byte;
    }
};

/// The target of such a partition. All of it is in shared memory.
template <class Shape, unsigned kMostSplits>
struct BinArrays {
    using Number = typename Shape::Bits;
    using Bins = SplitBins<Number, Shape::kMaxBinBits + 2, kMostSplits>;

    /// A bin is stored from staged[x] to to[x], for each x below `stop`. If it has no array, `to`
    /// is null.
    struct alignas(16) Run {
        Number* to;
        unsigned stop;

        __device__ unsigned position(const Number* origin, unsigned x) const {
            return to == nullptr ? 0 : static_cast<unsigned>(to + x - origin);
        }
        __device__ Number* address(Number*, unsigned x) const { return to + x; }
    };

    const BinArray<Number>* arrays;  ///< of each bin
    unsigned bins;
    const Number* splits;  ///< ascending; behind them ~0 up to the size of a complete search
    unsigned first_step;

    __device__ bool has(unsigned bin, unsigned) const { return bin < bins; }
    __device__ bool is_moved(unsigned bin) const { return arrays[bin].to != nullptr; }
    static __device__ Number* origin() { return nullptr; }
    /// Start of the sector in which the bin's array begins.
    __device__ Number* origin(unsigned bin) const {
        return arrays[bin].to - phase_of(arrays[bin].to);
    }
    __device__ BinPositions<Number> positions(unsigned bin) const {
        const BinArray<Number> its = arrays[bin];
        return {phase_of(its.to), phase_of(its.to) + (its.to == nullptr ? 0 : its.size)};
    }
    __device__ Run run(unsigned bin, unsigned position, unsigned begin, unsigned stop) const {
        if (!is_moved(bin)) return {nullptr, begin};
        return {origin(bin) + (std::ptrdiff_t{position} - std::ptrdiff_t{begin}), stop};
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
