// A copy in which each thread loads and stores 16 bytes.
#include "src/bench/copies/copies.h"
#include "src/bench/copies/launch_copy.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

__global__ void copy_vectors(uint4* out, const uint4* in, std::size_t vectors, unsigned tail) {
    const std::size_t i = std::size_t{blockIdx.x} * kCopyThreads + threadIdx.x;
    if (i < vectors) out[i] = in[i];
    copy_tail(out, in, vectors, tail, i);
}

}  // namespace

void enqueue_vector_copy(void* out, const void* in, std::size_t bytes, simt::stream_t stream) {
    launch_copy(copy_vectors, out, in, bytes, stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
