// What kernel code asks of the block that it runs in. kernel.h and async_copy.h give these
// functions CUDA's names; the executor implements them.
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

/// Where and how a kernel is launched. Remembers its own place, so that errors can name it.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    bool cooperative = false;  ///< all blocks are resident together, or the launch is refused
    bool early = false;        ///< changes nothing here: work on streams runs where it is enqueued
    unsigned cluster = 1;      ///< blocks of a cluster: see cluster.h
    std::source_location where = std::source_location::current();
};

namespace detail {

inline constinit thread_local int capability_of_grid = 0;    ///< 10 * major + minor
inline constinit thread_local unsigned cluster_of_grid = 1;  ///< blocks of a cluster

using Place = std::source_location;

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

/// Waits for all threads of the block; how many of them brought a true predicate.
unsigned sync_block(bool predicate, Place where);

/// Waits for the lanes of `mask`; what the collective gives this lane.
std::uint64_t sync_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned argument,
                        int width, Place where);

/// The launch's dynamic shared memory.
void* shared_memory();

/// Lets other threads run, those of other blocks included.
void relax(Place where);

/// How many threads of the block's cluster have arrived, since the launch.
std::uint64_t& cluster_arrivals();
/// The arrivals that the calling thread waits for.
std::uint64_t& awaited_arrivals();
/// The block's number in its cluster.
unsigned cluster_rank();
/// The launch's dynamic shared memory in a block of the cluster, which has started and not ended.
void* shared_memory_of(unsigned rank, Place where);

/// Follows every atomic operation: a point at which a random order may switch to another thread.
/// `changed` says whether memory has a new value, which is how waiting differs from progress.
void after_atomic(bool changed);

/// Loads that run beside the threads. They are made as late as possible, so that a thread which
/// does not wait for them shows. Each fills its target with nonsense until then.
void start_bulk_load(void* shared, const void* global, unsigned bytes, const void* barrier,
                     Place where);
/// Makes the loads that were started for this barrier; their bytes.
unsigned finish_bulk_loads(const void* barrier);

/// Ends the kernel with a KernelError.
[[noreturn]] void fail(const std::string& what, Place where);

/// The shape of the device. Without a GPU's it has no name.
/// @throws Error where the environment names none
DeviceProfile current_shape();

/// Throws Error where the launch asks for what the device does not offer.
void check_launch(const LaunchConfig& config);

/// Blocks of so many threads that are sure to run side by side, if they are launched cooperatively.
/// No more than the machine can carry, where the GPU has room for more.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

/// Clusters of such blocks that do. None, where the GPU has no clusters, or none of that size.
unsigned resident_clusters(unsigned cluster, unsigned threads, std::size_t shared_bytes);

/// Executes thread(arguments) once for every CUDA thread, and returns when all have ended.
/// @param kernel where its code begins
/// @throws KernelError
void run_grid(const LaunchConfig& config, const void* kernel, void (*thread)(const void*),
              const void* arguments);

/// Work that has been captured and not yet run.
using Recording = std::vector<std::function<void()>>;

/// The recording that work for this stream must be appended to; nullptr to run it now.
/// @throws Error where the calling thread is capturing another stream
Recording* recording_on(stream_t stream, Place where);

/// @throws Error where the calling thread is capturing a stream
void refuse_while_recording(const char* call, Place where);

}  // namespace detail
}  // namespace simt::inline SIMT_BACKEND
