// Launches a kernel that copies 16 bytes per thread.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/grid.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND {

inline constexpr unsigned kCopyThreads = 256;

/// Copies out[i] = in[i] for i < vectors, then `tail` bytes after them, fewer than a vector has.
using CopyKernel = void (*)(uint4* out, const uint4* in, std::size_t vectors, unsigned tail);

/// Launches at least one thread for each vector, and one block for the tail.
inline void launch_copy(CopyKernel kernel, void* out, const void* in, std::size_t bytes,
                        simt::stream_t stream) {
    if (bytes == 0) return;
    const std::size_t vectors = bytes / sizeof(uint4);
    simt::launch(kernel, {blocks_for(vectors + 1, kCopyThreads), kCopyThreads, 0, stream},
                 static_cast<uint4*>(out), static_cast<const uint4*>(in), vectors,
                 static_cast<unsigned>(bytes % sizeof(uint4)));
}

/// Copies the tail, by the first threads of the grid.
__device__ inline void copy_tail(uint4* out, const uint4* in, std::size_t vectors, unsigned tail,
                                 std::size_t i) {
    if (i < tail)
        reinterpret_cast<char*>(out + vectors)[i] = reinterpret_cast<const char*>(in + vectors)[i];
}

}  // namespace stream_compaction::inline SIMT_BACKEND
