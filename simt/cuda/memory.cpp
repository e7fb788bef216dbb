#include "simt/memory.h"

#include "simt/cuda/check.h"
#include "simt/memory_budget.h"

#include <cuda_runtime_api.h>

#include <bit>

namespace simt::inline SIMT_BACKEND {

void* allocate(std::size_t bytes, std::source_location where) {
    if (bytes == 0) return nullptr;
    detail::memory_budget.take(bytes, where);
    void* memory = nullptr;
    if (const cudaError_t status = cudaMalloc(&memory, bytes); status != cudaSuccess) {
        detail::memory_budget.give_back(bytes);
        check(status, where);
    }
    return memory;
}

void release(void* memory, std::size_t bytes) noexcept {
    if (memory == nullptr) return;
    (void)cudaFree(memory);
    detail::memory_budget.give_back(bytes);
}

std::optional<MemoryName> name_of(void* memory) {
    cudaIpcMemHandle_t handle;
    if (cudaIpcGetMemHandle(&handle, memory) == cudaSuccess)
        return std::bit_cast<MemoryName>(handle);
    (void)cudaGetLastError();  // the next call must not report it
    return std::nullopt;
}

void* open_memory(const MemoryName& name) {
    void* memory = nullptr;
    if (cudaIpcOpenMemHandle(&memory, std::bit_cast<cudaIpcMemHandle_t>(name),
                             cudaIpcMemLazyEnablePeerAccess) == cudaSuccess)
        return memory;
    (void)cudaGetLastError();  // the next call must not report it
    return nullptr;
}

void close_memory(void* memory) noexcept { (void)cudaIpcCloseMemHandle(memory); }

void* allocate_pinned(std::size_t bytes, std::source_location where) {
    if (bytes == 0) return nullptr;
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), where);
    return memory;
}

void release_pinned(void* memory) noexcept {
    if (memory != nullptr) (void)cudaFreeHost(memory);
}

bool is_pinned(const void* byte, std::source_location where) {
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, byte), where);
    return attributes.type == cudaMemoryTypeHost;
}

std::size_t held_bytes() { return detail::memory_budget.held(); }

void limit_memory(std::size_t bytes) { detail::memory_budget.limit(bytes); }

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
