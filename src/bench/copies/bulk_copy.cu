// A copy in which each block loads a tile with one bulk copy.
#include "simt/async_copy.h"
#include "simt/device.h"
#include "src/bench/copies/copies.h"
#include "src/bench/copies/launch_copy.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

__global__ void copy_tiles(uint4* out, const uint4* in, std::size_t vectors, unsigned tail) {
    alignas(128) __shared__ uint4 tile[kCopyThreads];
    __shared__ simt::TransactionBarrier loaded;
    const std::size_t first = std::size_t{blockIdx.x} * kCopyThreads;
    const std::size_t left = first < vectors ? vectors - first : 0;
    const auto count = static_cast<unsigned>(min(left, std::size_t{kCopyThreads}));
    if (threadIdx.x == 0) {
        loaded.init(1);
        simt::fence_barrier_init();
    }
    __syncthreads();
    if (threadIdx.x == 0 && count > 0) {
        const auto bytes = static_cast<unsigned>(count * sizeof(uint4));
        loaded.arrive_expect_tx(bytes);
        simt::bulk_load_evict_first(tile, in + first, bytes, loaded);
    }
    copy_tail(out, in, vectors, tail, first + threadIdx.x);
    if (threadIdx.x >= count) return;
    loaded.wait(0);
    out[first + threadIdx.x] = tile[threadIdx.x];
}

}  // namespace

void enqueue_bulk_copy(void* out, const void* in, std::size_t bytes, simt::stream_t stream) {
    launch_copy(copy_tiles, out, in, bytes, stream);
}

bool has_bulk_copies() {
    constexpr int kHopper = 90;
    return simt::device_properties().compute_capability >= kHopper &&
           simt::compute_capability_of(copy_tiles) >= kHopper;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
