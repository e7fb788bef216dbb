#pragma once

#include "simt/backend.h"
#include "simt/error.h"

#include <cuda_runtime_api.h>

namespace simt::inline SIMT_BACKEND {

/// Throws if a call of the CUDA runtime failed, with CUDA's error message.
inline void check(cudaError_t status,
                  std::source_location where = std::source_location::current()) {
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();  // the next call must not report this error again
    const std::string name = cudaGetErrorName(status);
    if (status == cudaErrorMemoryAllocation) throw OutOfMemory(name, where);
    throw Error(name + ": " + cudaGetErrorString(status), where);
}

}  // namespace simt::inline SIMT_BACKEND
