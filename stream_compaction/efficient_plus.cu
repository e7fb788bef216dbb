#include "stream_compaction/efficient_plus.h"

#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/dispatch.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/warp.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::efficient_plus {
namespace {

/// The index of a node, with Padding unused words after every 32. The threads of one level access
/// every 2nd, 4th, ... word, so without padding they use the same banks. One unused word shifts
/// each row by one bank. Padding 0 is for experiments.
template <int Padding>
__host__ __device__ constexpr unsigned padded(unsigned node) {
    return node + Padding * (node / kLanes);
}

/// Up-sweep, one level: a node of 2 * width leaves becomes the sum of its children.
template <int Padding>
__device__ void sum_children(unsigned* tree, unsigned node, unsigned width) {
    const unsigned left = (2 * node + 1) * width - 1;
    tree[padded<Padding>(left + width)] += tree[padded<Padding>(left)];
}

/// Down-sweep, one level: a node passes the sum of all leaves before it to its left child; the
/// right child gets that plus the left child's sum.
template <int Padding>
__device__ void hand_down(unsigned* tree, unsigned node, unsigned width) {
    const unsigned left = (2 * node + 1) * width - 1, right = left + width;
    const unsigned left_sum = tree[padded<Padding>(left)];
    tree[padded<Padding>(left)] = tree[padded<Padding>(right)];
    tree[padded<Padding>(right)] += left_sum;
}

/// Exclusive scan of one value per thread of a block whose size is a power of two: Blelloch's
/// balanced tree. `total` is the sum of all values, in every thread.
///
/// Levels with more nodes than a warp has lanes need the whole block and its barrier. The first
/// warp alone processes the levels above, while the other warps wait.
template <int Padding>
__device__ unsigned scan_block(unsigned value, unsigned* tree, unsigned& total) {
    const unsigned threads = blockDim.x, t = threadIdx.x;
    tree[padded<Padding>(t)] = value;
    __syncthreads();

    unsigned width = 1;
    for (; threads / (2 * width) > kLanes; width *= 2) {
        if (t < threads / (2 * width)) sum_children<Padding>(tree, t, width);
        __syncthreads();
    }
    const unsigned wide = width;  // lowest level of the first warp
    if (t < kLanes) {
        const unsigned lanes = threads < kLanes ? (1u << threads) - 1 : ~0u;
        for (; width < threads; width *= 2) {
            if (t < threads / (2 * width)) sum_children<Padding>(tree, t, width);
            __syncwarp(lanes);
        }
        if (t == 0) {
            tree[padded<Padding>(threads)] = tree[padded<Padding>(threads - 1)];
            tree[padded<Padding>(threads - 1)] = 0;  // nothing is before the root
        }
        for (width = threads / 2; width >= wide; width /= 2) {
            __syncwarp(lanes);
            if (t < threads / (2 * width)) hand_down<Padding>(tree, t, width);
        }
    }
    __syncthreads();
    for (width = wide / 2; width > 0; width /= 2) {
        if (t < threads / (2 * width)) hand_down<Padding>(tree, t, width);
        __syncthreads();
    }
    total = tree[padded<Padding>(threads)];
    return tree[padded<Padding>(t)];
}

/// Whether four consecutive elements can be moved as one 16-byte word.
__device__ inline bool is_aligned(const int* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(int4) == 0;
}

/// Loads the thread's Items consecutive elements from `first` on, with zeros from n on.
template <int Items>
__device__ void load(const int* in, std::size_t first, std::size_t n, unsigned (&item)[Items]) {
    if constexpr (Items % 4 == 0) {
        if (first + Items <= n && is_aligned(in)) {
            for (int k = 0; k < Items; k += 4) {
                const int4 four = *reinterpret_cast<const int4*>(in + first + k);
                item[k] = four.x, item[k + 1] = four.y, item[k + 2] = four.z, item[k + 3] = four.w;
            }
            return;
        }
    }
    for (int k = 0; k < Items; ++k) item[k] = first + k < n ? in[first + k] : 0;
}

template <int Items>
__device__ void store(int* out, std::size_t first, std::size_t n, const unsigned (&item)[Items]) {
    if constexpr (Items % 4 == 0) {
        if (first + Items <= n && is_aligned(out)) {
            for (int k = 0; k < Items; k += 4)
                *reinterpret_cast<int4*>(out + first + k) =
                    make_int4(item[k], item[k + 1], item[k + 2], item[k + 3]);
            return;
        }
    }
    for (int k = 0; k < Items; ++k)
        if (first + k < n) out[first + k] = item[k];
}

/// Exclusive scan of each tile. A block scans a tile of blockDim.x * Items elements; a thread adds
/// up Items consecutive elements, the block scans these sums, and the thread writes its results.
/// Thread 0 stores the sum of the tile. Correct in place, because a thread writes only elements
/// that no other thread reads.
template <int Items, int Padding>
__device__ void scan_tile(const int* in, int* out, std::size_t n, int* tile_sums) {
    unsigned* const tree = simt::dynamic_shared<unsigned>();
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * Items;
    unsigned item[Items];
    load<Items>(in, first, n, item);

    unsigned sum = 0;
    for (int k = 0; k < Items; ++k) sum += item[k];
    unsigned total;
    unsigned before = scan_block<Padding>(sum, tree, total);
    for (int k = 0; k < Items; ++k) {
        const unsigned value = item[k];
        item[k] = before;
        before += value;
    }

    store<Items>(out, first, n, item);
    if (threadIdx.x == 0) tile_sums[blockIdx.x] = total;
}

template <int Items>
__global__ void scan_tiles(const int* in, int* out, std::size_t n, int* tile_sums) {
    scan_tile<Items, 1>(in, out, n, tile_sums);
}

template <int Items>
__global__ void scan_tiles_unpadded(const int* in, int* out, std::size_t n, int* tile_sums) {
    scan_tile<Items, 0>(in, out, n, tile_sums);
}

/// Adds to every tile the sum of the tiles before it. A thread processes four consecutive elements.
/// Tiles have at least eight elements, so all four are in the same tile.
__global__ void add_tile_prefixes(int* out, std::size_t n, const int* tile_prefixes,
                                  unsigned tile_log2) {
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    if (first >= n) return;
    const unsigned prefix = tile_prefixes[first >> tile_log2];
    unsigned item[4];
    load<4>(out, first, n, item);
    for (unsigned& value : item) value += prefix;
    store<4>(out, first, n, item);
}

constexpr unsigned kAddBlockSize = 256;

std::size_t tile_size(const Tuning& tuning) {
    return static_cast<std::size_t>(tuning.block_size) * tuning.items_per_thread;
}

/// The number of tiles of level 0, level 1 (the sums of level 0), and so on up to a single tile.
std::size_t tiles_of_all_levels(std::size_t n, const Tuning& tuning) {
    std::size_t all = 0;
    do {
        n = ceil_div(n, tile_size(tuning));
        all += n;
    } while (n > 1);
    return all;
}

void enqueue_add(int* out, std::size_t n, const int* tile_prefixes, const Tuning& tuning,
                 simt::stream_t stream) {
    simt::launch(add_tile_prefixes,
                 {blocks_for(ceil_div(n, 4), kAddBlockSize), kAddBlockSize, 0, stream}, out, n,
                 tile_prefixes, static_cast<unsigned>(std::countr_zero(tile_size(tuning))));
}

/// Scans tiles and, recursively, their sums; adds the prefixes of all levels except the lowest.
void enqueue_level(const int* in, int* out, std::size_t n, int* tile_sums, const Tuning& tuning,
                   simt::stream_t stream) {
    const unsigned tiles = blocks_for(n, tile_size(tuning));
    unsigned threads = static_cast<unsigned>(tuning.block_size);
    if (tiles == 1)  // the last level needs no more threads than it has elements
        threads =
            std::min<unsigned>(threads, std::bit_ceil(static_cast<unsigned>(std::max<std::size_t>(
                                            ceil_div(n, tuning.items_per_thread), 2))));
    const bool is_padded = tuning.padding == 1;
    const unsigned words = is_padded ? padded<1>(threads) : padded<0>(threads);
    const std::size_t shared_bytes = (words + 1) * sizeof(unsigned);
    dispatch<1, 2, 4, 8, 16>(tuning.items_per_thread, [&]<int Items>() {
        simt::launch(is_padded ? scan_tiles<Items> : scan_tiles_unpadded<Items>,
                     {tiles, threads, shared_bytes, stream}, in, out, n, tile_sums);
    });
    if (tiles == 1) return;
    int* const upper_sums = tile_sums + tiles;
    enqueue_level(tile_sums, tile_sums, tiles, upper_sums, tuning, stream);
    if (tiles > tile_size(tuning)) enqueue_add(tile_sums, tiles, upper_sums, tuning, stream);
}

}  // namespace

Scan::Scan(std::size_t n, const Tuning& tuning) : capacity_(n), tuning_(tuning) {
    require(kLegal, tuning);
    tile_sums_ = simt::DeviceArray<int>(tiles_of_all_levels(n, tuning));
}

std::size_t Scan::workspace_bytes(std::size_t n, const Tuning& tuning) {
    require_size(n);
    return tiles_of_all_levels(n, tuning) * sizeof(int);
}

Positions Scan::enqueue_tiles(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return {out};
    enqueue_level(in, out, n, tile_sums_.data(), tuning_, stream);
    if (n <= tile_size(tuning_)) return {out};
    return {out, tile_sums_.data(), static_cast<unsigned>(std::countr_zero(tile_size(tuning_)))};
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    const Positions positions = enqueue_tiles(in, out, n, stream);
    if (positions.tile_prefixes != nullptr)
        enqueue_add(out, n, positions.tile_prefixes, tuning_, stream);
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::efficient_plus
