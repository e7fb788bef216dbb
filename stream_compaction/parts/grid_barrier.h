// A barrier for all blocks of a cooperative launch.
#pragma once

#include "simt/kernel.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// Zero before its first use; stays good from launch to launch. Its highest bit is the phase. Each
/// time all blocks together add 2^31: the first block 2^31 - (blocks - 1), every other block 1. So
/// the last to arrive flips the phase, and every other bit is zero again.
class GridBarrier {
  public:
    /// For wait(): what the block's first thread saw when it arrived.
    __device__ unsigned arrive() {
        __syncthreads();
        return threadIdx.x == 0 ? add(blockIdx.x == 0 ? firsts_share() : 1) : 0;
    }
    __device__ void wait(unsigned arrival) {
        if (threadIdx.x == 0)
            while (!has_turned_since(arrival)) simt::relax();
        __syncthreads();
    }

    __device__ void arrive_and_wait() { wait(arrive()); }

    /// Between arriving and going on, the first block calls `last` on all blocks' behalf.
    template <class F>
    __device__ void arrive_and_wait(F last) {
        if (blockIdx.x > 0) return arrive_and_wait();
        __syncthreads();
        if (threadIdx.x == 0)
            while ((load() & ~kPhase) != gridDim.x - 1) simt::relax();
        __syncthreads();
        last();
        arrive();
    }

  private:
    static constexpr unsigned kPhase = 1u << 31;

    __device__ static unsigned firsts_share() { return kPhase - (gridDim.x - 1); }
    __device__ unsigned add(unsigned share) {
        return simt::DeviceAtomic<unsigned>(state_).fetch_add(share, simt::memory_order_release);
    }
    __device__ unsigned load() {
        return simt::DeviceAtomic<unsigned>(state_).load(simt::memory_order_acquire);
    }
    __device__ bool has_turned_since(unsigned arrival) {
        return ((load() ^ arrival) & kPhase) != 0;
    }

    unsigned state_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
