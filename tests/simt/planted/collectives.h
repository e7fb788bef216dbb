// Misused barriers, masks and collectives. `kBug` plants each.
#pragma once

#include "simt/kernel.h"
#include "tests/simt/planted/global_index.h"
#include "tests/simt/planted_bugs.h"

namespace simt::inline SIMT_BACKEND::test {

constexpr unsigned kAll = ~0u;

template <bool kBug>
__global__ void barrier_in_a_branch(const int*, int* out, unsigned*) {
    if (!kBug || threadIdx.x < 16) __syncthreads();
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void return_before_barrier(const int*, int* out, unsigned*) {
    out[global_index()] = 1;
    if (kBug && threadIdx.x >= 100) return;
    __syncthreads();
}

template <bool kBug>
__global__ void one_barrier_for_each_branch(const int*, int* out, unsigned*) {
    out[global_index()] = 1;
    if (!kBug || threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

template <bool kBug>
__global__ void mask_of_all_in_half_a_warp(const int*, int* out, unsigned*) {
    int value = static_cast<int>(threadIdx.x);
    if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(kBug ? kAll : 0xFFFF, value, 0);
    out[global_index()] = value;
}

template <bool kBug>
__global__ void mask_without_the_caller(const int*, int* out, unsigned*) {
    const unsigned others = kAll & ~(1u << threadIdx.x % 32);
    out[global_index()] = __popc(__ballot_sync(kBug ? others : kAll, 1));
}

template <bool kBug>
__global__ void two_masks(const int*, int* out, unsigned*) {
    const unsigned half = threadIdx.x % 32 < 16 ? 0xFFFF : 0xFFFF0000;
    const unsigned mask = threadIdx.x % 32 < 16 || !kBug ? half : kAll;
    out[global_index()] = __popc(__ballot_sync(mask, 1));
}

template <bool kBug>
__global__ void two_collectives(const int*, int* out, unsigned*) {
    unsigned votes = 0;
    if (kBug && threadIdx.x % 32 < 16)
        votes = __match_any_sync(kAll, 0);
    else
        votes = __ballot_sync(kAll, 1);
    out[global_index()] = __popc(votes);
}

/// A lane waits for the block while the others of its warp wait for the lane.
template <bool kBug>
__global__ void crossed_barriers(const int*, int* out, unsigned*) {
    const bool block_first = kBug && threadIdx.x % 32 == 0;
    if (block_first) __syncthreads();
    __syncwarp();
    if (!block_first) __syncthreads();
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void odd_shuffle_width(const int*, int* out, unsigned*) {
    out[global_index()] = __shfl_sync(kAll, 1, 0, kBug ? 24 : 16);
}

template <bool kBug>
__global__ void wait_for_nobody(const int*, int* out, unsigned* scratch) {
    if (!kBug && global_index() == kWords - 1)
        simt::DeviceAtomic<unsigned>(*scratch).store(1, simt::memory_order_relaxed);
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
        while (simt::DeviceAtomic<unsigned>(*scratch).load(simt::memory_order_relaxed) == 0)
            simt::relax();
    out[global_index()] = 1;
}

}  // namespace simt::inline SIMT_BACKEND::test
