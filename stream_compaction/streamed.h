// Host arrays of any size: pieces are copied to the device, processed by single_pass and
// hybrid_radix, and copied back, all three at the same time. A call lasts as long as its transfers
// over the bus, and scan and compaction need little device memory.
//
// Several threads copy between pageable memory and pinned buffers; the device copies from and to
// the pinned buffers by DMA. A child of fork() that uses a plan of its parent starts its own
// threads. Pinned arrays need no such buffers. parts/pipeline.h explains how it works.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <memory>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

/// Limits of a plan's resources. 0: chosen for the machine.
struct Limits {
    unsigned threads = 0;   ///< threads that copy on the host, including the caller, at most 1024;
                            ///< default: cores minus 1, at most 16, fewer for small n
    std::size_t piece = 0;  ///< elements that are copied at once; default: 2^19, fewer for small n
    std::size_t max_device_bytes = 0;  ///< at least workspace_bytes(n) of the plan; default: all
                                       ///< free device memory
};

/// The common part of the plans. Two plans may run concurrently, but one plan runs one call at a
/// time. Host functions may be called concurrently. A plan for a sort allocates all free device
/// memory that it can use: if you make two, set max_device_bytes.
template <Operation operation>
class HostPlan {
  public:
    static constexpr PlanTraits kTraits{
        .in_place = true, .asynchronous = false, .host_arrays = true};

    /// Allocates pinned buffers for 16 pieces in each direction and device memory for 16 pieces
    /// (fewer if n has fewer), and starts one thread less than Limits::threads, because the caller
    /// of enqueue copies as well.
    /// @throws std::invalid_argument for a tuning other than {}, too many threads and a
    ///         max_device_bytes of less than workspace_bytes(n), simt::Error, std::bad_alloc,
    ///         std::system_error if the machine has no threads left
    explicit HostPlan(std::size_t n, const Tuning& tuning = {}, const Limits& limits = {});
    HostPlan(HostPlan&&) noexcept;
    HostPlan& operator=(HostPlan&&) noexcept;

    /// The minimum device memory of a plan. It uses more if more is available.
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});

  protected:
    ~HostPlan();

    struct Machinery;
    Capacity capacity_;
    std::unique_ptr<Machinery> machinery_;
};

/// Exclusive sums of ints. The sum of all pieces so far stays on the device. May work in place;
/// other overlaps are refused.
class Scan : public HostPlan<Operation::scan> {
  public:
    using HostPlan::HostPlan;

    /// Returns when `out` is written. The plan uses its own streams, so all work that fills `in`,
    /// on any stream, must have finished. If a copy, a kernel or a thread fails, its exception is
    /// thrown when all others have stopped; the content of `out` is then undefined, and the plan
    /// remains usable.
    /// @throws std::invalid_argument if n exceeds the plan's capacity, simt::Error
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);
};

/// The ints that are not zero, in their order. The host knows how many elements of a piece are kept
/// before the piece is copied back, and no piece waits for a later one. May work in place; other
/// overlaps are refused.
class Compact : public HostPlan<Operation::compact> {
  public:
    using HostPlan::HostPlan;

    /// Like Scan's. `count` is host memory, never null. `out` has n elements; the first *count are
    /// written.
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* = nullptr);
};

/// Ints in ascending order. If the array and the sort's workspace fit on the device, the array is
/// copied up, sorted there, and copied down: the plan allocates device memory for that. Otherwise
/// the plan also allocates an array of n elements on the host. Runs of about a third of the device
/// memory are sorted and copied down into that array; then, range by range of keys, the matching
/// parts of all runs are copied up, sorted, and copied down to their final positions. So every key
/// crosses the bus at most twice in each direction. May work in place; other overlaps are refused.
class Sort : public HostPlan<Operation::sort> {
  public:
    using HostPlan::HostPlan;

    /// Like Scan's. The first call touches the host array that the plan allocated.
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);
};

/// From host array to host array; the time is that of the call, including all copies, without
/// making the plan.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
///         the exceptions of the plans
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
