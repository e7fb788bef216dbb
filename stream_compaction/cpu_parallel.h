// All cores, through Thrust's OpenMP backend: the parallel baseline that a user would otherwise
// pick. Thrust's own OpenMP scan and copy_if are sequential in their core, so scan and compaction
// here are two sweeps over chunks, with Thrust handing out the chunks.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stream_compaction::cpu_parallel {

/// Sums of chunks, their scan, then every chunk's own scan. In place is fine.
class Scan {
  public:
    explicit Scan(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);

  private:
    std::vector<unsigned> before_;  // each chunk
};

/// Counts of chunks, their scan, then every chunk appends from its own place on.
class Compact {
  public:
    explicit Compact(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* = nullptr);

  private:
    std::vector<std::size_t> before_;  // each chunk
};

/// thrust::sort, a merge sort. In place is fine.
class Sort {
  public:
    explicit Sort(std::size_t, const Tuning& = {}) {}
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);
};

/// From host array to host array; the time is the algorithm's, without allocation of the output.
/// @throws std::invalid_argument for an output that is too small
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::cpu_parallel
