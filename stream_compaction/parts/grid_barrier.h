// A barrier for all blocks of a cooperative launch, or for a subset of them.
#pragma once

#include "simt/kernel.h"

#include <concepts>

namespace stream_compaction::inline SIMT_BACKEND {

/// Must be zero before its first use; remains usable from launch to launch. Its highest bit is the
/// phase. In each phase all blocks together add 2^31: the first block adds 2^31 - (blocks - 1),
/// every other block 1. The last block to arrive thus flips the phase, and every other bit is zero
/// again.
class GridBarrier {
  public:
    /// Returns the argument for wait(): the value that the block's first thread saw when it
    /// arrived.
    /// @param blocks number of blocks that use the barrier
    /// @param block  index of this block among them
    __device__ unsigned arrive(unsigned blocks = gridDim.x, unsigned block = blockIdx.x) {
        __syncthreads();
        return threadIdx.x == 0 ? add(block == 0 ? kPhase - (blocks - 1) : 1) : 0;
    }
    __device__ void wait(unsigned arrival) {
        if (threadIdx.x == 0)
            while (!has_turned_since(arrival)) simt::relax();
        __syncthreads();
    }

    __device__ void arrive_and_wait(unsigned blocks = gridDim.x, unsigned block = blockIdx.x) {
        wait(arrive(blocks, block));
    }

    /// Arrives and waits. Before any block continues, the first block calls `last` on behalf of all
    /// blocks.
    template <std::invocable F>
    __device__ void arrive_and_wait(F last, unsigned blocks = gridDim.x,
                                    unsigned block = blockIdx.x) {
        if (block > 0) return arrive_and_wait(blocks, block);
        __syncthreads();
        if (threadIdx.x == 0)
            while ((load() & ~kPhase) != blocks - 1) simt::relax();
        __syncthreads();
        last();
        arrive(blocks, block);
    }

  private:
    static constexpr unsigned kPhase = 1u << 31;

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
