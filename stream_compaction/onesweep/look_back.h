// The memory of the look-back.
//
// With B blocks, block b processes the tiles b, b + B, b + 2B, ... in this order. A tile has a row
// with a word for each digit: the tile's count of keys with that digit. Tiles are in cohorts, of
// which B is a multiple; the block with the last tile of a cohort publishes the cohort's sums in
// the same way. A tile therefore finds its offsets in two steps that wait for no other tile's
// offsets: it adds the sums of the cohorts since its block's last tile, and the rows of its own
// cohort.
//
// Both kinds of rows are rings, three rounds of all blocks long; a tag distinguishes the laps
// around them. A block that publishes for tile t has finished with t - B, so the tiles before t - B
// are published. The threads of their blocks have finished with the tiles before t - 2B, and the
// block itself with t - 2B: no block reads the words that tile t overwrites, those of t - 3B. In a
// pass without look-back no block reads any word, and a barrier of all blocks comes before the next
// pass.
//
// Forward progress: all blocks are resident, and tile t waits only for earlier tiles, which are
// published before their blocks wait for anything except tiles before these.
#pragma once

#include "stream_compaction/onesweep/shape.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

constexpr unsigned kRounds = 3;
constexpr unsigned kValueBits = 24, kTags = 1u << (32 - kValueBits);

/// A cohort's sum fits into a word.
using ShapeOfMost = LargeShape<unsigned, NoValue>;
static_assert(kMaxBlocks * ShapeOfMost::tile_keys(ShapeOfMost::kMaxGroups) < 1u << kValueBits);

/// About half as many tiles per cohort as cohorts per round.
constexpr unsigned cohort_of(unsigned blocks) {
    unsigned tiles = 1;
    while (2 * tiles * tiles < blocks) ++tiles;
    return tiles;
}

constexpr unsigned kMaxCohorts = 26;  ///< blocks / cohort_of(blocks) is at most sqrt(2 * blocks)
static_assert(kMaxCohorts * kMaxCohorts > 2 * kMaxBlocks);

/// A ring of rows. Laps are counted across passes; words are zero before the first lap, number 1.
struct Ring {
    unsigned* column;  ///< of the thread's digit value
    unsigned rows;
    unsigned lap, index;  ///< of the block's tile

    __device__ void advance(unsigned by) {
        index += by;
        if (index >= rows) index -= rows, ++lap;
    }

    __device__ void publish(unsigned value) const {
        simt::DeviceAtomic<unsigned>(column[index * kDigits])
            .store(lap % kTags << kValueBits | value, simt::memory_order_relaxed);
    }

    /// Waits until the previous row is published.
    __device__ void await_last() const {
        while (load(1) >> kValueBits != tag_of(1)) simt::relax();
    }

    /// The sum of the previous `count` rows, of which kBatch are loaded at once.
    template <unsigned kBatch>
    __device__ unsigned sum_before(unsigned count) const {
        unsigned sum = 0;
        for (unsigned first = 1; first <= count; first += kBatch) {
            unsigned word[kBatch];
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b) word[b] = load(min(first + b, count));
#pragma unroll
            for (unsigned b = 0; b < kBatch; ++b) {
                if (first + b > count) break;
                const unsigned tag = tag_of(first + b);
                while (word[b] >> kValueBits != tag) {
                    simt::relax();
                    word[b] = load(first + b);
                }
                sum += word[b] % (1u << kValueBits);
            }
        }
        return sum;
    }

  private:
    __device__ unsigned tag_of(unsigned before) const {
        return (index >= before ? lap : lap - 1) % kTags;
    }
    __device__ unsigned load(unsigned before) const {
        const unsigned at = index >= before ? index - before : index + rows - before;
        return simt::DeviceAtomic<unsigned>(column[at * kDigits]).load(simt::memory_order_relaxed);
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
