// Bulk copies and the barriers around them.
#include "simt/async_copy.h"
#include "simt/device.h"
#include "simt/kernel.h"
#include "simt/memory.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;

constexpr unsigned kTile = 256;  // ints
constexpr unsigned kTileBytes = kTile * sizeof(int);
constexpr unsigned kStages = 3;
constexpr unsigned kConsumers = 64;

/// The last warp loads tiles, the other warps negate them in place, and one of their threads stores
/// them. Tiles use a ring of stages; a stage is reused as soon as its store has read it.
__global__ void negate(int* out, const int* in, unsigned tiles) {
    auto* const ring = simt::dynamic_shared<int>();
    __shared__ simt::TransactionBarrier full[kStages];
    __shared__ simt::TransactionBarrier empty[kStages];
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < kStages; ++stage) {
            full[stage].init(1);
            empty[stage].init(1);
        }
        simt::fence_barrier_init();
    }
    __syncthreads();
    if (threadIdx.x >= kConsumers) {
        if (threadIdx.x != kConsumers) return;
        unsigned k = 0;
        for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++k) {
            const unsigned stage = k % kStages;
            if (k >= kStages) empty[stage].wait((k / kStages - 1) % 2);
            full[stage].arrive_expect_tx(kTileBytes);
            simt::bulk_load(ring + stage * kTile, in + tile * kTile, kTileBytes, full[stage]);
        }
        return;
    }
    unsigned k = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++k) {
        const unsigned stage = k % kStages;
        int* const values = ring + stage * kTile;
        full[stage].wait(k / kStages % 2);
        for (unsigned i = threadIdx.x; i < kTile; i += kConsumers) values[i] = -values[i];
        simt::fence_async();
        simt::named_barrier(1, kConsumers);
        if (threadIdx.x == 0) {
            simt::bulk_store(out + tile * kTile, values, kTileBytes);
            simt::bulk_commit();
            simt::bulk_wait_read<1>();  // so the store of the previous tile has read its stage
            if (k > 0) empty[(k - 1) % kStages].arrive();
        }
    }
    if (threadIdx.x == 0) simt::bulk_wait<0>();
}

/// Whether the device has bulk copies, and the kernels are compiled for them.
bool has_bulk_copies() { return simt::compute_capability_of(negate) >= 90; }

TEST(AsyncCopy, RingOfTiles) {
    if (!has_bulk_copies()) GTEST_SKIP() << "needs compute capability 9.0";
    under_every_schedule([] {
        for (const unsigned tiles : {1u, 2u, 3u, 4u, 5u, 50u}) {
            std::vector<int> values(tiles * kTile);
            for (unsigned i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919);
            const auto in = to_device(values);
            const auto out =
                device_result<int>(values.size(), negate,
                                   {2, kConsumers + 32, kStages * kTileBytes}, in.data(), tiles);
            for (int& value : values) value = -value;
            EXPECT_EQ(out, values);
        }
    });
}

/// Threads and bytes end a phase together, in either order.
__global__ void mix_arrivals(int* out, const int* in) {
    __shared__ __align__(128) int tile[2 * kTile];
    __shared__ simt::TransactionBarrier barrier;
    if (threadIdx.x == 0) {
        barrier.init(blockDim.x);
        simt::fence_barrier_init();
    }
    __syncthreads();
    for (unsigned phase = 0; phase < 4; ++phase) {
        if (threadIdx.x == 1) {
            barrier.arrive_expect_tx(2 * kTileBytes);
            simt::bulk_load(tile, in + 2 * phase * kTile, kTileBytes, barrier);
            simt::bulk_load(tile + kTile, in + (2 * phase + 1) * kTile, kTileBytes, barrier);
        } else {
            barrier.arrive();
        }
        barrier.wait(phase % 2);
        for (unsigned i = threadIdx.x; i < 2 * kTile; i += blockDim.x)
            out[2 * phase * kTile + i] = tile[i];
        __syncthreads();
    }
}

TEST(AsyncCopy, BarrierOfThreadsAndBytes) {
    if (!has_bulk_copies()) GTEST_SKIP() << "needs compute capability 9.0";
    std::vector<int> values(8 * kTile);
    for (unsigned i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
    const auto in = to_device(values);
    under_every_schedule([&] {
        EXPECT_EQ(device_result<int>(values.size(), mix_arrivals, {1, 96}, in.data()), values);
    });
}

/// Two halves of a block, each with its own barrier, at different speeds.
__global__ void sync_halves(int* out) {
    __shared__ int values[128];
    const unsigned half = threadIdx.x / 64;
    const unsigned lane = threadIdx.x % 64;
    values[threadIdx.x] = 0;
    const unsigned rounds = half == 0 ? 3 : 10;
    for (unsigned round = 0; round < rounds; ++round) {
        simt::named_barrier(1 + half, 64);
        const int neighbour = values[64 * half + (lane + 1) % 64];
        simt::named_barrier(1 + half, 64);
        values[threadIdx.x] = neighbour + 1;
    }
    out[threadIdx.x] = values[threadIdx.x];
}

TEST(AsyncCopy, NamedBarriers) {
    under_every_schedule([] {
        const auto out = device_result<int>(128, sync_halves, {1, 128});
        for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(out[i], i < 64 ? 3 : 10);
    });
}

}  // namespace
