// Launch shapes: the threads, items per thread and shared memory of a block.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/parts/warp.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

constexpr unsigned kDigitBits = 8, kDigits = 1u << kDigitBits;
constexpr unsigned kThreads = 512, kWarps = kThreads / kLanes;

template <class Bits>
constexpr unsigned kPositions = 8 * sizeof(Bits) / kDigitBits;  ///< digits of a key

/// The size of a value; NoValue needs no memory.
template <class Value>
constexpr std::size_t kValueBytes = std::is_same_v<Value, NoValue> ? 0 : sizeof(Value);

/// The largest number of blocks that take part, which limits the size of the look-back's rings.
constexpr unsigned kMaxBlocks = 320;

template <class Bits, class Value>
constexpr std::size_t kItemBytes = sizeof(Bits) + kValueBytes<Value>;

template <class Bits, class Value>
constexpr bool kIsSmallPair = sizeof(Bits) == 4 && kValueBytes<Value> == 4;

template <class Bits, class Value>
constexpr bool kIsSmallKey = sizeof(Bits) == 4 && kValueBytes<Value> == 0;

/// A launch shape. Two blocks must fit on a multiprocessor.
/// @tparam kItemsOfGroup, kGroups  a thread loads its keys in groups; fewer groups if there are few
///         keys
/// @tparam kCounterWords           of all digits, for the initial count
/// @tparam kTilesOfBlock           at most; 0: unlimited
template <class KeyBits, class ValueBits, unsigned kItemsOfGroup, unsigned kGroups,
          unsigned kCounterWords, unsigned kTilesOfBlock = 0>
struct Shape {
    using Bits = KeyBits;
    using Value = ValueBits;
    static constexpr unsigned kOfGroup = kItemsOfGroup, kMaxGroups = kGroups;
    static constexpr unsigned kMaxItems = kOfGroup * kMaxGroups;
    static constexpr bool kHasFewTiles = kTilesOfBlock > 0;
    /// Whether all tiles are processed at the same time.
    static constexpr bool kStartsTogether = kTilesOfBlock == 1;

    static constexpr bool kHasValues = kValueBytes<Value> > 0;
    /// Whether values are staged in the memory of the keys after the keys are stored, which allows
    /// larger tiles. Small pairs are faster if keys and values are staged together.
    static constexpr bool kTakesTurns = kHasValues && !kIsSmallPair<Bits, Value>;
    /// Groups of values that are loaded before the look-back, into registers. The other groups wait
    /// in the L2 cache.
    static constexpr unsigned kEarlyGroups = kTakesTurns || kMaxGroups < 2 ? 1 : 2;
    /// The number of the remaining groups that are loaded at once.
    static constexpr unsigned kLateGroups = kTakesTurns ? 1 : kMaxGroups;

    static constexpr unsigned kAllDigits = kPositions<Bits> * kDigits;
    /// Each digit value has several counters, which the lanes share: with one counter, lanes whose
    /// keys have the same digit would wait for each other.
    static constexpr unsigned kShares = kCounterWords / kAllDigits;
    static constexpr std::size_t kCountBytes = kCounterWords * sizeof(unsigned);

    __host__ __device__ static constexpr unsigned tile_keys(unsigned groups) {
        return groups * kOfGroup * kThreads;
    }
    /// Whether the tiles of all resident blocks have room for n keys.
    static constexpr bool is_for(std::size_t n, unsigned blocks) {
        return kTilesOfBlock == 0 || n <= std::size_t{kTilesOfBlock} *
                                              std::min(blocks, kMaxBlocks) * tile_keys(kMaxGroups);
    }
};

/// For multiprocessors with 160 KB of shared memory or more: compute capabilities 8.0, 9.0, 10.0.
template <class Bits, class Value>
using LargeShape = Shape<Bits, Value,
                         kIsSmallKey<Bits, Value>    ? 8
                         : kIsSmallPair<Bits, Value> ? 6
                                                     : 4,
                         kIsSmallPair<Bits, Value> ? 3 : 4, 16384>;

/// For the same GPUs and few items: smaller tiles, so that usually each multiprocessor has one
/// tile, and all start together.
template <class Bits, class Value>
using FewShape = Shape<Bits, Value, 4, kIsSmallKey<Bits, Value> ? 5 : 4, 16384, 1>;

template <class... Shapes>
struct ShapeList {
    using Fewest = std::tuple_element_t<0, std::tuple<Shapes...>>;
    using Largest = std::tuple_element_t<sizeof...(Shapes) - 1, std::tuple<Shapes...>>;
};

/// The shapes for such GPUs, from few items to many; the last shape accepts any number. One more
/// tile in a single block costs as much time as one more tile in every block. Hence there are
/// shapes for one tile per block and, for 32-bit keys, for two, as large as the registers allow.
template <class Bits, class Value>
using LargeShapes =
    std::conditional_t<kIsSmallKey<Bits, Value>,
                       ShapeList<FewShape<Bits, Value>, Shape<Bits, Value, 4, 8, 16384, 1>,
                                 Shape<Bits, Value, 3, 8, 16384, 2>,
                                 Shape<Bits, Value, 4, 8, 16384, 2>, LargeShape<Bits, Value>>,
                       std::conditional_t<kIsSmallPair<Bits, Value>,
                                          ShapeList<FewShape<Bits, Value>, LargeShape<Bits, Value>>,
                                          ShapeList<LargeShape<Bits, Value>>>>;

/// Calls f with the first shape that is suitable for n items.
template <class First, class... Others, class F>
decltype(auto) with_shape_for(ShapeList<First, Others...>, std::size_t n, unsigned blocks, F f) {
    if constexpr (sizeof...(Others) > 0)
        if (!First::is_for(n, blocks)) return with_shape_for(ShapeList<Others...>(), n, blocks, f);
    return f(First());
}

/// For 100 KB, and for one block per multiprocessor with the 64 KB of 7.5. The staged items of a
/// thread occupy 72 bytes.
template <class Bits, class Value>
using SmallShape = Shape<Bits, Value, kIsSmallKey<Bits, Value> ? 6 : 3, 3, 8192>;

constexpr unsigned kLeastTile = 3 * kThreads;  ///< the smallest tile of all shapes

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
