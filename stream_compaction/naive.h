// The first parallel scan of the textbook: log2(n) passes over the whole array.
//
// Source: Hillis and Steele, "Data parallel algorithms", CACM 29(12), 1986; as in GPU Gems 3,
// chapter 39.2.1. It is not work-efficient: n log2(n) additions, and a launch per level.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/map_scan_scatter.h"

namespace stream_compaction::inline SIMT_BACKEND::naive {

inline constexpr int kBlockSizes[] = {8, 16, 32, 64, 128, 256, 512, 1024};
inline constexpr LegalTuning kLegal{.block_sizes = kBlockSizes, .items_per_thread = {}};
inline constexpr Tuning kTuned{.block_size = 256};

/// Exclusive scan of device arrays of at most n elements. May work in place; other overlaps are
/// refused.
class Scan {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    /// Allocates two arrays of n elements.
    /// @throws std::invalid_argument, simt::Error
    explicit Scan(std::size_t n, const Tuning& tuning = kTuned);

    static std::size_t workspace_bytes(std::size_t n, const Tuning& tuning);

    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    unsigned block_size_;
    simt::DeviceArray<int> buffers_[2];
};

/// Stream compaction: map to 0 and 1, scan, scatter.
using Compact = MapScanScatter<Scan>;

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning that is not allowed or an output that is too small,
///         simt::Error
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);

}  // namespace stream_compaction::inline SIMT_BACKEND::naive
