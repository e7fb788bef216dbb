// Clusters on the CPU; simt/cluster.h lists the mistakes that they detect.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/atomics.h"
#include "simt/emulated/block.h"
#include "simt/emulated/kernel.h"

#include <cstddef>
#include <cstdint>

namespace simt::inline SIMT_BACKEND {

/// The number of blocks in the cluster.
inline unsigned cluster_blocks() { return detail::cluster_of_grid; }
/// The block's index in its cluster.
inline unsigned cluster_rank() { return detail::cluster_rank(); }

/// All threads of the cluster arrive, and later wait for each other: writes before a thread's
/// arrival are visible to all threads after the wait.
inline void cluster_arrive(detail::Location where = detail::Location::current()) {
    const std::uint64_t threads =
        std::uint64_t{blockDim.x} * blockDim.y * blockDim.z * cluster_blocks();
    std::uint64_t& awaited = detail::awaited_arrivals();
    if (awaited != 0) detail::fail("a thread arrives twice at its cluster's barrier", where);
    const std::uint64_t before = DeviceAtomic<std::uint64_t>(detail::cluster_arrivals())
                                     .fetch_add(1, std::memory_order_acq_rel);
    detail::awaited_arrivals() = (before / threads + 1) * threads;
}
inline void cluster_wait(detail::Location where = detail::Location::current()) {
    const std::uint64_t awaited = detail::awaited_arrivals();
    if (awaited == 0) detail::fail("a wait at a cluster's barrier without an arrival", where);
    const DeviceAtomic<std::uint64_t> arrivals(detail::cluster_arrivals());
    while (arrivals.load(memory_order_acquire) < awaited) detail::relax(where);
    detail::awaited_arrivals() = 0;
}

/// Returns the object in another block's dynamic shared memory at the position of `own` in the
/// caller's.
template <class T>
T* of_block(T* own, unsigned rank, detail::Location where = detail::Location::current()) {
    const std::ptrdiff_t offset =
        reinterpret_cast<const std::byte*>(own) - static_cast<std::byte*>(detail::shared_memory());
    return reinterpret_cast<T*>(static_cast<std::byte*>(detail::shared_memory_of(rank, where)) +
                                offset);
}

/// How many clusters of this size run at the same time: 0 before compute capability 9.0.
template <class... Parameters>
unsigned resident_clusters(void (*)(Parameters...), unsigned cluster, unsigned block,
                           std::size_t shared_bytes) {
    return detail::resident_clusters(cluster, block, shared_bytes);
}

}  // namespace simt::inline SIMT_BACKEND
