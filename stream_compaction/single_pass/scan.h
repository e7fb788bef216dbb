// The members of BasicScan, for kernel sources that instantiate it for their own types or
// operators.
#pragma once

#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/single_pass/plan.h"
#include "stream_compaction/single_pass/scan_job.h"

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template <class T, class Operator>
BasicScan<T, Operator>::BasicScan(std::size_t n, ScanKind kind, Path path,
                                  std::span<std::byte> memory)
    : kind_(kind),
      path_(path),
      device_(device_for<ScanJob<T, Operator>>()),
      workspace_(n, sizeof(T), sizeof(T), memory) {
    require_path<ScanJob<T, Operator>>(path, device_);
}

template <class T, class Operator>
std::size_t BasicScan<T, Operator>::workspace_bytes(std::size_t n) {
    return Workspace::bytes(n, sizeof(T), sizeof(T));
}

template <class T, class Operator>
void BasicScan<T, Operator>::enqueue(const T* in, T* out, std::size_t n, simt::stream_t stream) {
    require_capacity(workspace_.capacity(), n);
    require_same_or_apart({in, n}, {out, n});
    workspace_.loan().require_outside(n, in, out);
    if (n == 0) return;
    const ScanJob<T, Operator> job{in, out, kind_ == ScanKind::inclusive};
    single_pass::enqueue(job, n, path_, device_, workspace_, stream);
}

template <class T, class Operator>
void BasicScan<T, Operator>::enqueue(const T* in, T* out, DeviceSize n,
                                     simt::stream_t stream) requires kHasDeviceSize<T, Operator> {
    require_capacity(workspace_.capacity(), 0);
    require_size_word(n);
    const std::size_t most = workspace_.capacity();
    if (most == 0) return;
    const ScanJob<T, Operator> job{in, out, kind_ == ScanKind::inclusive};
    single_pass::enqueue(job, most, path_, device_, workspace_, stream, n);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
