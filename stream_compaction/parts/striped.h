// The launch of a kernel whose threads process kItems elements each, in a striped arrangement: the
// elements of a thread are blockDim.x apart, so the loads of a warp are contiguous. Such a kernel
// has two loops over the elements of a thread. The first one loads, the second one stores: all
// loads come before the first store, so that they are in flight together. (With one element per
// thread, GPUs of 2024 do not have enough loads in flight.)
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/grid.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND {

/// Elements per thread.
inline constexpr int kItems = 4;

/// The launch configuration for n elements: a block processes kItems * block_size of them.
inline simt::LaunchConfig striped_launch(std::size_t n, unsigned block_size,
                                         simt::stream_t stream) {
    return {blocks_for(n, std::size_t{block_size} * kItems), block_size, 0, stream};
}

}  // namespace stream_compaction::inline SIMT_BACKEND
