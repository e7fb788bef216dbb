// Two words in one request: PTX's vectors of relaxed loads and stores.
#pragma once

#include "simt/backend.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace simt::inline SIMT_BACKEND {

/// Two words, aligned to 16 bytes, in device memory. Each word is atomic by itself. The only
/// guaranteed order: operations that depend on a loaded word happen after that word was stored.
class DeviceAtomicPair {
  public:
    __device__ explicit DeviceAtomicPair(std::uint64_t* words)
        : address_(__cvta_generic_to_global(words)) {}

    __device__ void load(std::uint64_t (&words)[2]) const {
        asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                     : "=l"(words[0]), "=l"(words[1])
                     : "l"(address_)
                     : "memory");
    }
    __device__ void store(const std::uint64_t (&words)[2]) const {
        asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(address_), "l"(words[0]),
                     "l"(words[1])
                     : "memory");
    }

  private:
    std::size_t address_;
};

}  // namespace simt::inline SIMT_BACKEND
