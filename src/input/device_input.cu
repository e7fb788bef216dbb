#include "src/input/device_input.h"

#include "simt/kernel.h"
#include "simt/memory.h"
#include "stream_compaction/grid.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

__global__ void store_elements(Input input, int* out) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < input.size();
         i += step)
        out[i] = input[i];
}

}  // namespace

void enqueue_store(const Input& input, int* out, simt::stream_t stream) {
    constexpr unsigned kBlockSize = 256;
    constexpr std::size_t kMostBlocks = 4096;  // enough to fill any GPU
    const auto blocks = static_cast<unsigned>(
        std::clamp<std::size_t>(ceil_div(input.size(), kBlockSize), 1, kMostBlocks));
    // The keys of a file are on the host; each one is converted to an element in place.
    if (input.keys() != nullptr)
        simt::copy_async(out, input.keys(), input.size() * sizeof(int), stream);
    simt::launch(store_elements, {blocks, kBlockSize, 0, stream},
                 input.keys() != nullptr ? input.with_keys_at(out) : input, out);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
