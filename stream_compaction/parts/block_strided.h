// How a thread of a simple kernel processes several elements. They are a block's width apart, so
// that the loads of a warp are contiguous. All loads come before the first store, so that they are
// in flight together. (With one element per thread, GPUs of 2024 do not have enough loads in
// flight.)
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/grid.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND {

inline constexpr int kStridedItems = 4;

/// For each element i < n of the thread, from `first` on: write(i, read(i)). One block covers
/// kStridedItems * blockDim.x elements.
template <class Read, class Write>
__device__ void block_strided(std::size_t first, std::size_t n, Read read, Write write) {
    first += std::size_t{blockIdx.x} * blockDim.x * kStridedItems + threadIdx.x;
    decltype(read(first)) value[kStridedItems];
#pragma unroll
    for (int k = 0; k < kStridedItems; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) value[k] = read(i);
    }
#pragma unroll
    for (int k = 0; k < kStridedItems; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) write(i, value[k]);
    }
}

/// The launch configuration of a kernel that calls block_strided on n elements.
inline simt::LaunchConfig block_strided_launch(std::size_t n, unsigned block_size,
                                               simt::stream_t stream) {
    return {blocks_for(n, std::size_t{block_size} * kStridedItems), block_size, 0, stream};
}

}  // namespace stream_compaction::inline SIMT_BACKEND
