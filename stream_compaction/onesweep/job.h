// The arrays of a launch, and how they are divided among its blocks.
#pragma once

#include "stream_compaction/grid.h"
#include "stream_compaction/onesweep/look_back.h"
#include "stream_compaction/parts/arrays.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Device memory that the blocks share. The histograms are zero before and after a launch.
template <class Offset>
struct Shared {
    Offset* histograms;        ///< kDigits for each digit of the key
    Offset* begins;            ///< of each digit value
    unsigned* varies;          ///< for each digit of the key, whether keys differ there
    unsigned *rows, *cohorts;  ///< of the look-back, kRounds rounds
};

template <class Bits>
constexpr std::size_t kHistogramSize = kPositions<Bits>* kDigits;

/// Divides the memory into arrays for n keys, except the histograms: only these must survive
/// between launches.
template <class Bits, class Offset>
void lay_out(Shared<Offset>& shared, std::size_t n, Arrays& arrays) {
    const std::size_t blocks = std::min<std::size_t>(kMaxBlocks, ceil_div(n, kLeastTile));
    shared.begins = arrays.take<Offset>(kHistogramSize<Bits>);
    shared.varies = arrays.take<unsigned>(kPositions<Bits>);
    shared.rows = arrays.take<unsigned>(kRounds * blocks * kDigits);
    shared.cohorts =
        arrays.take<unsigned>(kRounds * std::min<std::size_t>(kMaxCohorts, blocks) * kDigits);
}

/// The part of a job that does not depend on the launch shape.
template <class Bits, class Value, class Offset>
struct JobOfItems {
    const Bits* in;
    Bits *out, *spare;
    const Value* values_in;  ///< nullptr: values are indices
    Value *values_out, *values_spare;
    Offset n;
    BitRange compared;
    Shared<Offset> shared;
    unsigned multiprocessors;
    unsigned groups;  ///< of a thread's items in a tile
    /// The first blocks, which take part: a multiple of the cohort, or one for each tile.
    unsigned blocks;
    unsigned cohort;  ///< tiles of a cohort
};

template <class Shape, class Offset>
struct Job : JobOfItems<typename Shape::Bits, typename Shape::Value, Offset> {
    using Items = JobOfItems<typename Shape::Bits, typename Shape::Value, Offset>;
    using Items::blocks, Items::cohort, Items::groups, Items::multiprocessors, Items::n;

    /// For a launch of `launched` blocks. If one block per multiprocessor has tiles for all keys,
    /// that many blocks: fewer tiles look back faster. Otherwise the smallest tiles that need no
    /// more rounds than the largest tiles.
    __host__ __device__ void choose_tiles(unsigned launched) {
        launched =
            std::min(launched, unsigned{kMaxBlocks});  // a copy: on the device it has no address
        const Offset alone = std::min(launched, multiprocessors);
        const Offset largest = Shape::tile_keys(Shape::kMaxGroups);
        const Offset shares =
            n <= alone * largest ? alone : launched * ceil_div(n, launched * largest);
        groups = static_cast<unsigned>(ceil_div(n, shares * Offset{Shape::tile_keys(1)}));
        const Offset tiles = ceil_div(n, Offset{Shape::tile_keys(groups)});
        blocks = static_cast<unsigned>(std::min<Offset>(launched, tiles));
        cohort = cohort_of(blocks);
        if (blocks < tiles) blocks = blocks / cohort * cohort;
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
