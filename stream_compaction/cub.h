// NVIDIA's CUB, the peer: its device-wide algorithms, with the workspace taken beforehand. GPU
// only.
//
// Source: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016,
// for scan and select; Adinets and Merrill, "Onesweep", 2022, for the sort.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND::cub {

/// CUB_VERSION of the headers that all this was compiled against: 300101 is 3.1.1.
int version();

/// cub::DeviceScan::ExclusiveSum. In place is fine; other overlaps are refused.
class Scan {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    explicit Scan(std::size_t n, const Tuning& = {});
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// CUB (3.0: CCCL's issue 6584) fills the last tile of up to 2^31 - 1 elements with more that count
/// as kept, and numbers the kept ones in 32 bits: where nearly all are, the numbers overflow, and
/// it writes in front of the output. A tile lies in shared memory, so that it has less than 2^16
/// elements.
inline constexpr std::size_t kMostCompacted = (std::size_t{1} << 31) - (std::size_t{1} << 16);

/// cub::DeviceSelect::If. Not in place: overlaps are refused.
class Compact {
  public:
    /// @throws std::invalid_argument for more than kMostCompacted elements; simt::Error
    explicit Compact(std::size_t n, const Tuning& = {});
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr, Stopwatch* = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceRadixSort::SortKeys, which keeps its input: 32 bits by eight at a time. Overlaps are
/// refused.
class Sort {
  public:
    static constexpr PlanTraits kTraits{.sort_passes = 4};

    explicit Sort(std::size_t n, const Tuning& = {});
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// From host array to host array; the time is the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
