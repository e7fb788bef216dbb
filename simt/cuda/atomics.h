// Words that blocks of one device share: PTX's loads, stores and additions with an order. Part of
// kernel.h. The same as cuda::atomic_ref, whose header takes a third of a kernel's compile time.
#pragma once

#include "simt/backend.h"

#include <atomic>
#include <concepts>

namespace simt::inline SIMT_BACKEND {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

// By the width of the word: its registers are "r" or "l".
#define SIMT_LOAD(order)                                                                      \
    if constexpr (kIsWide)                                                                    \
        asm volatile("ld." order ".gpu.b64 %0, [%1];" : "=l"(value) : "l"(word_) : "memory"); \
    else                                                                                      \
        asm volatile("ld." order ".gpu.b32 %0, [%1];" : "=r"(value) : "l"(word_) : "memory")
#define SIMT_STORE(order)                                                                   \
    if constexpr (kIsWide)                                                                  \
        asm volatile("st." order ".gpu.b64 [%0], %1;" ::"l"(word_), "l"(value) : "memory"); \
    else                                                                                    \
        asm volatile("st." order ".gpu.b32 [%0], %1;" ::"l"(word_), "r"(value) : "memory")
#define SIMT_ADD(order)                                         \
    if constexpr (kIsWide)                                      \
        asm volatile("atom." order ".gpu.add.u64 %0, [%1], %2;" \
                     : "=l"(old)                                \
                     : "l"(word_), "l"(value)                   \
                     : "memory");                               \
    else                                                        \
        asm volatile("atom." order ".gpu.add.u32 %0, [%1], %2;" \
                     : "=r"(old)                                \
                     : "l"(word_), "r"(value)                   \
                     : "memory")

/// A word that blocks of one device share, for example a tile's descriptor.
template <std::integral T>
requires(sizeof(T) == 4 || sizeof(T) == 8) class DeviceAtomic {
  public:
    using Order = std::memory_order;

    __device__ explicit DeviceAtomic(T& word) : word_(&word) {}

    /// @param order  memory_order_relaxed or memory_order_acquire
    __device__ T load(Order order) const {
        T value;
        if (order == memory_order_acquire) {
            SIMT_LOAD("acquire");
        } else {
            SIMT_LOAD("relaxed");
        }
        return value;
    }

    /// @param order  memory_order_relaxed or memory_order_release
    __device__ void store(T value, Order order) const {
        if (order == memory_order_release) {
            SIMT_STORE("release");
        } else {
            SIMT_STORE("relaxed");
        }
    }

    /// Integers wrap around.
    /// @param order  memory_order_relaxed or memory_order_release
    __device__ T fetch_add(T value, Order order) const {
        T old;
        if (order == memory_order_release) {
            SIMT_ADD("release");
        } else {
            SIMT_ADD("relaxed");
        }
        return old;
    }

  private:
    static constexpr bool kIsWide = sizeof(T) == 8;
    T* word_;
};

#undef SIMT_LOAD
#undef SIMT_STORE
#undef SIMT_ADD

}  // namespace simt::inline SIMT_BACKEND
