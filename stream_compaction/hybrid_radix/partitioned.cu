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
        Tile::kBytes + Shape::kMaxBins * sizeof(BinArray<Bits>) + (kMostSplits + 1) * sizeof(Bits);

    BinArray<Bits>* arrays =
        reinterpret_cast<BinArray<Bits>*>(simt::dynamic_shared<std::byte>() + Tile::kBytes);
    Bits* splits = reinterpret_cast<Bits*>(arrays + Shape::kMaxBins);
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

/// Sorts keys that are partitioned by a first digit: counts the second digit, partitions each
/// segment by it, and then sorts each bin of both digits in a block.
template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_segments_on_grid(const __grid_constant__ Job<Shape> job, unsigned segments,
                          unsigned low_bits, unsigned bits) {
    using Bits = typename Shape::Bits;
    const unsigned shift = low_bits - bits;
    const KeyMap<Bits> map = job.map;
    if (!count_and_scan_second_digit(job, job.in, segments, bits, shift,
                                     [=](Bits key) { return map.number(key); }))
        return;
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
constexpr std::size_t kMostSegments = kMostBinArrays / 2,
                      kMostBins = kMostSegments * kMostBinArrays;

}  // namespace

template <class Bits>
PartitionedSort<Bits>::PartitionedSort(KeyOrder order)
    : map_(order),
      has_large_blocks_(has_large_blocks<Bits, onesweep::NoValue>(simt::device_properties())),
      arrays_(kMostBinArrays),
      splits_(kMostSplits + 1),
      first_begins_(kMostSegments + 1),
      begins_(kMostBins + 1),
      histogram_(kMostBins),
      taken_of_arrays_(kMostBinArrays),
      taken_(kMostBins),
      progress_(1),
      arrays_on_host_(kMostBinArrays),
      splits_on_host_(kMostSplits + 1),
      begins_on_host_(kMostSegments + 1),
      for_onesweep_(1) {
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
    simt::fill_async(histogram_.data(), 0, kMostBins * sizeof(unsigned));
    simt::synchronize();
}

template <class Bits>
std::size_t PartitionedSort<Bits>::workspace_bytes() {
    return kMostBinArrays * (sizeof(BinArray<Bits>) + sizeof(Taken)) +
           (kMostSplits + 1) * sizeof(Bits) + (kMostSegments + kMostBins + 2) * sizeof(unsigned) +
           kMostBins * (sizeof(unsigned) + sizeof(Taken)) + sizeof(Progress);
}

template <class Bits>
unsigned PartitionedSort<Bits>::array_bits() const {
    return with_shape<Bits, onesweep::NoValue>(
        has_large_blocks_, []<class Shape>(Shape) { return Shape::kMaxBinBits; });
}

template <class Bits>
unsigned PartitionedSort<Bits>::second_bits(std::size_t largest) const {
    constexpr unsigned kLeastBits = 2;  // blocks zero counters by four
    return with_shape<Bits, onesweep::NoValue>(has_large_blocks_, [=]<class Shape>(Shape) {
        const unsigned bits =
            std::max(kLeastBits, bit_width(buckets_of(largest, Shape::kBlockKeys, kPercentOnGrid)));
        return bits <= Shape::kMaxBinBits ? bits : 0;
    });
}

template <class Bits>
void PartitionedSort<Bits>::enqueue_partition(const Bits* in, std::size_t n, Bits base,
                                              unsigned low_bits, unsigned digit_bits,
                                              unsigned splits, simt::stream_t stream) {
    if (n == 0) return;
    const unsigned bins = (1u << digit_bits) + splits;
    KeyMap<Bits> map = map_;
    map.base = base;
    std::fill(splits_on_host_.data() + splits, splits_on_host_.data() + kMostSplits + 1,
              static_cast<Bits>(~Bits{0}));
    simt::copy_async(arrays_.data(), arrays_on_host_.data(), bins * sizeof(BinArray<Bits>), stream);
    simt::copy_async(splits_.data(), splits_on_host_.data(), (kMostSplits + 1) * sizeof(Bits),
                     stream);
    simt::fill_async(taken_of_arrays_.data(), 0, bins * sizeof(Taken), stream);
    with_shape<Bits, onesweep::NoValue>(has_large_blocks_, [&]<class Shape>(Shape) {
        const Plan plan =
            plan_on_grid(n, thresholds_of<Shape>(), kRoomOf<Shape>, blocks_of_partition_);
        const auto launch = [&]<unsigned kMost>(std::integral_constant<unsigned, kMost>) {
            const Partition<Shape, BinArrays<Shape, kMost>> part{
                .from = in,
                .target = {arrays_.data(), bins, splits_.data(), std::bit_ceil(splits + 1) / 2},
                .map = map,
                .enters = false,
                .shift = low_bits,
                .bits = digit_bits,
                .segments = 1,
                .begins = nullptr,
                .segment_stride_log2 = 0,
                .taken = taken_of_arrays_.data(),
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
void PartitionedSort<Bits>::enqueue(const Bits* from, Bits* out, std::size_t n, unsigned segments,
                                    unsigned low_bits, unsigned second_bits,
                                    simt::stream_t stream) {
    Progress* const progress = progress_.data();
    simt::copy_async(first_begins_.data(), begins_on_host_.data(),
                     (segments + 1) * sizeof(unsigned), stream);
    simt::fill_async(taken_.data(), 0, (std::size_t{segments} << second_bits) * sizeof(Taken),
                     stream);
    simt::fill_async(&progress->next_bucket, 0, sizeof(unsigned), stream);
    with_shape<Bits, onesweep::NoValue>(has_large_blocks_, [&]<class Shape>(Shape) {
        Job<Shape> job{};
        static_cast<KeyArrays<Bits>&>(job) = {from, out, nullptr};
        job.map = map_;
        job.plan = plan_on_grid(n, thresholds_of<Shape>(), kRoomOf<Shape>, blocks_of_sort_);
        job.progress = progress;
        job.histogram = histogram_.data();
        job.begins = begins_.data();
        job.first_begins = first_begins_.data();
        job.taken[1] = taken_.data();
        simt::launch(sort_segments_on_grid<Shape>,
                     {job.plan.blocks, kThreads, kGridBytes<Shape>, stream, true}, job, segments,
                     low_bits, second_bits);
    });
    simt::copy_async(for_onesweep_.data(), &progress->for_onesweep, sizeof(unsigned), stream);
}

template class PartitionedSort<unsigned>;
template class PartitionedSort<unsigned long long>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
