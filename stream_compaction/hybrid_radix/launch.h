// A plan and its launches.
#pragma once

#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/hybrid_radix/even_in_registers.h"
#include "stream_compaction/hybrid_radix/even_on_grid.h"
#include "stream_compaction/hybrid_radix/few_values.h"
#include "stream_compaction/onesweep/cluster_sort.h"
#include "stream_compaction/onesweep/rank_sort.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/parts/whole_keys.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

template <class Shape>
constexpr Room kRoomOf{Shape::kBlockKeys, Shape::kTileKeys, Shape::kMaxBinBits};

template <class Shape>
constexpr std::size_t kGridBytes = std::max({BlockMemory<Shape>::kBytes, TileMemory<Shape>::kBytes,
                                             (std::size_t{1} << Shape::kMaxCountedBits) *
                                                 sizeof(unsigned)});

/// Whether two blocks of the large shape fit on a multiprocessor, as the kernels are compiled for.
/// A block on the grid needs most: 94,336 bytes for 32-bit keys, 90,240 for 64-bit keys and pairs.
template <class Bits, class Value>
bool has_large_blocks(const simt::DeviceProperties& device) {
    return simt::has_shared_memory_for(device, 2, kGridBytes<LargeShape<Bits, Value>>);
}

/// Calls f with the launch shape that suits the device and for which the kernels are compiled.
template <class Bits, class Value, class F>
decltype(auto) with_shape(bool has_large_blocks, F f) {
    return has_large_blocks ? f(LargeShape<Bits, Value>()) : f(SmallShape<Bits, Value>());
}

/// The begins of the parts of a plan's memory. The onesweep plan and this plan use the same
/// temporary arrays, because only one of the two sorts. If this plan leaves the keys to onesweep
/// after a partition, onesweep overwrites the partitioned keys and reads the input again.
template <class Bits, class Value>
struct Layout {
    using Number = NumberOf<Bits, Value>;
    std::size_t spare = 0, lists = 0, all = 0;
    std::size_t for_onesweep = 0;  ///< bytes of the onesweep plan, from the start

    Layout(std::size_t n, const Thresholds& thresholds)
        : spare(OnesweepOf<Bits, Value>::bytes_before_spare(n)),
          for_onesweep(OnesweepOf<Bits, Value>::workspace_bytes(n)) {
        constexpr std::size_t kMost = std::size_t{1} << 31;
        Arrays arrays(nullptr);
        arrays.take<std::byte>(for_onesweep);
        if (n > thresholds.few) {
            const std::size_t ours = std::min(n, kMost);
            Arrays own(nullptr);
            own.take<std::byte>(spare);
            own.take<Number>(kHasValues<Value> ? 2 * ours : ours);
            arrays = Arrays(nullptr);
            arrays.take<std::byte>(std::max(for_onesweep, own.bytes()));
            lists = arrays.bytes();
            Job<LargeShape<Bits, Value>> job;  // its lists are at least as long as SmallShape's
            arrays.take<std::byte>(lay_out(job, ours, thresholds, nullptr));
        }
        all = arrays.bytes();
    }
};

template <class Shape>
Thresholds thresholds_of() {
    return {.few = 0, .bucket = Shape::kBlockKeys};
}

inline Thresholds require_legal(Thresholds thresholds, std::size_t most) {
    if (thresholds.bucket < 2 || thresholds.bucket > most)
        throw std::invalid_argument("thresholds: given " + std::to_string(thresholds.bucket) +
                                    " keys for a bucket, expected from 2 to " +
                                    std::to_string(most));
    return thresholds;
}

}  // namespace

template <class Bits, class Value>
Thresholds ItemsSort<Bits, Value>::default_thresholds() {
    return simt::unavailable_reason().has_value() ? thresholds_of<LargeShape<Bits, Value>>()
                                                  : default_thresholds(simt::device_properties());
}

template <class Bits, class Value>
Thresholds ItemsSort<Bits, Value>::default_thresholds(const simt::DeviceProperties& device) {
    Thresholds thresholds =
        with_shape<Bits, Value>(has_large_blocks<Bits, Value>(device),
                                []<class Shape>(Shape) { return thresholds_of<Shape>(); });
    thresholds.few = onesweep::most_ranked(device.multiprocessors);
    thresholds.clustered = onesweep::kMostClustered;
    return thresholds;
}

template <class Bits, class Value>
std::size_t ItemsSort<Bits, Value>::workspace_bytes(std::size_t n, Thresholds thresholds) {
    require_size(n);
    require_legal(thresholds, LargeShape<Bits, Value>::kBlockKeys);
    return Layout<Bits, Value>(n, thresholds).all;
}

template <class Bits, class Value>
ItemsSort<Bits, Value>::ItemsSort(std::size_t n, KeyOrder order, const SortOptions& options,
                                  Thresholds thresholds)
    : capacity_(n),
      order_(order),
      has_large_blocks_(has_large_blocks<Bits, Value>(simt::device_properties())),
      thresholds_(require_legal(
          thresholds, with_shape<Bits, Value>(
                          has_large_blocks_,
                          []<class Shape>(Shape) -> std::size_t { return Shape::kBlockKeys; }))),
      memory_(PlanMemory(options.memory, workspace_bytes(n, thresholds))
                  .template take<std::byte>(workspace_bytes(n, thresholds))),
      onesweep_(n, order,
                {.memory = {memory_.data(), Layout<Bits, Value>(n, thresholds).for_onesweep}},
                {.ranked = thresholds.few, .clustered = thresholds.clustered}) {
    require_whole_keys<Bits>("hybrid_radix", options);
    if (n <= thresholds.few) return;
    with_shape<Bits, Value>(has_large_blocks_, [&]<class Shape>(Shape) {
        blocks_in_registers_ = simt::resident_blocks(sort_even_in_registers<Shape>, kThreads,
                                                     RegisterMemory<Shape>::kBytes);
        blocks_on_grid_ =
            simt::resident_blocks(sort_even_on_grid<Shape>, kThreads, kGridBytes<Shape>);
        if constexpr (!kHasValues<Value>)
            blocks_on_grid_ = std::min(
                blocks_on_grid_,
                simt::resident_blocks(count_few_values<Shape>, kThreads, kGridBytes<Shape>));
    });
    const std::size_t lists = Layout<Bits, Value>(n, thresholds).lists;
    simt::fill_async(memory_.data() + lists, 0, memory_.size() - lists);
    simt::synchronize();
}

template <class Bits, class Value>
void ItemsSort<Bits, Value>::enqueue(const Bits* in, Bits* out, const Value* values_in,
                                     Value* values_out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart(in, out, values_in, values_out, n);
    if (n == 0) return;
    with_shape<Bits, Value>(has_large_blocks_, [&]<class Shape>(Shape) {
        const Way way = choose_way(n, thresholds_, kRoomOf<Shape>, blocks_in_registers_);
        if (way == Way::onesweep)
            return onesweep_.enqueue(in, out, values_in, values_out, n, stream);

        using Number = typename Shape::Bits;
        const Layout<Bits, Value> layout(capacity_, thresholds_);
        auto* const spare = reinterpret_cast<Number*>(memory_.data() + layout.spare);
        Job<Shape> job{};
        lay_out(job, std::min<std::size_t>(capacity_, std::size_t{1} << 31), thresholds_,
                memory_.data() + layout.lists);
        if constexpr (kHasValues<Value>)
            static_cast<PairArrays&>(job) = {
                {in, values_in, 0}, {out, values_out}, spare, spare + n};
        else
            static_cast<KeyArrays<Bits>&>(job) = {in, out, spare};
        job.map = Shape::ItemArrays::map_of(order_);
        if (way == Way::in_registers) {
            job.plan = plan_in_registers(n, thresholds_, kRoomOf<Shape>, blocks_in_registers_);
            const simt::LaunchConfig config{job.plan.blocks, kThreads,
                                            RegisterMemory<Shape>::kBytes, stream, true};
            simt::launch(sort_even_in_registers<Shape>, config, job);
        } else {
            job.plan = plan_on_grid(n, thresholds_, kRoomOf<Shape>, blocks_on_grid_);
            const simt::LaunchConfig config{job.plan.blocks, kThreads, kGridBytes<Shape>, stream,
                                            true};
            simt::launch(sort_even_on_grid<Shape>, config, job);
            if constexpr (!kHasValues<Value>) simt::launch(count_few_values<Shape>, config, job);
        }
        onesweep_.enqueue_if(&job.progress->for_onesweep, in, out, values_in, values_out, n,
                             stream);
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
