// Kernels that show whether the executor works, and which threads it uses.
#pragma once

#include "simt/kernel.h"
#include "tests/simt/device_result.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>

namespace simt::inline SIMT_BACKEND::test {

inline __global__ void reverse(int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

inline void expect_that_kernels_work() {
    const auto out = device_result<int>(640, reverse, {10, 64});
    for (int i = 0; i < 640; ++i) ASSERT_EQ(out[i], 63 - i % 64);
}

/// Each block waits for all others, and stores the id of its thread.
inline __global__ void meet(unsigned* arrived, pid_t* executed_by, std::atomic<unsigned>* spins) {
    executed_by[blockIdx.x] = gettid();
    atomicAdd(arrived, 1u);
    const DeviceAtomic<unsigned> count(*arrived);
    for (; count.load(memory_order_relaxed) < gridDim.x; relax()) ++*spins;
}

}  // namespace simt::inline SIMT_BACKEND::test
