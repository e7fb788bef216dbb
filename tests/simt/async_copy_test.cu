// Bulk loads and the barriers around them.
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

/// The last warp loads tiles, and the other warps store their negated elements. Tiles use a ring of
/// stages; a stage is reused as soon as all have read it.
__global__ void negate(int* out, const int* in, unsigned tiles) {
    auto* const ring = simt::dynamic_shared<int>();
    __shared__ simt::TransactionBarrier full[kStages];
    __shared__ simt::TransactionBarrier empty[kStages];
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < kStages; ++stage) {
            full[stage].init(1);
            empty[stage].init(kConsumers);
        }
        simt::fence_barrier_init();
    }
    __syncthreads();
    if (threadIdx.x > kConsumers) return;
    unsigned k = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++k) {
        const unsigned stage = k % kStages;
        int* const values = ring + stage * kTile;
        if (threadIdx.x == kConsumers) {
            if (k >= kStages) empty[stage].wait((k / kStages - 1) % 2);
            full[stage].arrive_expect_tx(kTileBytes);
            simt::bulk_load_evict_first(values, in + tile * kTile, kTileBytes, full[stage]);
        } else {
            full[stage].wait(k / kStages % 2);
            for (unsigned i = threadIdx.x; i < kTile; i += kConsumers)
                out[tile * kTile + i] = -values[i];
            empty[stage].arrive();
        }
    }
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
    alignas(128) __shared__ int tile[2 * kTile];
    __shared__ simt::TransactionBarrier barrier;
    if (threadIdx.x == 0) {
        barrier.init(blockDim.x);
        simt::fence_barrier_init();
    }
    __syncthreads();
    for (unsigned phase = 0; phase < 4; ++phase) {
        if (threadIdx.x == 1) {
            barrier.arrive_expect_tx(2 * kTileBytes);
            simt::bulk_load_evict_first(tile, in + 2 * phase * kTile, kTileBytes, barrier);
            simt::bulk_load_evict_last(tile + kTile, in + (2 * phase + 1) * kTile, kTileBytes,
                                       barrier);
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

}  // namespace
