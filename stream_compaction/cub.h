// NVIDIA's CUB, which all modules are compared with: its device-wide algorithms, with the workspace
// allocated in advance. GPU only.
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

/// CUB_VERSION of the headers that the library was compiled with: 300101 is 3.1.1.
int version();

/// cub::DeviceScan::ExclusiveSum. May work in place; other overlaps are refused.
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

/// CUB 3.0 (CCCL issue 6584) pads the last tile with elements that count as kept, and uses 32-bit
/// output indices. If n is close to 2^31 and nearly everything is kept, the indices overflow and
/// CUB writes before the start of the output. A tile fits in shared memory, so it has less than
/// 2^16 elements.
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

/// cub::DeviceRadixSort::SortKeys, which does not overwrite its input: 32 bits, eight per pass.
/// Overlaps are refused.
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

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
