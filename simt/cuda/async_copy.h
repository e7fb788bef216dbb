// Asynchronous copies on the GPU: PTX's mbarrier and cp.async.bulk.
#pragma once

#include "simt/backend.h"

#include <cuda_runtime.h>

#include <cstdint>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SIMT_BULK_PTX(...) asm volatile(__VA_ARGS__)
#else
#define SIMT_BULK_PTX(...) __trap()
#endif

namespace simt::inline SIMT_BACKEND {
namespace detail {

__device__ __forceinline__ unsigned shared_address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

}  // namespace detail

/// A barrier in shared memory, for threads and for the bytes of bulk copies. Its phases alternate
/// between parity 0, the first, and parity 1. A phase ends when the expected number of threads has
/// arrived and the expected number of bytes has been copied.
class TransactionBarrier {
  public:
    /// Expects `arrivals` threads in every phase. Called by one thread, before the others use the
    /// barrier.
    __device__ __forceinline__ void init(unsigned arrivals) {
        SIMT_BULK_PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                      : "memory");
    }
    __device__ __forceinline__ void arrive() {
        SIMT_BULK_PTX("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address())
                      : "memory");
    }
    /// Arrives, and increases the number of bytes that the phase waits for.
    __device__ __forceinline__ void arrive_expect_tx(unsigned bytes) {
        SIMT_BULK_PTX(
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
            "r"(bytes)
            : "memory");
    }
    /// Waits for the end of the current phase if it has this parity; otherwise that phase has
    /// ended.
    __device__ __forceinline__ void wait(unsigned parity) {
        unsigned ended = 0;
        while (ended == 0)
            SIMT_BULK_PTX(
                "{\n"
                ".reg .pred ended;\n"
                "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 ended, [%1], %2;\n"
                "selp.u32 %0, 1, 0, ended;\n"
                "}"
                : "=r"(ended)
                : "r"(address()), "r"(parity)
                : "memory");
    }

    /// The address as PTX instructions expect it.
    __device__ __forceinline__ unsigned address() const { return detail::shared_address(this); }

  private:
    std::uint64_t word_;
};

namespace detail {

__device__ __forceinline__ void bulk_load_with(std::uint64_t policy, void* shared,
                                               const void* global, unsigned bytes,
                                               TransactionBarrier& barrier) {
    SIMT_BULK_PTX(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
        "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(barrier.address()), "l"(policy)
        : "memory");
}

}  // namespace detail

/// Copies to shared memory, and reports the bytes to the barrier when they have arrived. Asks the
/// L2 to evict other lines before these. For data that is read once and written elsewhere: on an
/// H200 the writes then no longer evict lines that are about to be read.
__device__ __forceinline__ void bulk_load_evict_last(void* shared, const void* global,
                                                     unsigned bytes, TransactionBarrier& barrier) {
    [[maybe_unused]] std::uint64_t policy = 0;
    SIMT_BULK_PTX("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    detail::bulk_load_with(policy, shared, global, bytes, barrier);
}

/// The same, and asks the L2 to evict these lines before others, so that older lines need not be
/// written back to make room.
__device__ __forceinline__ void bulk_load_evict_first(void* shared, const void* global,
                                                      unsigned bytes, TransactionBarrier& barrier) {
    [[maybe_unused]] std::uint64_t policy = 0;
    SIMT_BULK_PTX("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    detail::bulk_load_with(policy, shared, global, bytes, barrier);
}

/// Makes TransactionBarrier::init visible to bulk copies.
__device__ __forceinline__ void fence_barrier_init() {
    SIMT_BULK_PTX("fence.mbarrier_init.release.cluster;" ::: "memory");
}

}  // namespace simt::inline SIMT_BACKEND

#undef SIMT_BULK_PTX
