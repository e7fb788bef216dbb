// Wrong memory order within a block and between blocks, and accesses out of bounds. `kBug` plants
// each bug.
#pragma once

#include "simt/kernel.h"
#include "tests/simt/planted/global_index.h"
#include "tests/simt/planted_bugs.h"

namespace simt::inline SIMT_BACKEND::test {

// ---- Orders of memory within a block ----------------------------------------------------------

template <bool kBug>
__global__ void missing_barrier(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    if constexpr (!kBug) __syncthreads();
    out[global_index()] = tile[kThreads - 1 - threadIdx.x];
}

/// Correct by chance if threads run from the first to the last.
template <bool kBug>
__global__ void missing_barrier_to_the_left(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    if constexpr (!kBug) __syncthreads();
    out[global_index()] = threadIdx.x == 0 ? 0 : tile[threadIdx.x - 1];
}

template <bool kBug>
__global__ void missing_barrier_before_reuse(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    __syncthreads();
    const int other = tile[kThreads - 1 - threadIdx.x];
    if constexpr (!kBug) __syncthreads();
    tile[threadIdx.x] = other + 1;
    __syncthreads();
    out[global_index()] = tile[threadIdx.x ^ 1];
}

template <bool kBug>
__global__ void missing_syncwarp(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    if constexpr (!kBug) __syncwarp();
    out[global_index()] = tile[threadIdx.x ^ 5];
}

template <bool kBug>
__global__ void shuffle_as_fence(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    __shfl_sync(~0u, 0, 0);
    if constexpr (!kBug) __syncwarp();
    out[global_index()] = tile[threadIdx.x ^ 5];
}

template <bool kBug>
__global__ void lost_update(const int*, int* out, unsigned*) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if constexpr (kBug)
        count = count + 1;
    else
        atomicAdd(&count, 1u);
    __syncthreads();
    out[global_index()] = static_cast<int>(count);
}

template <bool kBug>
__global__ void uninitialised_shared(const int*, int* out, unsigned*) {
    auto* const count = simt::dynamic_shared<unsigned>();
    if constexpr (!kBug) count[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&count[threadIdx.x / 2], 1u);
    __syncthreads();
    out[global_index()] = static_cast<int>(count[threadIdx.x]);
}

// ---- Between blocks ---------------------------------------------------------------------------

template <bool kBug>
__global__ void race_between_blocks(const int*, int* out, unsigned* scratch) {
    if (threadIdx.x == 0) {
        if constexpr (kBug)
            *scratch = *scratch + 1;
        else
            atomicAdd(scratch, 1u);
    }
    out[global_index()] = 1;
}

/// The first block to arrive has a message for the others.
template <bool kBug>
__global__ void relaxed_flag(const int*, int* out, unsigned* scratch) {
    constexpr auto kLoad = kBug ? simt::memory_order_relaxed : simt::memory_order_acquire;
    constexpr auto kStore = kBug ? simt::memory_order_relaxed : simt::memory_order_release;
    const simt::DeviceAtomic<unsigned> flag(scratch[0]);
    __shared__ int message;
    if (threadIdx.x == 0) {
        if (atomicAdd(&scratch[1], 1u) == 0) {
            scratch[2] = 42;
            flag.store(1, kStore);
        }
        while (flag.load(kLoad) == 0) simt::relax();
        message = static_cast<int>(scratch[2]);
    }
    __syncthreads();
    out[global_index()] = message;
}

/// Nothing guarantees that lower blocks run earlier: only a ticket defines an order to wait in.
template <bool kBug>
__global__ void chain_by_block_index(const int*, int* out, unsigned* scratch) {
    if (threadIdx.x == 0) {
        const unsigned turn = kBug ? blockIdx.x : atomicAdd(&scratch[1], 1u);
        const simt::DeviceAtomic<unsigned> next(scratch[0]);
        while (next.load(simt::memory_order_acquire) != turn) simt::relax();
        next.store(turn + 1, simt::memory_order_release);
    }
    out[global_index()] = 1;
}

// ---- Beyond the end ---------------------------------------------------------------------------

template <bool kBug>
__global__ void global_overrun(const int* in, int* out, unsigned*) {
    out[global_index()] = in[global_index() + (kBug ? 1 : 0)];
}

template <bool kBug>
__global__ void static_shared_overrun(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads + 8];  // so that the bug does not damage anything else
    auto& used = reinterpret_cast<int(&)[kThreads]>(tile);
    used[threadIdx.x + (kBug ? 1 : 0)] = in[global_index()];
    __syncthreads();
    out[global_index()] = tile[threadIdx.x + (kBug ? 1 : 0)];
}

template <bool kBug>
__global__ void dynamic_shared_overrun(const int* in, int* out, unsigned*) {
    int* const tile = simt::dynamic_shared<int>() + (kBug ? 1 : 0);
    tile[threadIdx.x] = in[global_index()];
    __syncthreads();
    out[global_index()] = tile[threadIdx.x];
}

}  // namespace simt::inline SIMT_BACKEND::test
