// A barrier for all blocks of a cooperative launch.
#pragma once

#include "simt/kernel.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// Zero before its first use; stays good from launch to launch.
struct GridBarrier {
    unsigned arrived, generation;

    /// Waits for all blocks. The block that comes last calls `last` on the others' behalf.
    template <class F>
    __device__ void wait(F last) {
        __shared__ bool is_last;
        const simt::DeviceAtomic<unsigned> arrivals(arrived), released(generation);
        unsigned before = 0;
        __syncthreads();
        if (threadIdx.x == 0) {
            before = released.load(simt::memory_order_relaxed);
            is_last = arrivals.fetch_add(1, simt::memory_order_acq_rel) == gridDim.x - 1;
        }
        __syncthreads();
        if (is_last) {
            last();
            __syncthreads();
            if (threadIdx.x == 0) {
                arrivals.store(0, simt::memory_order_relaxed);
                released.store(before + 1, simt::memory_order_release);
            }
        } else if (threadIdx.x == 0) {
            while (released.load(simt::memory_order_acquire) == before) simt::relax();
        }
        __syncthreads();
    }

    __device__ void wait() {
        wait([] {});
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND
