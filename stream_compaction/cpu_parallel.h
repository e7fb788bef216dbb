// All cores, through Thrust's OpenMP backend: the parallel baseline that a user would otherwise
// choose. Thrust's own OpenMP scan and copy_if are sequential in their core, so scan and compaction
// here are two sweeps over chunks, and Thrust distributes the chunks. At most one thread per core
// is used, whatever OMP_NUM_THREADS is. In a child of fork() whose parent has used this module,
// enqueue throws std::runtime_error, because OpenMP would wait for ever. Only in a library that was
// built with OpenMP and Thrust.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stream_compaction::cpu_parallel {

/// Runs a short task on all threads, so that those that slept are awake for the next call. At the
/// first call, binds each of OpenMP's threads to its own core, and leaves one core to the calling
/// thread, which is not bound: threads that it starts would inherit its core. Binds nothing if the
/// environment contains OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY, because then OpenMP does.
/// @throws as enqueue
void wake_threads();

/// Sums of chunks, their scan, then a scan of every chunk. May work in place; other overlaps are
/// refused.
class Scan {
  public:
    static constexpr PlanTraits kTraits{.runs_on = Place::host,
                                        .in_place = true,
                                        .asynchronous = false,
                                        .wake_threads = wake_threads};

    explicit Scan(std::size_t n, const Tuning& = {});
    /// @throws std::system_error if OpenMP cannot start a thread for each core, here and below
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);

  private:
    Capacity capacity_;
    std::vector<unsigned> before_;  // of each chunk
};

/// Counts of chunks, their scan, then every chunk appends from its own offset. Not in place: a
/// chunk writes into chunks that other threads still read. Overlaps are refused.
class Compact {
  public:
    static constexpr PlanTraits kTraits{
        .runs_on = Place::host, .asynchronous = false, .wake_threads = wake_threads};

    explicit Compact(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* = nullptr);

  private:
    Capacity capacity_;
    std::vector<std::size_t> before_;  // of each chunk
};

/// Every core sorts a chunk with thrust::sort, and neighbours are merged. The keys are sorted as
/// unsigned numbers with their sign bit flipped, because Thrust's host backends (3.0) put negative
/// ints after the others. May work in place; other overlaps are refused.
class Sort {
  public:
    static constexpr PlanTraits kTraits{.runs_on = Place::host,
                                        .in_place = true,
                                        .asynchronous = false,
                                        .wake_threads = wake_threads};

    explicit Sort(std::size_t n, const Tuning& = {});
    /// @throws std::bad_alloc: sorting a chunk needs memory of the chunk's size
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);

  private:
    Capacity capacity_;
};

/// From host array to host array; the time is that of the algorithm, without allocation of the
/// output.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::cpu_parallel
