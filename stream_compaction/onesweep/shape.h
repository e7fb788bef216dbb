// What a block of a pass takes of a multiprocessor.
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
constexpr unsigned kPositions = 8 * sizeof(Bits) / kDigitBits;  ///< of digits in a key

/// Instead of values, NoValue takes no memory.
template <class Value>
constexpr std::size_t kValueBytes = std::is_same_v<Value, NoValue> ? 0 : sizeof(Value);

/// So many blocks take part at most, for the size of the look-back's rings.
constexpr unsigned kMaxBlocks = 320;

template <class Bits, class Value>
constexpr std::size_t kItemBytes = sizeof(Bits) + kValueBytes<Value>;

template <class Bits, class Value>
constexpr bool kIsSmallPair = sizeof(Bits) == 4 && kValueBytes<Value> == 4;

template <class Bits, class Value>
constexpr bool kIsSmallKey = sizeof(Bits) == 4 && kValueBytes<Value> == 0;

/// What a block takes of a multiprocessor, of which two are to fit into one.
/// @tparam kItemsOfGroup, kGroups  a thread takes its keys in groups: fewer of few keys
/// @tparam kCounterWords           of all positions, for the digits that are counted first
/// @tparam kTilesOfBlock           at most; 0: as many as there are
template <class KeyBits, class ValueBits, unsigned kItemsOfGroup, unsigned kGroups,
          unsigned kCounterWords, unsigned kTilesOfBlock = 0>
struct Shape {
    using Bits = KeyBits;
    using Value = ValueBits;
    static constexpr unsigned kOfGroup = kItemsOfGroup, kMaxGroups = kGroups;
    static constexpr unsigned kMaxItems = kOfGroup * kMaxGroups;
    static constexpr bool kHasFewTiles = kTilesOfBlock > 0;
    /// Whether all tiles are worked on at the same time.
    static constexpr bool kStartsTogether = kTilesOfBlock == 1;

    static constexpr bool kHasValues = kValueBytes<Value> > 0;
    /// Whether values are staged where the keys were, when these are stored: so tiles are larger.
    /// Small pairs are faster at once.
    static constexpr bool kTakesTurns = kHasValues && !kIsSmallPair<Bits, Value>;
    /// Groups of values that are under way during the look-back, for which there are registers.
    /// Those of the others wait in the L2 cache.
    static constexpr unsigned kEarlyGroups = kTakesTurns || kMaxGroups < 2 ? 1 : 2;
    /// Groups of these others that are loaded at once.
    static constexpr unsigned kLateGroups = kTakesTurns ? 1 : kMaxGroups;

    static constexpr unsigned kAllDigits = kPositions<Bits> * kDigits;
    /// Each digit has several counters, for the lanes to share: where all keys have the same digit,
    /// they would wait for each other at one.
    static constexpr unsigned kShares = kCounterWords / kAllDigits;
    static constexpr std::size_t kCountBytes = kCounterWords * sizeof(unsigned);

    __host__ __device__ static constexpr unsigned tile_keys(unsigned groups) {
        return groups * kOfGroup * kThreads;
    }
    /// Whether blocks that are resident together have room for n keys.
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

/// For the same, of few items: of smaller tiles, so that each multiprocessor has one, mostly, and
/// all start together.
template <class Bits, class Value>
using FewShape = Shape<Bits, Value, 4, kIsSmallKey<Bits, Value> ? 5 : 4, 16384, 1>;

template <class... Shapes>
struct ShapeList {
    using Fewest = std::tuple_element_t<0, std::tuple<Shapes...>>;
    using Largest = std::tuple_element_t<sizeof...(Shapes) - 1, std::tuple<Shapes...>>;
};

/// The shapes for such multiprocessors, from few items to many; the last is for any number. A block
/// with a tile more than others takes as long as if all had one: hence, of 32-bit keys, shapes for
/// one tile and for two, which are as large as there are registers for.
template <class Bits, class Value>
using LargeShapes =
    std::conditional_t<kIsSmallKey<Bits, Value>,
                       ShapeList<FewShape<Bits, Value>, Shape<Bits, Value, 4, 8, 16384, 1>,
                                 Shape<Bits, Value, 3, 8, 16384, 2>,
                                 Shape<Bits, Value, 4, 8, 16384, 2>, LargeShape<Bits, Value>>,
                       std::conditional_t<kIsSmallPair<Bits, Value>,
                                          ShapeList<FewShape<Bits, Value>, LargeShape<Bits, Value>>,
                                          ShapeList<LargeShape<Bits, Value>>>>;

/// Calls f with the first of the shapes that is for n items.
template <class First, class... Others, class F>
decltype(auto) with_shape_for(ShapeList<First, Others...>, std::size_t n, unsigned blocks, F f) {
    if constexpr (sizeof...(Others) > 0)
        if (!First::is_for(n, blocks)) return with_shape_for(ShapeList<Others...>(), n, blocks, f);
    return f(First());
}

/// For 100 KB, and one block for the 64 KB of 7.5. What is staged at a time takes 72 bytes of a
/// thread.
template <class Bits, class Value>
using SmallShape = Shape<Bits, Value, kIsSmallKey<Bits, Value> ? 6 : 3, 3, 8192>;

constexpr unsigned kLeastTile = 3 * kThreads;  ///< the smallest, of all shapes

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
