#include "simt/memory.h"

#include "simt/cuda/check.h"

#include <cuda_runtime_api.h>

namespace simt::inline SIMT_BACKEND {

void* allocate(std::size_t bytes, std::source_location where) {
    void* memory = nullptr;
    if (bytes > 0) check(cudaMalloc(&memory, bytes), where);
    return memory;
}

void release(void* memory) noexcept { (void)cudaFree(memory); }

void copy_async(void* to, const void* from, std::size_t bytes, stream_t stream,
                std::source_location where) {
    if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), where);
}

void fill_async(void* to, unsigned char value, std::size_t bytes, stream_t stream,
                std::source_location where) {
    if (bytes > 0) check(cudaMemsetAsync(to, value, bytes, stream), where);
}

void synchronize(std::source_location where) { check(cudaDeviceSynchronize(), where); }

}  // namespace simt::inline SIMT_BACKEND
