// The kernels of PartitionedSort, and their launches.
#include "stream_compaction/hybrid_radix/partitioned.h"

#include "stream_compaction/hybrid_radix/bin_arrays.h"
#include "stream_compaction/hybrid_radix/launch.h"

#include <bit>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// The shared memory of a block that partitions into arrays: the tables follow the tile.
template <class Shape, unsigned kMost>
struct TableMemory {
    using Bits = typename Shape::Bits;
    using Tile = TileMemory<Shape, BinArrays<Shape, kMost>>;
    static constexpr std::size_t kBytes =
        Tile::kBytes + kMostBinArrays * sizeof(BinArray<Bits>) + (kMostSplits + 1) * sizeof(Bits);

    BinArray<Bits>* arrays =
        reinterpret_cast<BinArray<Bits>*>(simt::dynamic_shared<std::byte>() + Tile::kBytes);
    Bits* splits = reinterpret_cast<Bits*>(arrays + kMostBinArrays);
};

/// Stores each key in its bin's array.
template <class Shape, unsigned kMost>
__global__ void __launch_bounds__(kThreads, 2)
    partition_into_arrays(const __grid_constant__ Partition<Shape, BinArrays<Shape, kMost>> given,
                          unsigned n) {
    __shared__ Partition<Shape, BinArrays<Shape, kMost>> part;
    __shared__ unsigned ends[2];  // of the only segment
    const TableMemory<Shape, kMost> memory;
    for (unsigned i = threadIdx.x; i < given.target.bins; i += kThreads)
        memory.arrays[i] = given.target.arrays[i];
    for (unsigned i = threadIdx.x; i <= kMostSplits; i += kThreads)
        memory.splits[i] = given.target.splits[i];
    if (threadIdx.x == 0) {
        ends[0] = 0, ends[1] = n;
        part = given;
        part.begins = ends;
        part.target.arrays = memory.arrays;
        part.target.splits = memory.splits;
    }
    __syncthreads();
    move_tiles(part);
}

/// Sorts keys that are partitioned by a first digit: partitions each of its bins by the second
/// digit, and then sorts each bin of both digits in a block.
template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_segments_on_grid(const __grid_constant__ Job<Shape> job, unsigned segments, unsigned shift,
                          unsigned bits) {
    partition<Shape>(job, {.from = job.in,
                           .target = {job.out, job.begins, 0},
                           .map = job.map,
                           .enters = true,
                           .shift = shift,
                           .bits = bits,
                           .segments = segments,
                           .begins = job.begins,
                           .segment_stride_log2 = bits,
                           .taken = job.taken[1],
                           .tile = job.plan.tile,
                           .chunk = tiles_of_chunk(job.plan.n / job.plan.tile, gridDim.x)});
    sort_buckets(job, job.out, segments << bits, job.map);
}

constexpr unsigned kTwoRanks = 2;  ///< splits

}  // namespace

template <class Bits>
PartitionedSort<Bits>::PartitionedSort(KeyOrder order, std::size_t bins)
    : map_(order),
      has_large_blocks_(has_large_blocks<Bits, onesweep::NoValue>(simt::device_properties())),
      bins_(bins),
      arrays_(kMostBinArrays),
      splits_(kMostSplits + 1),
      begins_(bins + 1),
      taken_(bins + kMostBinArrays),
      progress_(1),
      arrays_on_host_(kMostBinArrays),
      splits_on_host_(kMostSplits + 1),
      begins_on_host_(bins + 1) {
    with_shape<Bits, onesweep::NoValue>(has_large_blocks_, [&]<class Shape>(Shape) {
        blocks_of_partition_ =
            std::min(simt::resident_blocks(partition_into_arrays<Shape, kTwoRanks>, kThreads,
                                           TableMemory<Shape, kTwoRanks>::kBytes),
                     simt::resident_blocks(partition_into_arrays<Shape, kMostSplits>, kThreads,
                                           TableMemory<Shape, kMostSplits>::kBytes));
        blocks_of_sort_ =
            simt::resident_blocks(sort_segments_on_grid<Shape>, kThreads, kGridBytes<Shape>);
    });
    simt::fill_async(progress_.data(), 0, sizeof(Progress));
    simt::synchronize();
}

template <class Bits>
std::size_t PartitionedSort<Bits>::workspace_bytes(std::size_t bins) {
    return kMostBinArrays * (sizeof(BinArray<Bits>) + sizeof(Taken)) +
           (kMostSplits + 1) * sizeof(Bits) + bins * (sizeof(unsigned) + sizeof(Taken)) +
           sizeof(unsigned) + sizeof(Progress);
}

template <class Bits>
std::size_t PartitionedSort<Bits>::most_of_bin() const {
    return with_shape<Bits, onesweep::NoValue>(
        has_large_blocks_, []<class Shape>(Shape) -> std::size_t { return Shape::kBlockKeys; });
}

template <class Bits>
void PartitionedSort<Bits>::enqueue_partition(const Bits* in, std::size_t n, unsigned digit_bits,
                                              unsigned splits, simt::stream_t stream) {
    if (n == 0) return;
    const unsigned bins = (1u << digit_bits) + splits;
    std::fill(splits_on_host_.data() + splits, splits_on_host_.data() + kMostSplits + 1,
              static_cast<Bits>(~Bits{0}));
    simt::copy_async(arrays_.data(), arrays_on_host_.data(), bins * sizeof(BinArray<Bits>), stream);
    simt::copy_async(splits_.data(), splits_on_host_.data(), (kMostSplits + 1) * sizeof(Bits),
                     stream);
    Taken* const taken = taken_.data() + bins_;
    simt::fill_async(taken, 0, bins * sizeof(Taken), stream);
    with_shape<Bits, onesweep::NoValue>(has_large_blocks_, [&]<class Shape>(Shape) {
        const Plan plan =
            plan_on_grid(n, thresholds_of<Shape>(), kRoomOf<Shape>, blocks_of_partition_);
        const auto launch = [&]<unsigned kMost>(std::integral_constant<unsigned, kMost>) {
            const Partition<Shape, BinArrays<Shape, kMost>> part{
                .from = in,
                .target = {arrays_.data(), bins, splits_.data(), std::bit_ceil(splits + 1) / 2},
                .map = map_,
                .enters = false,
                .shift = static_cast<unsigned>(8 * sizeof(Bits)) - digit_bits,
                .bits = digit_bits,
                .segments = 1,
                .begins = nullptr,
                .segment_stride_log2 = 0,
                .taken = taken,
                .tile = plan.tile,
                .chunk = 1};
            simt::launch(partition_into_arrays<Shape, kMost>,
                         {plan.blocks, kThreads, TableMemory<Shape, kMost>::kBytes, stream}, part,
                         static_cast<unsigned>(n));
        };
        if (splits <= kTwoRanks)
            launch(std::integral_constant<unsigned, kTwoRanks>());
        else
            launch(std::integral_constant<unsigned, kMostSplits>());
    });
}

template <class Bits>
void PartitionedSort<Bits>::enqueue_begins(unsigned segments, unsigned second_bits,
                                           simt::stream_t stream) {
    const std::size_t bins = std::size_t{segments} << second_bits;
    simt::copy_async(begins_.data(), begins_on_host_.data(), (bins + 1) * sizeof(unsigned), stream);
    simt::fill_async(taken_.data(), 0, bins * sizeof(Taken), stream);
    simt::fill_async(&progress_.data()->next_bucket, 0, sizeof(unsigned), stream);
}

template <class Bits>
void PartitionedSort<Bits>::enqueue(const Bits* from, Bits* out, std::size_t n, unsigned segments,
                                    unsigned shift, unsigned second_bits, simt::stream_t stream) {
    with_shape<Bits, onesweep::NoValue>(has_large_blocks_, [&]<class Shape>(Shape) {
        Job<Shape> job{};
        static_cast<KeyArrays<Bits>&>(job) = {from, out, nullptr};
        job.map = map_;
        job.plan = plan_on_grid(n, thresholds_of<Shape>(), kRoomOf<Shape>, blocks_of_sort_);
        job.progress = progress_.data();
        job.begins = begins_.data();
        job.taken[1] = taken_.data();
        simt::launch(sort_segments_on_grid<Shape>,
                     {job.plan.blocks, kThreads, kGridBytes<Shape>, stream, true}, job, segments,
                     shift, second_bits);
    });
}

template class PartitionedSort<unsigned>;
template class PartitionedSort<unsigned long long>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
