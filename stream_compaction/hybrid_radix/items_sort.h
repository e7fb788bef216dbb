// A plan: its memory, and how many blocks a launch may have. Launches are in launch.h.
#pragma once

#include "simt/checked_size.h"
#include "simt/device.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/hybrid_radix/launch.h"
#include "stream_compaction/hybrid_radix/placement.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/parts/whole_keys.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Blocks of each kernel that a device holds at once. The kernels that read n on the device, and
/// those of other shapes, must take no more than the ones that are asked for here.
/// @param memory of the plan's lists
template <class Shape, class Offset>
ResidentBlocks resident_blocks(simt::DeviceArray<std::byte>& memory) {
    using Few = typename OfFew<Shape>::type;
    const auto multiprocessors = static_cast<unsigned>(simt::device_properties().multiprocessors);
    const unsigned partition =
        simt::resident_blocks(sort_by_one_partition<Few, false>, kThreads, kPartitionBytes<Few>);
    const auto [cluster, clusters] =
        onesweep::largest_clusters(sort_by_one_partition<Few, true>, kClusterBytes<Few>, 2);
    return {.multiprocessors = multiprocessors,
            .first_spread = find_first_spread<kThreads>(partition, kPartitionBytes<Few>,
                                                        multiprocessors, memory),
            .grid = std::min({simt::resident_blocks(sort_on_grid<Shape, Offset>, kThreads,
                                                    kGridBytes<Shape, Offset>),
                              simt::resident_blocks(sort_the_rest<Shape, Offset>, kThreads,
                                                    kGridBytes<Shape, Offset>)}),
            .partition = partition,
            .passes = resident_passes<Offset>(PassShapes<typename Shape::Passes, Offset>()),
            .cluster = cluster,
            .beside_cluster = cluster > 0 ? (clusters - 1) * cluster : 0};
}

template <class Shape>
Limits limits_of() {
    return {Shape::kBlockKeys, Shape::kBlockKeys};
}

/// Numbers of a plan's spare array, or of both.
template <class Value>
std::size_t spare_numbers(std::size_t n, const Limits& limits) {
    constexpr std::size_t kArrays = kHasValues<Value> ? 2 : 1;
    return n > limits.one_block ? kArrays * n : 0;
}

/// Bytes of a plan's lists. Large blocks' are the larger ones.
template <class Bits, class Value>
std::size_t lists_bytes(std::size_t n, const Limits& limits) {
    if (spare_numbers<Value>(n, limits) == 0) return 0;
    Work<LargeShape<Bits, Value>, unsigned> small;
    Work<LargeShape<Bits, Value>, unsigned long long> large;
    return is_large(n) ? lay_out(large, n, limits, nullptr) : lay_out(small, n, limits, nullptr);
}

/// A bucket of one key has nothing to partition, and a block has room for so many keys.
Limits require_legal(Limits limits, std::size_t most) {
    if (limits.one_block > most || limits.bucket < 2 || limits.bucket > most)
        throw std::invalid_argument("limits: given " + std::to_string(limits.one_block) +
                                    " keys for one block and " + std::to_string(limits.bucket) +
                                    " for a bucket, legal is at most " + std::to_string(most) +
                                    ", for a bucket from 2 up");
    return limits;
}

}  // namespace

template <class Bits, class Value>
Limits ItemsSort<Bits, Value>::default_limits() {
    return simt::unavailable_reason().has_value() ? limits_of<LargeShape<Bits, Value>>()
                                                  : default_limits(simt::device_properties());
}

template <class Bits, class Value>
Limits ItemsSort<Bits, Value>::default_limits(const simt::DeviceProperties& device) {
    Limits limits = with_shape<Bits, Value>(has_large_blocks<Bits, Value>(device),
                                            []<class Shape>(Shape) { return limits_of<Shape>(); });
    limits.ranked = onesweep::most_ranked(device.multiprocessors);
    limits.clustered = onesweep::kMostClustered;
    return limits;
}

template <class Bits, class Value>
std::size_t ItemsSort<Bits, Value>::workspace_bytes(std::size_t n, Limits limits) {
    require_legal(limits, LargeShape<Bits, Value>::kBlockKeys);
    Arrays arrays(nullptr);
    arrays.take<Number>(spare_numbers<Value>(n, limits));
    arrays.take<std::byte>(lists_bytes<Bits, Value>(n, limits));
    return arrays.bytes();
}

template <class Bits, class Value>
ItemsSort<Bits, Value>::ItemsSort(std::size_t n, KeyOrder order, const SortOptions& options,
                                  Limits limits)
    : capacity_(n),
      order_(order),
      has_large_blocks_(has_large_blocks<Bits, Value>(simt::device_properties())),
      limits_(require_legal(limits, most_keys_of_block<Bits, Value>(has_large_blocks_))) {
    require_whole_keys<Bits>("hybrid_radix", options);
    if (kHasValues<Value> && is_large(n))
        throw std::invalid_argument("hybrid_radix sorts at most 2147483648 pairs, not " +
                                    std::to_string(n));
    PlanMemory memory(options.memory, workspace_bytes(n, limits));
    spare_ = memory.take<Number>(spare_numbers<Value>(n, limits));
    lists_ = memory.take<std::byte>(lists_bytes<Bits, Value>(n, limits));
    if (lists_.size() == 0) return;
    resident_ = with_shape<Bits, Value>(has_large_blocks_, [&]<class Shape>(Shape) {
        if constexpr (!kHasValues<Value>)
            if (is_large(n)) return resident_blocks<Shape, unsigned long long>(lists_);
        return resident_blocks<Shape, unsigned>(lists_);
    });
    simt::fill_async(lists_.data(), 0, lists_.size());
    simt::synchronize();
}

template <class Bits, class Value>
void ItemsSort<Bits, Value>::enqueue(const Bits* in, Bits* out, const Value* values_in,
                                     Value* values_out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n > 0) run(in, out, values_in, values_out, n, HostSize(), stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
