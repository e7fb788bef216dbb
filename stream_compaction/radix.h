// The classic split sort: one bit per pass, least significant bit first. A scan of the flags gives
// each key its position: keys whose bit is 0 first, keys whose bit is 1 after them, both in their
// order.
//
// Source: Blelloch, "Prefix sums and their applications", 1990; as in GPU Gems 3, chapter 39.3.3.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/efficient_plus.h"

namespace stream_compaction::inline SIMT_BACKEND::radix {

inline constexpr LegalTuning kLegal{.block_sizes = efficient_plus::kBlockSizes,
                                    .items_per_thread = efficient_plus::kItemsPerThread};
inline constexpr Tuning kTuned = efficient_plus::kTuned;

/// Sort of device arrays of at most n signed keys. May work in place; other overlaps are refused.
class Sort {
  public:
    static constexpr PlanTraits kTraits{.in_place = true, .sort_passes = 32};

    /// Positions have 32 bits, because they count within a slice of this many keys.
    static constexpr std::size_t kSlice = std::size_t{1} << 30;

    /// Allocates a second array of keys, one of positions, and the scan's workspace.
    /// @param slice a multiple of the keys of a block, 4 * block size, and less than 2^31
    /// @throws std::invalid_argument, simt::Error
    explicit Sort(std::size_t n, const Tuning& tuning = kTuned, std::size_t slice = kSlice);

    static std::size_t workspace_bytes(std::size_t n, const Tuning& tuning);

    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    std::size_t slice_;
    unsigned block_size_;
    efficient_plus::Scan scan_;
    simt::DeviceArray<int> keys_;
    simt::DeviceArray<int> positions_;
};

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning that is not allowed or an output that is too small,
///         simt::Error
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = kTuned);

}  // namespace stream_compaction::inline SIMT_BACKEND::radix
