#include "stream_compaction/map_scan_scatter.h"

#include "simt/kernel.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// Elements of one thread, a block's width apart: loads of a warp are contiguous, and several are
/// in flight at once.
constexpr int kItems = 4;

__global__ void map_to_flags(const int* in, int* flags, std::size_t n) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = first + std::size_t{blockDim.x} * k;
        if (i < n) flags[i] = in[i] != 0;
    }
}

__global__ void scatter_kept(const int* in, Positions positions, std::size_t n, int* out,
                             const std::size_t* kept_before, std::size_t* kept_after) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    int value[kItems], position[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = first + std::size_t{blockDim.x} * k;
        value[k] = i < n ? in[i] : 0;
        position[k] = i < n ? positions.within_tile[i] : 0;
        if (positions.tile_prefixes != nullptr && i < n)
            position[k] += positions.tile_prefixes[i >> positions.tile_log2];
    }
    const std::size_t before = *kept_before;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        if (value[k] != 0) out[before + position[k]] = value[k];
        if (first + std::size_t{blockDim.x} * k == n - 1)
            *kept_after = before + position[k] + (value[k] != 0);
    }
}

}  // namespace

void enqueue_map(const int* in, int* flags, std::size_t n, unsigned block_size,
                 simt::stream_t stream) {
    simt::launch(map_to_flags,
                 {blocks_for(n, std::size_t{block_size} * kItems), block_size, 0, stream}, in,
                 flags, n);
}

void enqueue_scatter(const int* in, const Positions& positions, std::size_t n, int* out,
                     const std::size_t* kept_before, std::size_t* kept_after, unsigned block_size,
                     simt::stream_t stream) {
    simt::launch(scatter_kept,
                 {blocks_for(n, std::size_t{block_size} * kItems), block_size, 0, stream}, in,
                 positions, n, out, kept_before, kept_after);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
