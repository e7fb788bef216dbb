// One pass: moves all keys, with their values, to the positions given by one digit.
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
    const Value* values_from;  ///< nullptr: values are indices
    Value* values_to;
    Offset n;
    KeyMap<Bits> map;
    BitRange compared;
    Offset* histograms;  ///< of all passes
    /// Of each digit value; of its next tile, if tiles may come in any order.
    Offset* begins;
    unsigned *rows, *cohorts;  ///< of the look-back
    unsigned blocks;           ///< that take part
    unsigned block;            ///< this block's index among them
    unsigned cohort;           ///< tiles of a cohort
    unsigned first_lap;        ///< number of this pass's first lap
    unsigned shift, digit_mask;
    Bits ordered;          ///< bits that no later pass sorts by
    unsigned groups;       ///< of a thread's items in a tile
    bool enters, leaves;   ///< whether this pass converts keys to numbers, or back to keys
    bool is_in_any_order;  ///< whether tiles need not keep their order; used if kMayReorder
    bool is_staged;        ///< whether the tile is already staged: see count_and_stage
};

/// The compared bits of a number, as a number.
template <class Bits>
__device__ Bits bits_of(Bits number, BitRange compared) {
    return number << compared.high >> (compared.high + compared.low);
}

/// The bits that are not compared, and those below `shift`.
template <class Bits>
__device__ Bits bits_outside(unsigned shift, BitRange compared) {
    return static_cast<Bits>(~(~Bits{0} >> compared.high >> shift << shift));
}

/// Whether some keys with equal digits may be reordered: keys alone, in blocks that may have
/// several tiles. In the first pass over whole keys, any order is allowed.
template <class Shape>
constexpr bool kMayReorder = !Shape::kHasValues && !Shape::kStartsTogether;

/// In shared memory, so that rarely needed fields occupy no registers. No constructor runs there.
template <class Shape, class Offset>
__device__ Pass<Shape, Offset>& current_pass() {
    static_assert(std::is_trivially_default_constructible_v<Pass<Shape, Offset>>);
    __shared__ Pass<Shape, Offset> pass;
    return pass;
}

/// The layout of a pass's tile in shared memory. The memory of the warps' masks and counters is
/// reused when keys are staged. If values are staged after the keys, the digits of the staged keys
/// replace `begins`.
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
    Offset* offsets;  ///< for each digit value: output position minus position in the tile
    /// For each warp and digit value: where its keys begin in the tile.
    unsigned short* begins;
    unsigned* digits;            ///< of the thread's staged keys, four per word
    unsigned *masks, *counters;  ///< for each warp and digit value: see rank_row

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
