#include "stream_compaction/radix.h"

#include "simt/checked_size.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/striped.h"

#include <algorithm>
#include <stdexcept>

namespace stream_compaction::inline SIMT_BACKEND::radix {
namespace {

constexpr int kBits = 32;

/// Whether a key goes to the front in this pass: if its bit is 0. For the sign bit it is the
/// reverse, because negative numbers come first.
__device__ inline bool goes_first(int key, int bit) {
    const bool is_set = (static_cast<unsigned>(key) >> bit & 1) != 0;
    return bit == kBits - 1 ? is_set : !is_set;
}

// A thread loads all its elements before it stores the first one: parts/striped.h says why.

/// flags[i] = 1 if the key goes to the front in this pass, else 0.
__global__ void flag_first(const int* keys, int* flags, std::size_t n, int bit) {
    const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
    int key[kItems];
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) key[k] = keys[i];
    }
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i < n) flags[i] = goes_first(key[k], bit);
    }
}

/// Moves each key: positions[i] is how many keys before i in its slice go to the front. All keys of
/// a block are in one slice.
__global__ void split(const int* in, const int* positions, int* out, std::size_t n,
                      std::size_t slice_size, int bit) {
    // All keys that go to the front, and how many of these are in slices before the block's slice.
    std::size_t firsts = 0, firsts_before = 0;
    const std::size_t block_start = std::size_t{blockIdx.x} * blockDim.x * kItems;
    for (std::size_t slice = 0; slice < n; slice += slice_size) {
        const std::size_t last = min(slice + slice_size, n) - 1;
        if (slice <= block_start) firsts_before = firsts;
        firsts += positions[last] + goes_first(in[last], bit);
    }
    const std::size_t begin = block_start + threadIdx.x;
    int key[kItems], position[kItems];
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i >= n) continue;
        key[k] = in[i];
        position[k] = positions[i];
    }
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * blockDim.x;
        if (i >= n) continue;
        const std::size_t before = firsts_before + position[k];
        out[goes_first(key[k], bit) ? before : firsts + (i - before)] = key[k];
    }
}

}  // namespace

Sort::Sort(std::size_t n, const Tuning& tuning, std::size_t slice)
    : capacity_(n),
      slice_(slice),
      block_size_(static_cast<unsigned>(tuning.block_size)),
      scan_(std::min(n, slice), tuning),
      keys_(n),
      positions_(n) {
    require(kLegal, tuning);
    if (slice == 0 || slice % (std::size_t{block_size_} * kItems) != 0)
        throw std::invalid_argument("a slice must be a multiple of a block's keys");
}

std::size_t Sort::workspace_bytes(std::size_t n, const Tuning& tuning) {
    require_size(n);
    return simt::checked_sum(n * 2 * sizeof(int),
                             efficient_plus::Scan::workspace_bytes(std::min(n, kSlice), tuning));
}

void Sort::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return;
    const simt::LaunchConfig config = striped_launch(n, block_size_, stream);
    // An even number of passes, alternating between the second array and `out`, so the last one
    // writes to `out`.
    for (int bit = 0; bit < kBits; ++bit) {
        int* const to = bit % 2 == 0 ? keys_.data() : out;
        simt::launch(flag_first, config, in, positions_.data(), n, bit);
        for (std::size_t first = 0; first < n; first += slice_) {
            int* const slice = positions_.data() + first;
            scan_.enqueue(slice, slice, std::min(slice_, n - first), stream);
        }
        simt::launch(split, config, in, positions_.data(), to, n, slice_, bit);
        in = to;
    }
}

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::radix
