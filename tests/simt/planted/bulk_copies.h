// Misused bulk loads. `kBug` plants each.
#pragma once

#include "simt/async_copy.h"
#include "simt/kernel.h"
#include "tests/simt/planted/global_index.h"
#include "tests/simt/planted_bugs.h"

namespace simt::inline SIMT_BACKEND::test {

/// A tile and a barrier that is ready for it.
struct Tile {
    int* values;
    simt::TransactionBarrier* barrier;
};

inline __device__ Tile make_tile() {
    __shared__ simt::TransactionBarrier barrier;
    if (threadIdx.x == 0) {
        barrier.init(1);
        simt::fence_barrier_init();
    }
    __syncthreads();
    return {simt::dynamic_shared<int>(), &barrier};
}

inline __device__ void load(const Tile& tile, const int* in) {
    if (threadIdx.x != 0) return;
    tile.barrier->arrive_expect_tx(kThreads * sizeof(int));
    simt::bulk_load_evict_first(tile.values, in + blockIdx.x * kThreads, kThreads * sizeof(int),
                                *tile.barrier);
}

template <bool kBug>
__global__ void tile_read_before_it_is_loaded(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    if (!kBug || threadIdx.x < 32) tile.barrier->wait(0);
    out[global_index()] = tile.values[threadIdx.x];
    tile.barrier->wait(0);
}

template <bool kBug>
__global__ void parity_not_flipped(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    tile.barrier->wait(0);
    const int first = tile.values[threadIdx.x];
    __syncthreads();
    load(tile, in);
    tile.barrier->wait(kBug ? 0 : 1);
    out[global_index()] = first ^ tile.values[threadIdx.x];
    __syncthreads();
    tile.barrier->wait(1);
}

template <bool kBug>
__global__ void load_without_wait(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    if constexpr (!kBug) tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void misaligned_load(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    if (threadIdx.x == 0) {
        tile.barrier->arrive_expect_tx(64);
        simt::bulk_load_evict_first(tile.values, in + (kBug ? 2 : 4), 64, *tile.barrier);
    }
    tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void load_of_an_odd_size(const int* in, int* out, unsigned*) {
    constexpr unsigned kBytes = kBug ? 68 : 64;
    const Tile tile = make_tile();
    if (threadIdx.x == 0) {
        tile.barrier->arrive_expect_tx(kBytes);
        simt::bulk_load_evict_first(tile.values, in, kBytes, *tile.barrier);
    }
    tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void barrier_without_init(const int*, int* out, unsigned*) {
    auto* const barrier = simt::dynamic_shared<simt::TransactionBarrier>();
    if (threadIdx.x == 0) {
        if constexpr (!kBug) barrier->init(1);
        barrier->arrive();
    }
    __syncthreads();
    barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void too_many_arrivals(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    if (kBug && threadIdx.x == 0) tile.barrier->arrive();
    tile.barrier->wait(0);
    out[global_index()] = 1;
}

}  // namespace simt::inline SIMT_BACKEND::test
