// Launch shapes: the threads, keys per thread and shared memory of a block.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/hybrid_radix/items.h"
#include "stream_compaction/parts/warp.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kThreads = 512;
constexpr unsigned kWarps = kThreads / kLanes;

/// A launch shape. A multiprocessor holds two blocks of it, or one with the 64 KB of compute
/// capability 7.5.
/// @tparam kItemsOfThread  keys that a thread holds when a block sorts a bucket. Odd, so that
///                         threads that each read a run of this length cause no bank conflicts
/// @tparam kItemsOfTile    keys that a thread holds when a block partitions a tile on the grid
/// @tparam kBinBits        a partition on the grid has at most 2^kBinBits bins
/// @tparam kGroupBits      a block sorts its bucket with at most 2^kGroupBits groups
/// @tparam kCountedBits    a histogram has at most 2^kCountedBits words
template <class Number, unsigned kItemsOfThread, unsigned kItemsOfTile, unsigned kBinBits,
          unsigned kGroupBits, unsigned kCountedBits, class KeyOrPairArrays>
struct Shape {
    using Bits = Number;
    using ItemArrays = KeyOrPairArrays;
    using In = typename ItemArrays::In;
    using Out = typename ItemArrays::Out;
    static constexpr unsigned kItems = kItemsOfThread, kBlockKeys = kThreads * kItems;
    static constexpr unsigned kTileItems = kItemsOfTile, kTileKeys = kThreads * kTileItems;
    static constexpr unsigned kMaxBinBits = kBinBits, kMaxBins = 1u << kBinBits;
    static constexpr unsigned kMaxGroupBits = kGroupBits;
    static constexpr unsigned kMaxCountedBits = kCountedBits;
    /// Four counters share a word.
    static constexpr unsigned kMaxHistogramBits = kCountedBits + 2;
    static_assert(kMaxBins <= kThreads, "each thread handles one bin");
};

/// For multiprocessors with 191 KB of shared memory or more (64-bit numbers: 183 KB), that is,
/// compute capabilities 9.0 and 10.0: see has_large_blocks.
template <class Bits, class Value, class Number = NumberOf<Bits, Value>,
          unsigned kItems = sizeof(Number) == 4 ? 23 : 11>
using LargeShape =
    Shape<Number, kItems, sizeof(Number) == 4 ? 20 : 10, 9, 13, 14, ItemArrays<Bits, Value>>;

/// For all others: 8.0 (164 KB), 8.6, 8.9 and 12.0 (100 KB), and 7.5 (64 KB), which has one block
/// per multiprocessor.
template <class Bits, class Value, class Number = NumberOf<Bits, Value>>
using SmallShape = Shape<Number, sizeof(Number) == 4 ? 13 : 7, sizeof(Number) == 4 ? 8 : 4, 8,
                         sizeof(Number) == 4 ? 12 : 11, 13, ItemArrays<Bits, Value>>;

/// The shared memory of a block that sorts a bucket.
template <class Shape>
struct BlockMemory {
    using Bits = typename Shape::Bits;
    Bits* keys;        ///< kBlockKeys, and room for two more runs
    unsigned* counts;  ///< 2^kMaxGroupBits, and one more per lane

    __device__ BlockMemory()
        : keys(simt::dynamic_shared<Bits>()),
          counts(reinterpret_cast<unsigned*>(keys + Shape::kBlockKeys + kPadding)) {}

    static constexpr unsigned kPadding = 64;
    static constexpr std::size_t kBytes =
        (Shape::kBlockKeys + kPadding) * sizeof(Bits) +
        ((std::size_t{1} << Shape::kMaxGroupBits) + kLanes) * sizeof(unsigned);
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
