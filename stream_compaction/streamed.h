// Arrays on the host, of any size that the host's memory holds: brought to the device in pieces,
// worked on by single_pass and hybrid_radix, and brought back, all three at the same time. So a
// call takes as long as the bus does, and needs little of the device's memory.
//
// Several threads copy between pageable memory and pinned buffers, from and to which the device
// copies by itself. A child of fork() that uses a plan of its parent has threads of its own. Arrays
// that are pinned already need no such buffers. parts/pipeline.h tells how.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <memory>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

/// What a plan may take. 0: chosen from the machine.
struct Limits {
    unsigned threads = 0;   ///< that copy on the host, the caller among them; one for each core but
                            ///< one, 16 at most, fewer of small n
    std::size_t piece = 0;  ///< elements that are copied at once; 2^19 at most, fewer of small n
    std::size_t max_device_bytes = 0;  ///< what the device has free
};

/// What the plans have in common. Two may run at once, but not one plan; so it is with all of this
/// module. A plan for a sort takes what the device has free, up to what it can use: who makes two
/// says how much each may take.
template <Operation operation>
class HostPlan {
  public:
    static constexpr PlanTraits kTraits{
        .in_place = true, .asynchronous = false, .host_arrays = true};

    /// Takes pinned buffers for 16 pieces each way and device memory for 16 pieces, or for all
    /// where there are fewer, and starts the threads: one less than it may have, since the caller
    /// of enqueue copies, too.
    /// @throws std::invalid_argument for a tuning other than {}, simt::Error, std::bad_alloc,
    ///         std::system_error where the machine has no threads left
    explicit HostPlan(std::size_t n, const Tuning& tuning = {}, const Limits& limits = {});
    HostPlan(HostPlan&&) noexcept;
    HostPlan& operator=(HostPlan&&) noexcept;

    /// The least device memory that a plan does with. It takes more where there is more.
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});

  protected:
    ~HostPlan();

    struct Machinery;
    Capacity capacity_;
    std::unique_ptr<Machinery> machinery_;
};

/// Exclusive sums of ints. The sum of all pieces so far stays on the device. In place is fine;
/// other overlaps are refused.
class Scan : public HostPlan<Operation::scan> {
  public:
    using HostPlan::HostPlan;

    /// Returns when `out` is written. It has streams of its own: what fills `in` must have ended,
    /// on whatever stream. Where a copy, a kernel or a thread fails, its exception is thrown when
    /// all others have stopped; what `out` holds then is not defined, and the plan can be used
    /// again.
    /// @throws std::invalid_argument for an n beyond the plan's, simt::Error
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);
};

/// The ints that are not zero, in their order. Each piece's number is known on the host before the
/// piece comes down, and no piece waits for a later one. In place is fine; other overlaps are
/// refused.
class Compact : public HostPlan<Operation::compact> {
  public:
    using HostPlan::HostPlan;

    /// As Scan's. Of `out` the first *count elements are written, of n that must be there.
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t = nullptr, Stopwatch* = nullptr);
};

/// Ints in ascending order. Where they fit on the device with what a sort takes, they go up, are
/// sorted there, and come down: the plan takes device memory for that. Otherwise it takes an array
/// of n on the host, too: runs of about a third of the device's memory are sorted, and come down
/// into that; then the parts of all runs that belong together go up, are sorted, and come down to
/// their place. So every key crosses the bus twice each way, however many there are. In place is
/// fine; other overlaps are refused.
class Sort : public HostPlan<Operation::sort> {
  public:
    using HostPlan::HostPlan;

    /// As Scan's. The first call touches the array on the host.
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t = nullptr);
};

/// From host array to host array; the time is that of the call, with all copies, without the making
/// of the plan.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
///         what the plans throw
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
