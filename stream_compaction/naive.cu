#include "stream_compaction/naive.h"

#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/parts/block_strided.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"

namespace stream_compaction::inline SIMT_BACKEND::naive {
namespace {

/// One Hillis-Steele level: adds to every element from `first` on the element `distance` positions
/// before it.
__global__ void add_at_distance(const int* in, int* out, std::size_t n, std::size_t first,
                                std::size_t distance) {
    block_strided(
        first, n,
        [&](std::size_t i) {
            const unsigned sum = in[i];
            return i < distance ? sum : sum + in[i - distance];
        },
        [&](std::size_t i, unsigned sum) { out[i] = sum; });
}

/// Turns an inclusive scan into the exclusive one by shifting it to the right by one.
__global__ void shift_right(const int* in, int* out, std::size_t n) {
    block_strided(
        0, n, [&](std::size_t i) { return i == 0 ? 0 : in[i - 1]; },
        [&](std::size_t i, int sum) { out[i] = sum; });
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
        simt::launch(add_at_distance, block_strided_launch(n - first, block_size_, stream), in,
                     sums, n, first, distance);
        in = sums;
    }
    simt::launch(shift_right, block_strided_launch(n, block_size_, stream), in, out, n);
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::naive
