// Clusters on the GPU: PTX's barrier.cluster and mapa.
#pragma once

#include "simt/backend.h"
#include "simt/cuda/kernel.h"
#include "simt/device.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SIMT_CLUSTER_PTX(...) asm volatile(__VA_ARGS__)
#else
#define SIMT_CLUSTER_PTX(...) __trap()
#endif

namespace simt::inline SIMT_BACKEND {

/// The number of blocks in the cluster.
__device__ __forceinline__ unsigned cluster_blocks() {
    unsigned blocks = 0;
    SIMT_CLUSTER_PTX("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}
/// The block's index in its cluster.
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank = 0;
    SIMT_CLUSTER_PTX("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// All threads of the cluster arrive, in whole warps, and later wait for each other: writes before
/// a thread's arrival are visible to all threads after the wait.
__device__ __forceinline__ void cluster_arrive() {
    SIMT_CLUSTER_PTX("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    SIMT_CLUSTER_PTX("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Returns the object in another block's dynamic shared memory at the position of `own` in the
/// caller's.
template <class T>
__device__ __forceinline__ T* of_block(T* own, unsigned rank) {
    [[maybe_unused]] const auto address = reinterpret_cast<std::uint64_t>(own);
    std::uint64_t there = 0;
    SIMT_CLUSTER_PTX("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
    return reinterpret_cast<T*>(there);
}

#undef SIMT_CLUSTER_PTX

/// How many clusters of this size the device holds at once: 0 before compute capability 9.0.
/// @throws Error
template <class... Parameters>
unsigned resident_clusters(void (*kernel)(Parameters...), unsigned cluster, unsigned block,
                           std::size_t shared_bytes) {
    constexpr int kHopper = 90;
    const DeviceProperties device = device_properties();
    if (device.compute_capability < kHopper || compute_capability_of(kernel) < kHopper ||
        shared_bytes > device.shared_bytes_per_block)
        return 0;
    LaunchConfig config{cluster, block, shared_bytes};
    config.cluster = cluster;
    cudaLaunchAttribute attributes[detail::kMostAttributes]{};
    const cudaLaunchConfig_t cuda = detail::prepare(kernel, config, attributes);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &cuda) != cudaSuccess) {
        (void)cudaGetLastError();  // larger than this GPU allows
        return 0;
    }
    return static_cast<unsigned>(clusters);
}

}  // namespace simt::inline SIMT_BACKEND
