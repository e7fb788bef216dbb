// The names that kernel sources use, on the GPU: CUDA's own, and a checked launch.
#pragma once

#include "simt/backend.h"
#include "simt/cuda/atomics.h"
#include "simt/cuda/check.h"
#include "simt/error.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <source_location>
#include <string>
#include <utility>

namespace simt::inline SIMT_BACKEND {

/// Called in the body of every spin loop. Empty, because the GPU runs other warps by itself;
/// sleeping for only 32 ns made look-back 3 % slower on an H200.
__device__ inline void relax() {}

/// The index of the multiprocessor that runs the block. It may change while the block runs.
__device__ inline unsigned multiprocessor() {
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/// The compute capability that a kernel is compiled for, 10 * major + minor.
__device__ constexpr int compute_capability() {
#if defined(__CUDA_ARCH__)
    return __CUDA_ARCH__ / 10;
#else
    return 0;
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SIMT_GRID_CONTROL(what) asm volatile("griddepcontrol." what ";" ::: "memory")
#else
#define SIMT_GRID_CONTROL(what)
#endif

/// Requests that the line be loaded into the L2, without waiting. The address must be readable.
__device__ inline void prefetch(const void* address) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// In a kernel that was launched early: waits until the stream's earlier work has finished and its
/// writes are visible. Every thread calls it before it accesses global memory.
__device__ inline void wait_for_earlier_work() { SIMT_GRID_CONTROL("wait"); }

/// Lets the stream's next kernel start early, if it was launched so, once all blocks have called
/// this function or ended. Its launch overhead is then already paid when it may continue: 1 us less
/// between kernels on an H200.
__device__ inline void let_next_kernel_start() { SIMT_GRID_CONTROL("launch_dependents"); }

#undef SIMT_GRID_CONTROL

/// The launch's dynamic shared memory, aligned to 128 bytes.
template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ __align__(128) unsigned char simt_dynamic_shared[];
    return reinterpret_cast<T*>(simt_dynamic_shared);
}

/// Where and how a kernel is launched. Records its source location for error messages.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    bool cooperative = false;  ///< all blocks are resident at once, or the launch fails
    /// May start while the stream's previous kernel still runs: see below
    bool early = false;
    unsigned cluster = 1;  ///< blocks of a cluster: see cluster.h
    std::source_location where = std::source_location::current();
};

namespace detail {

constexpr unsigned kMostAttributes = 3;

/// CUDA's description of a launch. It refers to `attributes`, which must outlive it.
template <class... Parameters>
cudaLaunchConfig_t prepare(void (*kernel)(Parameters...), const LaunchConfig& config,
                           cudaLaunchAttribute (&attributes)[kMostAttributes]) {
    // A block may have 48 KB without asking, including the less than 3 KB that the kernel declares.
    constexpr std::size_t kSharedBytesWithoutAsking = 45 * 1024;
    constexpr unsigned kClusterWithoutAsking = 8;
    if (config.shared_bytes > kSharedBytesWithoutAsking)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(config.shared_bytes)),
              config.where);
    if (config.cluster > kClusterWithoutAsking)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              config.where);
    cudaLaunchConfig_t cuda{};
    cuda.gridDim = config.grid;
    cuda.blockDim = config.block;
    cuda.dynamicSmemBytes = config.shared_bytes;
    cuda.stream = config.stream;
    cuda.attrs = attributes;
    if (config.cooperative) {
        attributes[cuda.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[cuda.numAttrs++].val.cooperative = 1;
    }
    if (config.early) {
        attributes[cuda.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[cuda.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (config.cluster > 1) {
        attributes[cuda.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[cuda.numAttrs++].val.clusterDim = {config.cluster, 1, 1};
    }
    return cuda;
}

}  // namespace detail

/// Launches `kernel`, asynchronously.
/// @throws Error with the caller's file and line if the launch fails
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchConfig& config, Arguments&&... arguments) {
    cudaLaunchAttribute attributes[detail::kMostAttributes]{};
    const cudaLaunchConfig_t cuda = detail::prepare(kernel, config, attributes);
    (void)cudaLaunchKernelEx(&cuda, kernel, std::forward<Arguments>(arguments)...);
    check(cudaGetLastError(), config.where);
}

/// The compute capability whose features the kernel can use, 10 * major + minor: the one that the
/// program was compiled for, if it was not compiled for this GPU.
/// @throws Error
template <class... Parameters>
int compute_capability_of(void (*kernel)(Parameters...)) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion;
}

/// The number of blocks of a cooperative launch that the device holds at once.
/// @throws Error
template <class... Parameters>
unsigned resident_blocks(void (*kernel)(Parameters...), unsigned block, std::size_t shared_bytes) {
    int device = 0, multiprocessors = 0, blocks = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block),
                                                        shared_bytes));
    return static_cast<unsigned>(blocks * multiprocessors);
}

}  // namespace simt::inline SIMT_BACKEND
