// Stream compaction as three steps around any scan: map every element to 0 or 1, scan the flags to
// output positions, scatter the kept elements to their positions.
//
// Source: Blelloch, "Prefix sums and their applications", 1990; GPU Gems 3, chapter 39.3.1.
#pragma once

#include "simt/checked_size.h"
#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/stopwatch.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND {

/// The result of a scan of flags: the output position of element i is within_tile[i] +
/// (tile_prefixes ? tile_prefixes[i / tile] : 0), with tiles of 2^tile_log2 elements.
struct Positions {
    const int* within_tile;
    const int* tile_prefixes = nullptr;
    unsigned tile_log2 = 0;
};

/// flags[i] = in[i] != 0.
void enqueue_map(const int* in, int* flags, std::size_t n, unsigned block_size,
                 simt::stream_t stream);

/// Writes the kept elements of `in` to out[*kept_before + position], and the number of elements
/// kept so far to *kept_after.
void enqueue_scatter(const int* in, const Positions& positions, std::size_t n, int* out,
                     const std::size_t* kept_before, std::size_t* kept_after, unsigned block_size,
                     simt::stream_t stream);

/// Scans flags in place, completely. A scan that can leave its last step to the scatter has its own
/// overload.
template <class Scan>
Positions enqueue_scan_of_flags(Scan& scan, int* flags, std::size_t n, simt::stream_t stream) {
    scan.enqueue(flags, flags, n, stream);
    return {flags};
}

/// Compaction of device arrays of at most n elements, keeping the non-zero ones in their order. Not
/// in place: overlaps are refused.
/// Arrays larger than a slice are compacted slice by slice, so that positions fit in 32 bits and
/// the workspace stays small; a 64-bit count on the device is carried from slice to slice.
template <class Scan>
class MapScanScatter {
  public:
    static constexpr PlanTraits kTraits{.has_phases = true};

    static constexpr std::size_t kSlice = std::size_t{1} << 30;

    /// Allocates min(n, slice) flags and the scan's workspace.
    /// @param slice positive, and at most 2^31 - 1
    /// @throws std::invalid_argument, simt::Error
    MapScanScatter(std::size_t n, const Tuning& tuning, std::size_t slice = kSlice)
        : capacity_(n),
          slice_(slice),
          block_size_(static_cast<unsigned>(tuning.block_size)),
          scan_(std::min(n, slice), tuning),
          flags_(std::min(n, slice)),
          kept_before_(counts(n, slice)) {}

    static std::size_t workspace_bytes(std::size_t n, const Tuning& tuning,
                                       std::size_t slice = kSlice) {
        require_size(n);
        const std::size_t flags = simt::checked_product(std::min(n, slice), sizeof(int));
        return simt::checked_sum(
            simt::checked_sum(Scan::workspace_bytes(std::min(n, slice), tuning), flags),
            simt::checked_product(counts(n, slice), sizeof(std::size_t)));
    }

    /// @param count device or pinned host memory for the number of kept elements; null is refused
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr, Stopwatch* phases = nullptr) {
        require_capacity(capacity_, n);
        require_count(count, {in, n}, {out, n});
        require_apart({in, n}, {out, n});
        simt::fill_async(n == 0 ? count : kept_before_.data(), 0, sizeof(std::size_t), stream);
        for (std::size_t first = 0, slice = 0; first < n; first += slice_, ++slice) {
            const std::size_t size = std::min(slice_, n - first);
            const bool is_last = first + size == n;
            std::size_t* const kept = kept_before_.data() + slice;

            if (phases != nullptr && slice > 0) phases->mark();
            enqueue_map(in + first, flags_.data(), size, block_size_, stream);
            if (phases != nullptr) phases->mark();
            const Positions positions = enqueue_scan_of_flags(scan_, flags_.data(), size, stream);
            if (phases != nullptr) phases->mark();
            enqueue_scatter(in + first, positions, size, out, kept, is_last ? count : kept + 1,
                            block_size_, stream);
        }
    }

  private:
    static std::size_t counts(std::size_t n, std::size_t slice) {
        return simt::checked_sum(ceil_div(n, slice), 1);
    }

    Capacity capacity_;
    std::size_t slice_;
    unsigned block_size_;
    Scan scan_;
    simt::DeviceArray<int> flags_;
    simt::DeviceArray<std::size_t> kept_before_;  // of each slice, and one more
};

}  // namespace stream_compaction::inline SIMT_BACKEND
