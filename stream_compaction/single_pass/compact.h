// The members of BasicCompact, for kernel sources that instantiate it for their own types or
// predicates.
#pragma once

#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/single_pass/compact_job.h"
#include "stream_compaction/single_pass/plan.h"

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template <class T, class Predicate>
BasicCompact<T, Predicate>::BasicCompact(std::size_t n, Path path, std::span<std::byte> memory)
    : path_(path),
      device_(device_for<CompactJob<T, Predicate, false>>()),
      workspace_(n, sizeof(T), sizeof(unsigned), memory) {
    require_path<CompactJob<T, Predicate, false>>(path, device_);
}

template <class T, class Predicate>
std::size_t BasicCompact<T, Predicate>::workspace_bytes(std::size_t n) {
    return Workspace::bytes(n, sizeof(T), sizeof(unsigned));
}

template <class T, class Predicate>
void BasicCompact<T, Predicate>::enqueue(const T* in, T* out, std::size_t* count, std::size_t n,
                                         simt::stream_t stream, T* rejected) {
    require_capacity(workspace_.capacity(), n);
    require_count(count, {in, n}, {out, n});
    require_same_or_apart({in, n}, {out, n});
    require_apart({in, n}, {rejected, n});
    require_apart({out, n}, {rejected, n});
    require_apart({rejected, n}, {count, 1});
    workspace_.loan().require_outside(n, in, out, rejected);
    workspace_.loan().require_outside(1, count);
    if (n == 0) return simt::fill_async(count, 0, sizeof *count, stream);
    const auto run = [&](const auto& job) {
        single_pass::enqueue(job, n, path_, device_, workspace_, stream);
    };
    if (rejected == nullptr)
        run(CompactJob<T, Predicate, false>{in, out, rejected, count});
    else
        run(CompactJob<T, Predicate, true>{in, out, rejected, count});
}

template <class T, class Predicate>
void BasicCompact<T, Predicate>::enqueue(const T* in, T* out, std::size_t* count, DeviceSize n,
                                         simt::stream_t stream) requires
    kHasDeviceSize<T, Predicate> {
    require_capacity(workspace_.capacity(), 0);
    require_size_word(n);
    require_count(count, {in, 0}, {out, 0});  // only the device knows how long they are
    require_apart({n.n, 1}, {count, 1});
    const std::size_t most = workspace_.capacity();
    if (most == 0) return simt::fill_async(count, 0, sizeof *count, stream);
    const CompactJob<T, Predicate, false> job{in, out, nullptr, count};
    single_pass::enqueue(job, most, path_, device_, workspace_, stream, n);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
