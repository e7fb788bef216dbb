#include "stream_compaction/map_scan_scatter.h"

#include "simt/kernel.h"
#include "stream_compaction/parts/striped.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

// A thread loads all its elements before it stores the first one: parts/striped.h says why.

/// flags[i] = 1 if in[i] is not 0, else 0.
__global__ void map_to_flags(const int* in, int* flags, std::size_t n) {
    const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    int value[kItems];
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) value[k] = in[i];
    }
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) flags[i] = value[k] != 0;
    }
}

/// Stores each kept element at its position after the *kept_before elements of earlier slices. The
/// thread of the last element adds up the new number of kept elements.
__global__ void scatter_kept(const int* in, Positions positions, std::size_t n, int* out,
                             const std::size_t* kept_before, std::size_t* kept_after) {
    const std::size_t before = *kept_before;
    const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    int value[kItems], position[kItems];
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i >= n) continue;
        value[k] = in[i];
        position[k] = positions.within_tile[i];
        if (positions.tile_prefixes != nullptr)
            position[k] += positions.tile_prefixes[i >> positions.tile_log2];
    }
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i >= n) continue;
        if (value[k] != 0) out[before + position[k]] = value[k];
        if (i == n - 1) *kept_after = before + position[k] + (value[k] != 0);
    }
}

}  // namespace

void enqueue_map(const int* in, int* flags, std::size_t n, unsigned block_size,
                 simt::stream_t stream) {
    simt::launch(map_to_flags, striped_launch(n, block_size, stream), in, flags, n);
}

void enqueue_scatter(const int* in, const Positions& positions, std::size_t n, int* out,
                     const std::size_t* kept_before, std::size_t* kept_after, unsigned block_size,
                     simt::stream_t stream) {
    simt::launch(scatter_kept, striped_launch(n, block_size, stream), in, positions, n, out,
                 kept_before, kept_after);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
