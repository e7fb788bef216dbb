// Services of the executor for the block that runs. kernel.h and async_copy.h wrap these functions
// under CUDA's names.
#pragma once

#include "simt/backend.h"
#include "simt/device_profile.h"
#include "simt/emulated/vector_types.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

namespace simt::inline SIMT_BACKEND {

inline constinit thread_local uint3 threadIdx{};
inline constinit thread_local uint3 blockIdx{};
inline constinit thread_local dim3 blockDim{};
inline constinit thread_local dim3 gridDim{};

/// Where and how a kernel is launched. Records its source location for error messages.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    bool cooperative = false;  ///< all blocks are resident at once, or the launch fails
    bool early = false;        ///< no effect here: work on streams runs when it is enqueued
    unsigned cluster = 1;      ///< blocks of a cluster: see cluster.h
    std::source_location where = std::source_location::current();
};

namespace detail {

inline constinit thread_local int capability_of_grid = 0;    ///< 10 * major + minor
inline constinit thread_local unsigned cluster_of_grid = 1;  ///< blocks of a cluster

using Location = std::source_location;

inline constexpr unsigned kWarpSize = 32;
inline constexpr unsigned kMaxThreadsPerBlock = 1024;

/// The collectives of a warp. All work on unsigned words.
enum class Collective {
    barrier,
    ballot,
    match,
    shuffle,
    shuffle_up,
    shuffle_xor,
    add,
    minimum,
    maximum,
};

/// Waits for all threads of the block. Returns how many of them passed a true predicate.
unsigned sync_block(bool predicate, Location where);

/// Waits for the lanes of `mask`. Returns this lane's result of the collective.
std::uint64_t sync_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned argument,
                        int width, Location where);

/// The launch's dynamic shared memory.
void* shared_memory();

/// Lets other threads run, including those of other blocks.
void relax(Location where);

/// The number of arrivals of threads of the block's cluster since the launch.
std::uint64_t& cluster_arrivals();
/// The number of arrivals that the calling thread waits for.
std::uint64_t& awaited_arrivals();
/// The block's index in its cluster.
unsigned cluster_rank();
/// The launch's dynamic shared memory in a block of the cluster that has started and not ended.
void* shared_memory_of(unsigned rank, Location where);

/// Called after every atomic operation: a point at which a random order may switch to another
/// thread. `changed`: whether memory has a new value, which distinguishes progress from waiting.
void after_atomic(bool changed);

/// Asynchronous loads. They are executed as late as possible, to expose threads that do not wait
/// for them. Until then their targets contain garbage.
void start_bulk_load(void* shared, const void* global, unsigned bytes, const void* barrier,
                     Location where);
/// Executes the loads that were started for this barrier. Returns their number of bytes.
unsigned finish_bulk_loads(const void* barrier);

/// Ends the kernel with a KernelError.
[[noreturn]] void fail(const std::string& what, Location where);

/// The profile of the device. Its name is empty if no GPU was chosen.
/// @throws Error if the environment names an unknown GPU
DeviceProfile current_profile();

/// Throws Error if the device does not support the launch.
void check_launch(const LaunchConfig& config);

/// How many blocks with this many threads are guaranteed to run concurrently if they are launched
/// cooperatively. Limited by this machine if the GPU has room for more.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

/// How many clusters of such blocks run concurrently: 0 if the GPU has no clusters, or none of that
/// size.
unsigned resident_clusters(unsigned cluster, unsigned threads, std::size_t shared_bytes);

/// Executes thread(arguments) once for every CUDA thread, and returns when all have ended.
/// @param kernel address of its code
/// @throws KernelError
void run_grid(const LaunchConfig& config, const void* kernel, void (*thread)(const void*),
              const void* arguments);

/// Captured work that has not run yet.
using Recording = std::vector<std::function<void()>>;

/// The recording to which work for this stream must be appended; nullptr: run it now.
/// @throws Error if the calling thread is capturing another stream
Recording* recording_on(stream_t stream, Location where);

/// @throws Error if the calling thread is capturing a stream
void refuse_while_recording(const char* call, Location where);

}  // namespace detail
}  // namespace simt::inline SIMT_BACKEND
