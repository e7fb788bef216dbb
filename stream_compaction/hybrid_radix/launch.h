// The launches: the kernels, with the shapes that their blocks have, and which of them n keys take.
#pragma once

#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix/lists.h"
#include "stream_compaction/hybrid_radix/sort_by_one_partition.h"
#include "stream_compaction/hybrid_radix/sort_on_grid.h"
#include "stream_compaction/onesweep/rank_sort.h"
#include "stream_compaction/parts/size_on_device.h"

#include <algorithm>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Of pairs, smaller tiles than onesweep's own: so our blocks take no more than for 64-bit keys.
template <class Bits, class Value>
using LargePasses = std::conditional_t<kHasValues<Value>, onesweep::Shape<Bits, Value, 8, 2, 16384>,
                                       onesweep::LargeShape<Bits, Value>>;

/// The same shape with passes for few keys, for one partition.
template <class Shape>
struct OfFew {
    using type = Shape;
};
template <class Bits, unsigned kItems, unsigned kBucketBits, unsigned kCountedBits,
          unsigned kSplitItems, unsigned kClassBits, class Arrays>
struct OfFew<Shape<Bits, kItems, kBucketBits, kCountedBits, kSplitItems, kClassBits,
                   onesweep::LargeShape<Bits, onesweep::NoValue>, Arrays>> {
    using type = Shape<Bits, kItems, kBucketBits, kCountedBits, kSplitItems, kClassBits,
                       typename onesweep::LargeShapes<Bits, onesweep::NoValue>::Fewest, Arrays>;
};

/// Keys in a thread's registers, and counters of a block, for multiprocessors with 160 KB of shared
/// memory or more: compute capabilities 8.0, 9.0, 10.0.
template <class Bits, class Value = onesweep::NoValue, class Number = NumberOf<Bits, Value>>
using LargeShape =
    Shape<Number, sizeof(Number) == 4 ? 23 : 11, 13, 14, sizeof(Number) == 4 ? 16 : 8, 10,
          LargePasses<Bits, Value>, ItemArrays<Bits, Value>>;
/// For 100 KB, and one block for the 64 KB of 7.5.
template <class Bits, class Value = onesweep::NoValue, class Number = NumberOf<Bits, Value>>
using SmallShape = Shape<Number, sizeof(Number) == 4 ? 13 : 7, sizeof(Number) == 4 ? 12 : 11, 13,
                         sizeof(Number) == 4 ? 8 : 4, 9, onesweep::SmallShape<Bits, Value>,
                         ItemArrays<Bits, Value>>;

template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_in_one_block(typename Shape::In in, typename Shape::Out out, unsigned n,
                      KeyMap<typename Shape::Bits> map) {
    if (threadIdx.x == 0) destination<Shape>(0) = {out, map};
    block_sort<Shape, true, typename Shape::In>(in, map, n, 0);
}

template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_in_one_block_of_device_size(typename Shape::In in, typename Shape::Out out,
                                     unsigned capacity, DeviceSize size,
                                     KeyMap<typename Shape::Bits> map) {
    const auto n = static_cast<unsigned>(read_size(size, capacity));
    if (n == 0) return;
    if (threadIdx.x == 0) destination<Shape>(0) = {out, map};
    block_sort<Shape, true, typename Shape::In>(in, map, n, 0);
}

template <class Shape, class Offset>
constexpr std::size_t kPassBytes = onesweep::kPassBytes<typename Shape::Passes, Offset>;

template <class Shape, class Offset>
constexpr std::size_t kGridBytes =
    std::max({BlockMemory<Shape>::kBytes, TileMemory<Shape, Offset>::kBytes,
              SplitMemory<Shape, Offset>::kBytes,
              (std::size_t{1} << Shape::kMaxCountedBits) * sizeof(unsigned)});

template <class Shape>
constexpr std::size_t kPartitionBytes = std::max({TileMemory<Shape, unsigned>::kBytesWithBegins,
                                                  SplitMemory<Shape, unsigned>::kBytes,
                                                  SampledSplitters<Shape>::kBytes,
                                                  kPassBytes<Shape, unsigned>});

/// The same, where a cluster sorts uneven keys.
template <class Shape>
constexpr std::size_t kClusterBytes = std::max(
    kPartitionBytes<Shape>,
    onesweep::ClusterMemory<typename Shape::Passes::Bits, typename Shape::Passes::Value>::kBytes);

/// Whether positions, and tiles that end behind the last key, need 64 bits.
bool is_large(std::size_t n) { return n > std::size_t{1} << 31; }

/// Calls f with the shape that suits the device, and is compiled for it.
template <class Bits, class Value, class F>
decltype(auto) with_shape(bool has_large_blocks, F f) {
    return has_large_blocks ? f(LargeShape<Bits, Value>()) : f(SmallShape<Bits, Value>());
}

/// The kernels are made for two blocks on a multiprocessor. (On 8.0 one alone of some fits: "Two
/// shapes", in notes.md.)
template <class Bits, class Value>
bool has_large_blocks(const simt::DeviceProperties& device) {
    return simt::has_shared_memory_for(device, 2, kGridBytes<LargeShape<Bits, Value>, unsigned>);
}

/// Blocks of sort_by_passes_if_left that a device holds at once, of each shape at least.
template <class Offset, class... Passes>
unsigned resident_passes(onesweep::ShapeList<Passes...>) {
    return std::min({simt::resident_blocks(sort_by_passes_if_left<Passes, Offset>, kThreads,
                                           onesweep::kPassBytes<Passes, Offset>)...});
}

/// Launches sort_by_passes_if_left, in the shape that suits n.
/// @param map  of the keys that are compared
/// @param size HostSize, or DeviceSize: then there are n at most
template <class Passes, class Offset, class Size>
void launch_passes_if_left(
    const onesweep::JobOfItems<typename Passes::Bits, typename Passes::Value, Offset>& items,
    std::size_t n, unsigned resident, KeyMap<typename Passes::Bits> map, Progress* progress,
    Size size, simt::stream_t stream) {
    onesweep::with_shape_for(PassShapes<Passes, Offset>(), n, resident, [&]<class Chosen>(Chosen) {
        onesweep::Job<Chosen, Offset> job{items};
        job.first_spread = 0;  // all blocks have tiles
        job.choose_tiles(resident);
        const simt::LaunchConfig config{job.blocks, kThreads, onesweep::kPassBytes<Chosen, Offset>,
                                        stream, true};
        if constexpr (std::is_same_v<Size, HostSize>)
            simt::launch(sort_by_passes_if_left<Chosen, Offset>, config, job, map, progress);
        else
            simt::launch(sort_by_passes_if_left<Chosen, Offset, DeviceSize>, config, job, map,
                         progress, size);
    });
}

template <class Bits, class Value>
std::size_t most_keys_of_block(bool has_large_blocks) {
    return with_shape<Bits, Value>(
        has_large_blocks, []<class Shape>(Shape) -> std::size_t { return Shape::kBlockKeys; });
}

}  // namespace

template <class Bits, class Value>
template <class Size>
void ItemsSort<Bits, Value>::run(const Bits* in, Bits* out, const Value* values_in,
                                 Value* values_out, std::size_t n, Size size,
                                 simt::stream_t stream) {
    constexpr bool kIsOnHost = std::is_same_v<Size, HostSize>;
    using Arrays = ItemArrays<Bits, Value>;
    const Arrays arrays = [&]() -> Arrays {
        if constexpr (kHasValues<Value>)
            return {{in, values_in, 0},
                    {out, values_out},
                    spare_.data(),
                    spare_.data() + spare_.size() / 2};
        else
            return {in, out, spare_.data()};
    }();
    const auto map = Arrays::map_of(order_);
    const auto count = static_cast<unsigned>(n);
    const auto make_work = [&]<class Shape, class Offset>(Shape, Offset) {
        Work<Shape, Offset> work{};
        lay_out(work, capacity_, limits_, lists_.data());
        static_cast<Arrays&>(work) = arrays;
        work.map = map;
        work.uneven = limits_.uneven;
        auto& passes = work.planned.passes;
        passes.in = in, passes.out = out;
        passes.multiprocessors = resident_.multiprocessors;
        passes.spare = reinterpret_cast<Bits*>(spare_.data());
        if constexpr (kHasValues<Value>) {
            passes.values_in = values_in, passes.values_out = values_out;
            passes.values_spare = passes.spare + n;
        }
        return work;
    };
    const auto by_ranks = [&] {
        const simt::LaunchConfig config{blocks_for(n, onesweep::kRankedKeys), onesweep::kThreads, 0,
                                        stream};
        const KeyMap<Bits> map_of_keys(order_);
        if constexpr (kIsOnHost)
            simt::launch(onesweep::rank_sort<Bits, Value>, config, in, out, values_in, values_out,
                         count, map_of_keys);
        else
            simt::launch(onesweep::rank_sort_of_device_size<Bits, Value>, config, in, out,
                         values_in, values_out, count, size, map_of_keys);
    };
    const auto in_one_block = [&]<class Shape>(Shape) {
        const simt::LaunchConfig config{1, kThreads, BlockMemory<Shape>::kBytes, stream};
        if constexpr (kIsOnHost)
            simt::launch(sort_in_one_block<Shape>, config, arrays.in, arrays.out, count, map);
        else
            simt::launch(sort_in_one_block_of_device_size<Shape>, config, arrays.in, arrays.out,
                         count, size, map);
    };
    const auto passes_if_left = [&]<class Shape, class Offset>(const Work<Shape, Offset>& work) {
        launch_passes_if_left<typename Shape::Passes, Offset>(
            work.planned.passes, n, resident_.passes, Arrays::map_of_passes(map), work.progress,
            size, stream);
    };
    const auto partition_once = [&]<class Shape, bool kMayCluster>(
                                    Shape shape, std::bool_constant<kMayCluster>) {
        auto work = make_work(shape, count);
        auto& fit = work.planned;
        fit.passes.first_spread = resident_.first_spread;
        if (kMayCluster && n <= limits_.clustered)
            work.cluster =
                onesweep::cluster_for<typename Shape::Passes::Bits, typename Shape::Passes::Value>(
                    n, resident_.cluster);
        unsigned blocks = 0;
        if (work.cluster > 0) {
            blocks = fit_one_partition(fit, count, limits_, resident_.beside_cluster, work.cluster);
            // So few keys that blocks have none, or more than the blocks have room for.
            if (blocks % work.cluster != 0 || fit.tile > Shape::kBlockKeys) work.cluster = 0;
        }
        if (work.cluster == 0)
            blocks = fit_one_partition(fit, count, limits_, resident_.partition, 0);
        // Where passes are for few digits alone, or a cluster sorts, that is not worth a launch.
        work.leaves_passes =
            work.cluster == 0 && fit.rare_for_passes > 0 && fit.rare_for_passes < kSamples;
        // To divide them once is hardly ever sooner, even if nearly all are equal.
        work.leaves_at_once = work.leaves_passes && kHasPassesForFew<typename Shape::Passes> &&
                              fit.tile <= Shape::kSplitTile;
        simt::LaunchConfig config{blocks + work.cluster, kThreads, kPartitionBytes<Shape>, stream,
                                  true};
        if (work.cluster > 0) {
            config.shared_bytes = kClusterBytes<Shape>;
            config.cluster = work.cluster;
        }
        if constexpr (kIsOnHost) {
            void (*kernel)(Work<Shape, unsigned>) = sort_by_one_partition<Shape, false>;
            if (work.cluster > 0) kernel = sort_by_one_partition<Shape, kMayCluster>;
            simt::launch(kernel, config, work);
        } else {
            void (*kernel)(Work<Shape, unsigned>, OnDevice) = sort_by_one_partition<Shape, false>;
            if (work.cluster > 0) kernel = sort_by_one_partition<Shape, kMayCluster>;
            simt::launch(kernel, config, work, OnDevice{size, limits_});
        }
        if (work.leaves_passes) passes_if_left(work);
    };
    const auto by_one_partition = [&]<class Shape>(Shape shape) {
        using Few = typename OfFew<Shape>::type;
        if constexpr (!std::is_same_v<Few, Shape>)
            if (!Few::Passes::is_for(n, resident_.partition))
                return partition_once(shape, std::false_type());
        partition_once(Few(), std::true_type());
    };
    const auto on_grid = [&]<class Shape, class Offset>(Shape shape, Offset most) {
        auto work = make_work(shape, most);
        const unsigned blocks = fit_grid(work.planned, most, limits_, resident_.grid);
        const simt::LaunchConfig config{blocks, kThreads, kGridBytes<Shape, Offset>, stream, true};
        if constexpr (kIsOnHost) {
            simt::launch(sort_on_grid<Shape, Offset>, config, work);
            simt::launch(sort_the_rest<Shape, Offset>, config, work);
        } else {
            const OnDevice on_device{size, limits_};
            simt::launch(sort_on_grid<Shape, Offset, OnDevice>, config, work, on_device);
            simt::launch(sort_the_rest<Shape, Offset, OnDevice>, config, work, on_device);
        }
        passes_if_left(work);
    };
    const bool is_in_place = in == out || (kHasValues<Value> && values_in == values_out);
    with_shape<Bits, Value>(has_large_blocks_, [&]<class Shape>(Shape shape) {
        switch (choose_way(n, is_in_place, is_large(capacity_), limits_, room_of<Shape>(),
                           resident_.partition)) {
            case Way::by_ranks:
                return by_ranks();
            case Way::one_block:
                return in_one_block(shape);
            case Way::one_partition:
                return by_one_partition(shape);
            case Way::on_grid:
                if constexpr (kIsOnHost && !kHasValues<Value>)
                    if (is_large(capacity_))
                        return on_grid(shape, static_cast<unsigned long long>(n));
                return on_grid(shape, count);
        }
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
