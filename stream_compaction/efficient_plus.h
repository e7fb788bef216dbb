// The work-efficient scan in shared memory: each block scans a tile in one launch, the tile sums
// are scanned the same way, and each tile adds the sum of the tiles before it.
//
// Source: Blelloch, "Prefix sums and their applications", 1990; as in GPU Gems 3, chapters 39.2.3
// (no bank conflicts) and 39.2.4 (arrays of any size).
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/map_scan_scatter.h"

namespace stream_compaction::inline SIMT_BACKEND::efficient_plus {

inline constexpr int kBlockSizes[] = {8, 16, 32, 64, 128, 256, 512, 1024};
inline constexpr int kItemsPerThread[] = {1, 2, 4, 8, 16};
inline constexpr int kPaddings[] = {0, 1};
inline constexpr LegalTuning kLegal{
    .block_sizes = kBlockSizes, .items_per_thread = kItemsPerThread, .paddings = kPaddings};
inline constexpr Tuning kTuned{.block_size = 128, .items_per_thread = 8};

/// Exclusive scan of device arrays of at most n elements. May work in place; other overlaps are
/// refused.
class Scan {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    /// Allocates the tile sums of all levels: about n / (block size * items per thread) elements.
    /// @throws std::invalid_argument, simt::Error
    explicit Scan(std::size_t n, const Tuning& tuning = kTuned);

    static std::size_t workspace_bytes(std::size_t n, const Tuning& tuning);

    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

    /// All steps except the last one: out[i] is the sum of the elements before i in its tile, and
    /// the result says where the prefix of each tile is. Saves a pass over `out` if the next kernel
    /// can add the prefix itself.
    Positions enqueue_tiles(const int* in, int* out, std::size_t n,
                            simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    Tuning tuning_;
    simt::DeviceArray<int> tile_sums_;  // of level 0, then of level 1, ...
};

/// A compaction's scatter adds the tile prefixes itself.
inline Positions enqueue_scan_of_flags(Scan& scan, int* flags, std::size_t n,
                                       simt::stream_t stream) {
    return scan.enqueue_tiles(flags, flags, n, stream);
}

/// Stream compaction: map to 0 and 1, scan, scatter.
using Compact = MapScanScatter<Scan>;

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning that is not allowed or an output that is too small,
///         simt::Error
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);

}  // namespace stream_compaction::inline SIMT_BACKEND::efficient_plus
