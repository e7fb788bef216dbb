// The reference: what one core does, in the plainest code.
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

/// Compaction without scan: one loop, which appends. In place is fine; other overlaps are refused.
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

/// Compaction as the GPU does it, on one core: map, scan, scatter. In place is fine; other overlaps
/// are refused.
class CompactWithScan {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .in_place = true, .asynchronous = false, .has_phases = true};

    /// Takes n positions: 32-bit ones where they do.
    explicit CompactWithScan(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* phases = nullptr);

  private:
    Capacity capacity_;
    std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>> positions_;
};

/// std::sort. In place is fine; other overlaps are refused.
class Sort {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .in_place = true, .asynchronous = false};

    explicit Sort(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);

  private:
    Capacity capacity_;
};

/// From host array to host array; the time is the algorithm's, without allocation.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact_with_scan(std::span<const int> input, std::span<int> output,
                          const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::cpu
