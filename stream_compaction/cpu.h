// The reference: one core, in the plainest code.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace stream_compaction::cpu {

/// One loop.
class Scan {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .in_place = true, .asynchronous = false};

    explicit Scan(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);

  private:
    Capacity capacity_;
};

/// Compaction without a scan: one loop that appends. May work in place; other overlaps are refused.
class Compact {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .in_place = true, .asynchronous = false};

    explicit Compact(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* = nullptr);

  private:
    Capacity capacity_;
};

/// Compaction as on the GPU, on one core: map, scan, scatter. May work in place; other overlaps are
/// refused.
class CompactWithScan {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .in_place = true, .asynchronous = false, .has_phases = true};

    /// Allocates n positions, of 32 bits if they are wide enough.
    explicit CompactWithScan(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* phases = nullptr);

  private:
    Capacity capacity_;
    std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>> positions_;
};

/// std::sort. May work in place; other overlaps are refused.
class Sort {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .in_place = true, .asynchronous = false};

    explicit Sort(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);

  private:
    Capacity capacity_;
};

/// From host array to host array; the time is that of the algorithm, without allocation.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact_with_scan(std::span<const int> input, std::span<int> output,
                          const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::cpu
