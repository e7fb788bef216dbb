#include "stream_compaction/hybrid_radix.h"

#include "simt/checked_size.h"
#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix/lists.h"
#include "stream_compaction/hybrid_radix/sort_by_one_partition.h"
#include "stream_compaction/hybrid_radix/sort_on_grid.h"
#include "stream_compaction/onesweep/rank_sort.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/parts/whole_keys.h"

#include <algorithm>
#include <bit>

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

/// Blocks of each kernel that a device holds at once.
template <class Shape, class Offset>
ResidentBlocks resident_blocks() {
    return {.grid = std::min(simt::resident_blocks(sort_on_grid<Shape, Offset>, kThreads,
                                                   kGridBytes<Shape, Offset>),
                             simt::resident_blocks(sort_the_rest<Shape, Offset>, kThreads,
                                                   kGridBytes<Shape, Offset>)),
            .partition = simt::resident_blocks(sort_by_one_partition<Shape>, kThreads,
                                               kPartitionBytes<Shape>)};
}

template <class Shape>
constexpr BlockRoom kRoom = {Shape::kBlockKeys, Shape::kSplitTile, kMaxHistogramBits<Shape>};

/// Partitions once, from registers.
template <class Shape>
void launch_one_partition(Work<Shape, unsigned> work, unsigned resident, const Limits& limits,
                          simt::stream_t stream) {
    const PartitionPlan plan = plan_one_partition(work.n, limits, kRoom<Shape>, resident);
    work.tile = plan.tile;
    work.split_tile = split_tile(work.n, plan.blocks, kRoom<Shape>);
    work.digit_bits[0] = plan.digit_bits;
    work.countable_bits = plan.countable_bits;
    work.frequent = plan.frequent;
    // Divided once, from registers, they are sorted sooner than by passes, whatever a sample says.
    if (plan.tile <= Shape::kSplitTile && limits.uneven_way == UnevenWay::sooner)
        work.costs = uneven_costs(work.n, sizeof(typename Shape::Bits), UnevenWay::splitters);
    work.passes.choose_tiles(plan.blocks);
    simt::launch(sort_by_one_partition<Shape>,
                 {plan.blocks, kThreads, kPartitionBytes<Shape>, stream, true}, work);
}

/// Partitions as often as it takes.
template <class Shape, class Offset>
void launch_on_grid(Work<Shape, Offset> work, const ResidentBlocks& resident, const Limits& limits,
                    simt::stream_t stream) {
    const GridPlan plan = plan_on_grid(work.n, limits, kRoom<Shape>, resident.grid);
    work.window_bits = window_bits(work.n, limits.bucket);
    work.tile = plan.tile;
    work.split_tile = split_tile(work.n, plan.blocks, kRoom<Shape>);
    work.digit_bits[0] = plan.digit_bits[0], work.digit_bits[1] = plan.digit_bits[1];
    work.is_split_again = plan.is_split_again;
    work.passes.choose_tiles(plan.blocks);
    simt::launch(sort_on_grid<Shape, Offset>,
                 {plan.blocks, kThreads, kGridBytes<Shape, Offset>, stream, true}, work);
    simt::launch(sort_the_rest<Shape, Offset>,
                 {plan.blocks, kThreads, kGridBytes<Shape, Offset>, stream, true}, work);
}

template <class Shape>
Limits limits_of() {
    return {Shape::kBlockKeys, Shape::kBlockKeys};
}

/// Keys of a plan's second array.
std::size_t spare_keys(std::size_t n, const Limits& limits) { return n > limits.one_block ? n : 0; }

/// Bytes of a plan's lists. Large blocks' are the larger ones.
template <class Bits>
std::size_t lists_bytes(std::size_t n, const Limits& limits) {
    if (spare_keys(n, limits) == 0) return 0;
    Work<LargeShape<Bits>, unsigned> small;
    Work<LargeShape<Bits>, unsigned long long> large;
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

template <class Bits>
Limits BitsSort<Bits>::default_limits() {
    return simt::unavailable_reason().has_value() ? limits_of<LargeShape<Bits>>()
                                                  : default_limits(simt::device_properties());
}

template <class Bits>
Limits BitsSort<Bits>::default_limits(const simt::DeviceProperties& device) {
    Limits limits = with_shape<Bits>(has_large_blocks<Bits>(device),
                                     []<class Shape>(Shape) { return limits_of<Shape>(); });
    limits.ranked = most_ranked(device.multiprocessors);
    return limits;
}

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n, Limits limits) {
    require_legal(limits, LargeShape<Bits>::kBlockKeys);
    Arrays arrays(nullptr);
    arrays.take<Bits>(spare_keys(n, limits));
    arrays.take<std::byte>(lists_bytes<Bits>(n, limits));
    return arrays.bytes();
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, KeyOrder order, const SortOptions& options, Limits limits)
    : capacity_(n),
      order_(order),
      has_large_blocks_(has_large_blocks<Bits>(simt::device_properties())),
      limits_(require_legal(limits, most_keys_of_block<Bits>(has_large_blocks_))) {
    require_whole_keys<Bits>("hybrid_radix", options);
    PlanMemory memory(options.memory, workspace_bytes(n, limits));
    spare_ = memory.take<Bits>(spare_keys(n, limits));
    lists_ = memory.take<std::byte>(lists_bytes<Bits>(n, limits));
    if (lists_.size() == 0) return;
    simt::fill_async(lists_.data(), 0, lists_.size());
    simt::synchronize();
    resident_ = with_shape<Bits>(has_large_blocks_, [&]<class Shape>(Shape) {
        return is_large(n) ? resident_blocks<Shape, unsigned long long>()
                           : resident_blocks<Shape, unsigned>();
    });
}

template <class Bits>
void BitsSort<Bits>::enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n == 0) return;
    const auto make_work = [&]<class Shape, class Offset>(Shape, Offset size) {
        Work<Shape, Offset> work{};
        lay_out(work, capacity_, limits_, lists_.data());
        work.in = in, work.out = out, work.spare = spare_.data();
        work.n = size;
        work.map = KeyMap<Bits>(order_);
        work.bucket = static_cast<unsigned>(limits_.bucket);
        work.uneven = limits_.uneven;
        work.costs = uneven_costs(n, sizeof(Bits), limits_.uneven_way);
        work.passes.in = in, work.passes.out = out, work.passes.spare = spare_.data();
        work.passes.n = size;
        return work;
    };
    with_shape<Bits>(has_large_blocks_, [&]<class Shape>(Shape shape) {
        switch (choose_way(n, in == out, is_large(capacity_), limits_, kRoom<Shape>,
                           resident_.partition)) {
            case Way::by_ranks:
                simt::launch(onesweep::rank_sort<Bits, onesweep::NoValue>,
                             {blocks_for(n, onesweep::kRankedKeys), onesweep::kThreads, 0, stream},
                             in, out, nullptr, nullptr, static_cast<unsigned>(n),
                             KeyMap<Bits>(order_));
                break;
            case Way::one_block:
                simt::launch(sort_in_one_block<Shape>,
                             {1, kThreads, BlockMemory<Shape>::kBytes, stream}, in, out,
                             static_cast<unsigned>(n), KeyMap<Bits>(order_));
                break;
            case Way::one_partition:
                launch_one_partition(make_work(shape, static_cast<unsigned>(n)),
                                     resident_.partition, limits_, stream);
                break;
            case Way::on_grid:
                if (is_large(capacity_))
                    launch_on_grid(make_work(shape, static_cast<unsigned long long>(n)), resident_,
                                   limits_, stream);
                else
                    launch_on_grid(make_work(shape, static_cast<unsigned>(n)), resident_, limits_,
                                   stream);
                break;
        }
    });
}

template class BitsSort<unsigned>;
template class BitsSort<unsigned long long>;

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<int>>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
