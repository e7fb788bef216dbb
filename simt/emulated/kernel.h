// The names that kernel sources use, on the CPU: CUDA's names in plain C++20.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/arithmetic.h"
#include "simt/emulated/atomics.h"
#include "simt/emulated/block.h"
#include "simt/emulated/collectives.h"
#include "simt/emulated/vector_types.h"
#include "simt/error.h"

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
// A block stays on its OS thread, so one variable per OS thread is one per block.
#define __shared__ static thread_local

namespace simt::inline SIMT_BACKEND {

/// The index of the multiprocessor that runs the block. Here, the first two blocks share one.
inline unsigned multiprocessor() { return blockIdx.x < 2 ? 0 : blockIdx.x - 1; }

/// The compute capability that a kernel runs with, 10 * major + minor.
inline int compute_capability() { return detail::capability_of_grid; }

// ---- Memory -----------------------------------------------------------------------------------

template <class T>
T __ldcs(const T* from) {
    return *from;
}
template <class T>
void __stcg(T* to, std::type_identity_t<T> value) {
    *to = value;
}
template <class T>
void __stcs(T* to, std::type_identity_t<T> value) {
    *to = value;
}

/// Does nothing: the emulation has no cache.
inline void prefetch(const void*) {}

/// Called in the body of every spin loop.
inline void relax(detail::Location where = detail::Location::current()) { detail::relax(where); }

/// The launch's dynamic shared memory, aligned to 128 bytes.
template <class T>
T* dynamic_shared() {
    return static_cast<T*>(detail::shared_memory());
}

// ---- Launch -----------------------------------------------------------------------------------

/// Does nothing: here the kernels of a stream never overlap.
inline void wait_for_earlier_work() {}
inline void let_next_kernel_start() {}

/// Launches `kernel`, and returns when it has ended, unless the stream is being captured.
/// @throws Error with the caller's file and line if the launch fails
/// @throws KernelError if the kernel breaks a rule
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchConfig& config, Arguments&&... arguments) {
    detail::check_launch(config);
    const auto thread = [kernel, parameters = std::tuple<Parameters...>(std::forward<Arguments>(
                                     arguments)...)] { std::apply(kernel, parameters); };
    const auto run = [config, kernel, thread] {
        detail::run_grid(
            config, reinterpret_cast<const void*>(kernel),
            [](const void* t) { (*static_cast<decltype(&thread)>(t))(); }, &thread);
    };
    if (detail::Recording* recording = detail::recording_on(config.stream, config.where))
        recording->push_back(run);
    else
        run();
}

/// The compute capability of the device's profile.
template <class... Parameters>
int compute_capability_of(void (*)(Parameters...)) {
    return detail::current_profile().compute_capability;
}

/// The number of blocks of a cooperative launch that the device holds at once.
template <class... Parameters>
unsigned resident_blocks(void (*)(Parameters...), unsigned block, std::size_t shared_bytes) {
    return detail::resident_blocks(block, shared_bytes);
}

}  // namespace simt::inline SIMT_BACKEND

using simt::__all_sync;
using simt::__any_sync;
using simt::__ballot_sync;
using simt::__clz;
using simt::__clzll;
using simt::__ffs;
using simt::__ldcs;
using simt::__match_any_sync;
using simt::__popc;
using simt::__reduce_add_sync;
using simt::__reduce_max_sync;
using simt::__reduce_min_sync;
using simt::__shfl_sync;
using simt::__shfl_up_sync;
using simt::__shfl_xor_sync;
using simt::__stcg;
using simt::__stcs;
using simt::__syncthreads;
using simt::__syncthreads_and;
using simt::__syncthreads_count;
using simt::__syncthreads_or;
using simt::__syncwarp;
using simt::__umulhi;
using simt::atomicAdd;
using simt::atomicCAS;
using simt::atomicExch;
using simt::atomicMin;
using simt::atomicOr;
using simt::atomicSub;
using simt::atomicXor;
using simt::blockDim;
using simt::blockIdx;
using simt::gridDim;
using simt::max;
using simt::min;
using simt::threadIdx;
