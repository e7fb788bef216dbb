// A kernel source's vocabulary on the GPU: CUDA's own, and a checked launch.
#pragma once

#include "simt/backend.h"
#include "simt/cuda/check.h"
#include "simt/error.h"

#include <cuda_runtime.h>
#include <cuda/atomic>

#include <cstddef>
#include <source_location>
#include <string>
#include <utility>

namespace simt::inline SIMT_BACKEND {

/// A word that blocks of one device share, for example a tile's descriptor.
template <class T>
using DeviceAtomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;
using ::cuda::std::memory_order_acq_rel;
using ::cuda::std::memory_order_acquire;
using ::cuda::std::memory_order_relaxed;
using ::cuda::std::memory_order_release;

/// Called in the body of every spin loop. The GPU runs other warps by itself; to sleep for as
/// little as 32 ns cost look-back 3 % on an H200.
__device__ inline void relax() {}

/// The launch's dynamic shared memory, 128-byte aligned.
template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ __align__(128) unsigned char simt_dynamic_shared[];
    return reinterpret_cast<T*>(simt_dynamic_shared);
}

/// Where and how a kernel is launched. Remembers its own place, so that errors can name it.
struct LaunchConfig {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    std::source_location where = std::source_location::current();
};

/// Launches `kernel`, asynchronously.
/// @throws Error with the caller's file and line where the launch is refused
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchConfig& config, Arguments&&... arguments) {
    constexpr std::size_t kSharedBytesWithoutAsking = 48 * 1024;
    if (config.shared_bytes > kSharedBytesWithoutAsking)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(config.shared_bytes)),
              config.where);
    kernel<<<config.grid, config.block, config.shared_bytes, config.stream>>>(
        std::forward<Arguments>(arguments)...);
    check(cudaGetLastError(), config.where);
}

}  // namespace simt::inline SIMT_BACKEND
