#include "stream_compaction/efficient.h"

#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"

#include <algorithm>
#include <bit>

namespace stream_compaction::inline SIMT_BACKEND::efficient {
namespace {

// A node of the tree covers 2 * width leaves. It is stored at the index of its last leaf, and its
// left child `width` positions before it. Leaves from n on count as 0: a node that covers only such
// leaves is never written and never read.

/// Up-sweep, one level, one thread per node: every node becomes the sum of its children. The lowest
/// level reads the leaves from `leaves` and copies them into the tree.
__global__ void sum_children(const int* leaves, int* tree, std::size_t n, std::size_t nodes,
                             std::size_t width) {
    const std::size_t node = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    const std::size_t left = (2 * node + 1) * width - 1;
    const std::size_t right = left + width;
    const bool has_right = left + 1 < n;
    if (width == 1) tree[left] = leaves[left];
    const int* const level = width == 1 ? leaves : tree;
    const unsigned sum = level[left];
    tree[right] = has_right ? sum + level[right] : sum;
}

/// Down-sweep, one level, one thread per node. A node holds the sum of all leaves before it, which
/// is also the value of its left child; the right child's value also includes the left child's sum.
/// The lowest level is the result.
__global__ void hand_down(int* tree, int* out, std::size_t n, std::size_t nodes,
                          std::size_t width) {
    const std::size_t node = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    const std::size_t left = (2 * node + 1) * width - 1;
    const std::size_t right = left + width;
    const unsigned before = nodes == 1 ? 0 : tree[right];  // no leaf is before the root
    const unsigned left_sum = tree[left];
    int* const level = width == 1 ? out : tree;
    level[left] = before;
    if (left + 1 < n) level[right] = before + left_sum;
}

std::size_t tree_size(std::size_t n) { return std::bit_ceil(std::max<std::size_t>(n, 2)); }

}  // namespace

Scan::Scan(std::size_t n, const Tuning& tuning) : capacity_(n) {
    require(kLegal, tuning);
    block_size_ = static_cast<unsigned>(tuning.block_size);
    tree_ = simt::DeviceArray<int>(tree_size(n));
}

std::size_t Scan::workspace_bytes(std::size_t n, const Tuning&) {
    require_size(n);
    return tree_size(n) * sizeof(int);
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return;
    const auto nodes_at = [n](std::size_t width) { return ceil_div(n, 2 * width); };
    const auto config = [&](std::size_t nodes) {
        return simt::LaunchConfig{blocks_for(nodes, block_size_), block_size_, 0, stream};
    };
    std::size_t root = 1;
    while (nodes_at(root) > 1) root *= 2;
    for (std::size_t width = 1; width <= root; width *= 2)
        simt::launch(sum_children, config(nodes_at(width)), in, tree_.data(), n, nodes_at(width),
                     width);
    for (std::size_t width = root; width > 0; width /= 2)
        simt::launch(hand_down, config(nodes_at(width)), tree_.data(), out, n, nodes_at(width),
                     width);
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::efficient
