// The work-efficient scan in global memory: a balanced tree, built bottom-up and walked top-down,
// with a launch per level.
//
// Source: Blelloch, "Prefix sums and their applications", 1990; as in GPU Gems 3, chapter 39.2.2.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/map_scan_scatter.h"

namespace stream_compaction::inline SIMT_BACKEND::efficient {

inline constexpr int kBlockSizes[] = {8, 16, 32, 64, 128, 256, 512, 1024};
inline constexpr LegalTuning kLegal{.block_sizes = kBlockSizes, .items_per_thread = {}};
inline constexpr Tuning kTuned{.block_size = 128};

/// Exclusive scan of device arrays of at most n elements. May work in place; other overlaps are
/// refused.
class Scan {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    /// Allocates one array of n elements, rounded up to a power of two.
    /// @throws std::invalid_argument, simt::Error
    explicit Scan(std::size_t n, const Tuning& tuning = kTuned);

    static std::size_t workspace_bytes(std::size_t n, const Tuning& tuning);

    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    unsigned block_size_;
    simt::DeviceArray<int> tree_;
};

/// Stream compaction: map to 0 and 1, scan, scatter.
using Compact = MapScanScatter<Scan>;

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning that is not allowed or an output that is too small,
///         simt::Error
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);

}  // namespace stream_compaction::inline SIMT_BACKEND::efficient
