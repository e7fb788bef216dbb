// NVIDIA's Thrust, the library most programs call: with an allocator that keeps its memory, and
// without. On the emulated backend, Thrust's sequential host backend. Only in a library that was
// built with Thrust.
#pragma once

#include "simt/backend.h"
#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <list>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND::thrust {

/// Allocates Thrust's temporary memory, and keeps released blocks for later calls.
class CachingAllocator {
  public:
    using value_type = char;  // required by Thrust

    /// @param reserved bytes that are allocated in advance
    explicit CachingAllocator(std::size_t reserved);

    /// Returns a free block that is large enough, or a new one.
    /// @throws simt::OutOfMemory
    char* allocate(std::ptrdiff_t bytes);
    void deallocate(char* memory, std::size_t) noexcept;

  private:
    struct Block {
        simt::DeviceArray<char> memory;
        bool is_used = false;
    };
    std::list<Block> blocks_;
};

/// How a call of Thrust allocates its temporary memory.
enum class Memory {
    cached,    ///< from a CachingAllocator in the plan; scan and sort return at once
    uncached,  ///< cudaMalloc and cudaFree in every call, as in a plain call; waits for the GPU
};

/// Thrust's host backend has no streams: its work has finished when the call returns.
inline constexpr bool kHasStreams = simt::kBackend == simt::Backend::cuda;

/// thrust::exclusive_scan. May work in place; other overlaps are refused.
template <Memory memory>
class Scan {
  public:
    static constexpr PlanTraits kTraits{.in_place = true,
                                        .asynchronous = kHasStreams && memory == Memory::cached};

    explicit Scan(std::size_t n, const Tuning& = {});
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    CachingAllocator allocator_;
};

/// thrust::copy_if, which returns its count to the host and therefore waits for the GPU. Not in
/// place: overlaps are refused. On the GPU it calls CUB, so it has the same limit:
/// cub::kMostCompacted.
template <Memory memory>
class Compact {
  public:
    static constexpr PlanTraits kTraits{.asynchronous = false};

    explicit Compact(std::size_t n, const Tuning& = {});
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr, Stopwatch* = nullptr);

  private:
    Capacity capacity_;
    CachingAllocator allocator_;
};

/// thrust::sort, which sorts in place: the input is copied first. Other overlaps are refused. On
/// the GPU it calls CUB.
template <Memory memory>
class Sort {
  public:
    static constexpr PlanTraits kTraits{.in_place = true,
                                        .asynchronous = kHasStreams && memory == Memory::cached,
                                        .sort_passes = 4};

    explicit Sort(std::size_t n, const Tuning& = {});
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {});
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    CachingAllocator allocator_;
};

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
template <Memory memory = Memory::cached>
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
template <Memory memory = Memory::cached>
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
template <Memory memory = Memory::cached>
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::thrust
