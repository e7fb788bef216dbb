// One pass: moves all keys, and their values, to the places of one digit.
#pragma once

#include "stream_compaction/onesweep/shape.h"
#include "stream_compaction/parts/key_map.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

template <class Shape, class Offset>
struct Pass {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const Bits* from;
    Bits* to;
    const Value* values_from;  ///< nullptr: values are places
    Value* values_to;
    Offset n;
    KeyMap<Bits> map;
    BitRange compared;
    Offset* histograms;        ///< of all passes
    Offset* begins;            ///< of each digit; of its next tile, if these are in any order
    unsigned *rows, *cohorts;  ///< of the look-back
    unsigned blocks;           ///< that take part
    unsigned block;            ///< this block's number among them
    unsigned cohort;           ///< tiles of one
    unsigned first_lap;        ///< this pass's number for its first lap
    unsigned shift, digit_mask;
    Bits ordered;          ///< bits that no later pass looks at
    unsigned groups;       ///< a tile's
    bool enters, leaves;   ///< whether keys become numbers in this pass, or again keys
    bool is_in_any_order;  ///< whether tiles need not keep their order; asked if kMayReorder
    bool is_staged;        ///< whether the tile is staged already: see count_and_stage
};

/// The bits of a number that are compared, as a number.
template <class Bits>
__device__ Bits bits_of(Bits number, BitRange compared) {
    return number << compared.high >> (compared.high + compared.low);
}

/// All bits but those that are compared, from `shift` on.
template <class Bits>
__device__ Bits bits_outside(unsigned shift, BitRange compared) {
    return static_cast<Bits>(~(~Bits{0} >> compared.high >> shift << shift));
}

/// Whether some keys with equal digits need not keep their order: keys alone, in blocks that may
/// have several tiles. In the first pass over whole keys, any order will do.
template <class Shape>
constexpr bool kMayReorder = !Shape::kHasValues && !Shape::kStartsTogether;

/// In shared memory, so that rarely needed fields occupy no registers. No constructor runs there.
template <class Shape, class Offset>
__device__ Pass<Shape, Offset>& current_pass() {
    static_assert(std::is_trivially_default_constructible_v<Pass<Shape, Offset>>);
    __shared__ Pass<Shape, Offset> pass;
    return pass;
}

/// The layout of a pass's tile in shared memory. The warps' masks and counters are there until keys
/// are staged. If values take turns with the keys, the digits of the staged keys replace `begins`.
template <class Shape, class Offset>
struct PassMemory {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    static constexpr std::size_t kTile = Shape::tile_keys(Shape::kMaxGroups);
    static constexpr std::size_t kStagedBytes =
        kTile *
        (Shape::kTakesTurns ? std::max(sizeof(Bits), kValueBytes<Value>) : kItemBytes<Bits, Value>);
    static_assert(kStagedBytes >= 2 * kWarps * kDigits * sizeof(unsigned));
    static constexpr unsigned kDigitWords = (Shape::kOfGroup + 3) / 4;  ///< for a thread's group
    static constexpr std::size_t kDigitBytes =
        Shape::kTakesTurns ? sizeof(unsigned) * kDigitWords * Shape::kMaxGroups * kThreads : 0;
    static constexpr std::size_t kBytes =
        kStagedBytes + kDigits * sizeof(Offset) +
        std::max(kWarps * kDigits * sizeof(unsigned short), kDigitBytes);

    Bits* keys;
    Value* values;
    Offset* offsets;  ///< of each digit: what is added to a place in the tile for one in the array
    unsigned short* begins;      ///< of each warp, for each digit: where its keys start in the tile
    unsigned* digits;            ///< of the thread's staged keys, four to a word
    unsigned *masks, *counters;  ///< of each warp, for each digit: see rank_row

    __device__ PassMemory()
        : keys(simt::dynamic_shared<Bits>()),
          values(reinterpret_cast<Value*>(keys) + (Shape::kTakesTurns ? 0 : kTile)),
          offsets(reinterpret_cast<Offset*>(simt::dynamic_shared<unsigned char>() + kStagedBytes)),
          begins(reinterpret_cast<unsigned short*>(offsets + kDigits)),
          digits(reinterpret_cast<unsigned*>(begins) + threadIdx.x),
          masks(simt::dynamic_shared<unsigned>()),
          counters(masks + kWarps * kDigits) {}
};

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
