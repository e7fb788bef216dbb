#include "stream_compaction/naive.h"

#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/striped.h"

namespace stream_compaction::inline SIMT_BACKEND::naive {
namespace {

// A thread loads all its elements before it stores the first one: parts/striped.h says why.

/// One Hillis-Steele level: adds to every element from `first` on the element `distance` positions
/// before it.
__global__ void add_at_distance(const int* in, int* out, std::size_t n, std::size_t first,
                                std::size_t distance) {
    const std::size_t begin = first + std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    unsigned sum[kItems];
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i >= n) continue;
        sum[k] = in[i];
        if (i >= distance) sum[k] += in[i - distance];
    }
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) out[i] = sum[k];
    }
}

/// Turns an inclusive scan into the exclusive one by shifting it to the right by one.
__global__ void shift_right(const int* in, int* out, std::size_t n) {
    const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    int sum[kItems];
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) sum[k] = i == 0 ? 0 : in[i - 1];
    }
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) out[i] = sum[k];
    }
}

}  // namespace

Scan::Scan(std::size_t n, const Tuning& tuning) : capacity_(n) {
    require(kLegal, tuning);
    block_size_ = static_cast<unsigned>(tuning.block_size);
    for (auto& buffer : buffers_) buffer = simt::DeviceArray<int>(n);
}

std::size_t Scan::workspace_bytes(std::size_t n, const Tuning&) {
    require_size(n);
    return n * 2 * sizeof(int);
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return;
    int level = 0;
    for (std::size_t distance = 1; distance < n; distance *= 2, ++level) {
        // The first two levels fill both buffers completely. Later, the output of a level already
        // holds the final sums of its first distance / 2 elements, written two levels ago.
        const std::size_t first = level < 2 ? 0 : distance / 2;
        int* const sums = buffers_[level % 2].data();
        simt::launch(add_at_distance, striped_launch(n - first, block_size_, stream), in, sums, n,
                     first, distance);
        in = sums;
    }
    simt::launch(shift_right, striped_launch(n, block_size_, stream), in, out, n);
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::naive
