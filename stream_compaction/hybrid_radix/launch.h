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

/// Keys in a thread's registers, and counters of a block, for multiprocessors with 160 KB of shared
/// memory or more: compute capabilities 8.0, 9.0, 10.0.
template <class Bits>
using LargeShape = Shape<Bits, sizeof(Bits) == 4 ? 23 : 11, 13, 14, sizeof(Bits) == 4 ? 16 : 8, 10,
                         onesweep::LargeShape<Bits, onesweep::NoValue>>;
/// For 100 KB, and one block for the 64 KB of 7.5.
template <class Bits>
using SmallShape =
    Shape<Bits, sizeof(Bits) == 4 ? 13 : 7, sizeof(Bits) == 4 ? 12 : 11, 13,
          sizeof(Bits) == 4 ? 8 : 4, 9, onesweep::SmallShape<Bits, onesweep::NoValue>>;

template <class Shape, class Bits = typename Shape::Bits>
__global__ void __launch_bounds__(kThreads, 2)
    sort_in_one_block(const Bits* in, Bits* out, unsigned n, KeyMap<Bits> map) {
    if (threadIdx.x == 0) destination<Bits>(0) = {out, map};
    sort_block<Shape, true>(in, map, n, 0);
}

template <class Shape, class Bits = typename Shape::Bits>
__global__ void __launch_bounds__(kThreads, 2)
    sort_in_one_block_of_device_size(const Bits* in, Bits* out, unsigned capacity, DeviceSize size,
                                     KeyMap<Bits> map) {
    const auto n = static_cast<unsigned>(read_size(size, capacity));
    if (n == 0) return;
    if (threadIdx.x == 0) destination<Bits>(0) = {out, map};
    sort_block<Shape, true>(in, map, n, 0);
}

template <class Shape, class Offset>
constexpr std::size_t kPassBytes = onesweep::kPassBytes<typename Shape::Passes, Offset>;

template <class Shape, class Offset>
constexpr std::size_t kGridBytes =
    std::max({BlockMemory<Shape>::kBytes, TileMemory<Shape, Offset>::kBytes,
              SplitMemory<Shape, Offset>::kBytes, kPassBytes<Shape, Offset>,
              (std::size_t{1} << Shape::kMaxCountedBits) * sizeof(unsigned)});

template <class Shape>
constexpr std::size_t kPartitionBytes = std::max({TileMemory<Shape, unsigned>::kBytesWithBegins,
                                                  SplitMemory<Shape, unsigned>::kBytes,
                                                  kPassBytes<Shape, unsigned>});

/// Whether positions, and tiles that end behind the last key, need 64 bits.
bool is_large(std::size_t n) { return n > std::size_t{1} << 31; }

/// Calls f with the shape that suits the device, and is compiled for it.
template <class Bits, class F>
decltype(auto) with_shape(bool has_large_blocks, F f) {
    return has_large_blocks ? f(LargeShape<Bits>()) : f(SmallShape<Bits>());
}

/// The kernels are made for two blocks on a multiprocessor.
template <class Bits>
bool has_large_blocks(const simt::DeviceProperties& device) {
    return simt::has_shared_memory_for(device, 2, kGridBytes<LargeShape<Bits>, unsigned>);
}

template <class Bits>
std::size_t most_keys_of_block(bool has_large_blocks) {
    return with_shape<Bits>(has_large_blocks,
                            []<class Shape>(Shape) -> std::size_t { return Shape::kBlockKeys; });
}

}  // namespace

template <class Bits>
template <class Size>
void BitsSort<Bits>::run(const Bits* in, Bits* out, std::size_t n, Size size,
                         simt::stream_t stream) {
    constexpr bool kIsOnHost = std::is_same_v<Size, HostSize>;
    const KeyMap<Bits> map(order_);
    const auto count = static_cast<unsigned>(n);
    const auto make_work = [&]<class Shape, class Offset>(Shape, Offset) {
        Work<Shape, Offset> work{};
        lay_out(work, capacity_, limits_, lists_.data());
        work.in = in, work.out = out, work.spare = spare_.data();
        work.map = map;
        work.bucket = static_cast<unsigned>(limits_.bucket);
        work.uneven = limits_.uneven;
        work.passes.in = in, work.passes.out = out, work.passes.spare = spare_.data();
        return work;
    };
    const auto by_ranks = [&] {
        const simt::LaunchConfig config{blocks_for(n, onesweep::kRankedKeys), onesweep::kThreads, 0,
                                        stream};
        if constexpr (kIsOnHost)
            simt::launch(onesweep::rank_sort<Bits, onesweep::NoValue>, config, in, out, nullptr,
                         nullptr, count, map);
        else
            simt::launch(onesweep::rank_sort_of_device_size<Bits, onesweep::NoValue>, config, in,
                         out, nullptr, nullptr, count, size, map);
    };
    const auto in_one_block = [&]<class Shape>(Shape) {
        const simt::LaunchConfig config{1, kThreads, BlockMemory<Shape>::kBytes, stream};
        if constexpr (kIsOnHost)
            simt::launch(sort_in_one_block<Shape>, config, in, out, count, map);
        else
            simt::launch(sort_in_one_block_of_device_size<Shape>, config, in, out, count, size,
                         map);
    };
    const auto by_one_partition = [&]<class Shape>(Shape shape) {
        auto work = make_work(shape, count);
        const unsigned blocks = fit_one_partition(work, count, limits_, resident_.partition);
        const simt::LaunchConfig config{blocks, kThreads, kPartitionBytes<Shape>, stream, true};
        if constexpr (kIsOnHost)
            simt::launch(sort_by_one_partition<Shape>, config, work);
        else
            simt::launch(sort_by_one_partition<Shape, OnDevice>, config, work,
                         OnDevice{size, limits_});
    };
    const auto on_grid = [&]<class Shape, class Offset>(Shape shape, Offset most) {
        auto work = make_work(shape, most);
        const unsigned blocks = fit_grid(work, most, limits_, resident_.grid);
        const simt::LaunchConfig config{blocks, kThreads, kGridBytes<Shape, Offset>, stream, true};
        if constexpr (kIsOnHost) {
            simt::launch(sort_on_grid<Shape, Offset>, config, work);
            simt::launch(sort_the_rest<Shape, Offset>, config, work);
        } else {
            const OnDevice on_device{size, limits_};
            simt::launch(sort_on_grid<Shape, Offset, OnDevice>, config, work, on_device);
            simt::launch(sort_the_rest<Shape, Offset, OnDevice>, config, work, on_device);
        }
    };
    with_shape<Bits>(has_large_blocks_, [&]<class Shape>(Shape shape) {
        switch (choose_way(n, in == out, is_large(capacity_), limits_, room_of<Shape>(),
                           resident_.partition)) {
            case Way::by_ranks:
                return by_ranks();
            case Way::one_block:
                return in_one_block(shape);
            case Way::one_partition:
                return by_one_partition(shape);
            case Way::on_grid:
                if constexpr (kIsOnHost)
                    if (is_large(capacity_))
                        return on_grid(shape, static_cast<unsigned long long>(n));
                return on_grid(shape, count);
        }
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
