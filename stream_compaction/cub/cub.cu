#include "stream_compaction/cub.h"

#include "stream_compaction/capacity.h"
#include "stream_compaction/cub/call.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

namespace stream_compaction::inline SIMT_BACKEND::cub {
namespace {

struct IsNonZero {
    __device__ bool operator()(int value) const { return value != 0; }
};

auto scan_call(const int* in, int* out, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceScan::ExclusiveSum(  // unsigned, because sums may overflow
            workspace, bytes, reinterpret_cast<const unsigned*>(in),
            reinterpret_cast<unsigned*>(out), n, stream);
    };
}

auto compact_call(const int* in, int* out, std::size_t* count, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceSelect::If(workspace, bytes, in, out, count, n, IsNonZero{}, stream);
    };
}

auto sort_call(const int* in, int* out, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceRadixSort::SortKeys(workspace, bytes, in, out, n, 0, 32, stream);
    };
}

}  // namespace

int version() { return CUB_VERSION; }

Scan::Scan(std::size_t n, const Tuning& tuning)
    : capacity_(n), workspace_(workspace_bytes(n, tuning)) {
    require({}, tuning);
}

std::size_t Scan::workspace_bytes(std::size_t n, const Tuning&) {
    return bytes_for(n, scan_call(nullptr, nullptr, nullptr));
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n > 0) call(workspace_, n, scan_call(in, out, stream));
}

Compact::Compact(std::size_t n, const Tuning& tuning)
    : capacity_(n), workspace_(workspace_bytes(n, tuning)) {
    require({}, tuning);
}

std::size_t Compact::workspace_bytes(std::size_t n, const Tuning&) {
    require_compactable(n);
    return bytes_for(n, compact_call(nullptr, nullptr, nullptr, nullptr));
}

void Compact::enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                      simt::stream_t stream, Stopwatch*) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_apart({in, n}, {out, n});
    if (n > 0)
        call(workspace_, n, compact_call(in, out, count, stream));
    else
        simt::fill_async(count, 0, sizeof *count, stream);
}

Sort::Sort(std::size_t n, const Tuning& tuning)
    : capacity_(n), workspace_(workspace_bytes(n, tuning)) {
    require({}, tuning);
}

std::size_t Sort::workspace_bytes(std::size_t n, const Tuning&) {
    return bytes_for(n, sort_call(nullptr, nullptr, nullptr));
}

void Sort::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_apart({in, n}, {out, n});
    if (n > 0) call(workspace_, n, sort_call(in, out, stream));
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact>(input, output, tuning);
}

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
