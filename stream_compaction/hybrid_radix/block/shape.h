// What a block takes of a multiprocessor, and where its keys and counters are in shared memory.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/hybrid_radix/item_arrays.h"
#include "stream_compaction/parts/warp.h"

#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kThreads = 512;
constexpr unsigned kWarps = kThreads / kLanes;

/// What a block takes of a multiprocessor, of which two are to fit into one.
/// @tparam kItemsOfThread  keys in its registers. Odd, so that threads which each read a run of so
///                         many meet no bank conflict
/// @tparam kBucketBits     2^these counters at most, for the buckets of a block's keys
/// @tparam kCountedBits    2^these words at most, where digits are counted and nothing else is done
/// @tparam kSplitItemsOfThread  keys in its registers where these are moved between splitters
/// @tparam kClassBits      2^these classes of keys at most
/// @tparam PassShape  of passes by the lowest digit first
/// @tparam ItemArrays  in which the keys are, maybe with values
template <class Number, unsigned kItemsOfThread, unsigned kBucketBits, unsigned kCountedBits,
          unsigned kSplitItemsOfThread, unsigned kClassBits, class PassShape,
          class ItemArrays = KeyArrays<Number>>
struct Shape {
    using Bits = Number;
    using Passes = PassShape;
    using Arrays = ItemArrays;
    using In = typename Arrays::In;
    using Out = typename Arrays::Out;
    static constexpr unsigned kItems = kItemsOfThread, kBlockKeys = kThreads * kItems;
    static constexpr unsigned kMaxBucketBits = kBucketBits;
    static constexpr unsigned kMaxCountedBits = kCountedBits;
    static constexpr unsigned kSplitItems = kSplitItemsOfThread;
    static constexpr unsigned kSplitTile = kThreads * kSplitItems;
    static constexpr unsigned kMaxClassBits = kClassBits;
};

/// Where a block's keys and counts are in its shared memory.
template <class Shape>
struct BlockMemory {
    using Bits = typename Shape::Bits;
    Bits* keys;        ///< kBlockKeys, and two runs more
    unsigned* counts;  ///< 2^kMaxBucketBits, and one more for each lane

    __device__ BlockMemory()
        : keys(simt::dynamic_shared<Bits>()),
          counts(reinterpret_cast<unsigned*>(keys + Shape::kBlockKeys + kPadding)) {}

    static constexpr unsigned kPadding = 64;
    static constexpr std::size_t kBytes =
        (Shape::kBlockKeys + kPadding) * sizeof(Bits) +
        ((std::size_t{1} << Shape::kMaxBucketBits) + kLanes) * sizeof(unsigned);
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
