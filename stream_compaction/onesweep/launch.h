// The kernels that are launched, and the plan that launches them. A source for each kind of items
// instantiates it.
#pragma once

#include "simt/checked_size.h"
#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/onesweep/cluster_sort.h"
#include "stream_compaction/onesweep/passes.h"
#include "stream_compaction/onesweep/rank_sort.h"
#include "stream_compaction/parts/arrays.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/plan_memory.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Whether a launch must sort: see BitsSort::enqueue_if.
__device__ inline bool is_wanted(const unsigned* word) { return word == nullptr || *word != 0; }

/// Sorts the job's keys by passes over the whole grid (passes.h), with a cooperative launch.
template <class Shape, class Offset>
__global__ void __launch_bounds__(kThreads, 2)
    sort_on_grid(const __grid_constant__ Job<Shape, Offset> job, KeyMap<typename Shape::Bits> map,
                 GridBarrier* barrier, const unsigned* wanted) {
    if (is_wanted(wanted)) sort_by_passes(job, map, *barrier);
}

/// Like sort_on_grid, for the number of keys in device memory, at most that of the job.
template <class Shape>
__global__ void __launch_bounds__(kThreads, 2)
    sort_of_device_size(const __grid_constant__ Job<Shape, unsigned> most,
                        KeyMap<typename Shape::Bits> map, GridBarrier* barrier, DeviceSize size) {
    const Job<Shape, unsigned>& job = own_job(most, size);
    if (job.n > 0) sort_by_passes(job, map, *barrier);
}

/// Sorts the keys with one cluster of blocks (cluster_sort.h).
template <class Shape>
__global__ void __launch_bounds__(kThreads, 1)
    sort_by_cluster(const __grid_constant__ Job<Shape, unsigned> job,
                    KeyMap<typename Shape::Bits> map, const unsigned* wanted) {
    simt::wait_for_earlier_work();
    if (is_wanted(wanted)) sort_in_cluster(job, map);
}

/// Like sort_by_cluster, for the number of keys in device memory.
template <class Shape>
__global__ void __launch_bounds__(kThreads, 1)
    sort_by_cluster_of_device_size(const __grid_constant__ Job<Shape, unsigned> most,
                                   KeyMap<typename Shape::Bits> map, DeviceSize size) {
    __shared__ Job<Shape, unsigned> job;
    if (threadIdx.x == 0) {
        job = most;
        job.n = static_cast<unsigned>(read_size(size, most.n));
    }
    __syncthreads();
    if (job.n > 0) sort_in_cluster(job, map);
}

/// Whether two blocks of the large shape fit on a multiprocessor, as the kernels of the passes are
/// compiled for.
template <class Bits, class Value>
bool has_large_blocks(const simt::DeviceProperties& device) {
    return simt::has_shared_memory_for(device, 2, kPassBytes<LargeShape<Bits, Value>, unsigned>);
}

/// Calls f with the list of launch shapes that suit the device and for which the kernels are
/// compiled.
template <class Bits, class Value, class F>
decltype(auto) with_shapes(bool has_large_blocks, F f) {
    return has_large_blocks ? f(LargeShapes<Bits, Value>())
                            : f(ShapeList<SmallShape<Bits, Value>>());
}

template <class Shape, class Offset>
unsigned resident_blocks() {
    return simt::resident_blocks(sort_on_grid<Shape, Offset>, kThreads, kPassBytes<Shape, Offset>);
}

/// The smallest number of resident blocks of any shape's kernel.
template <class... Shapes>
unsigned resident_blocks(ShapeList<Shapes...>) {
    return std::min({resident_blocks<Shapes, unsigned>()...});
}

/// Whether positions need 64 bits.
inline bool is_large(std::size_t n) { return n > std::size_t{1} << 31; }

/// The device memory that the blocks share, for n keys, in one allocation; the barrier comes first.
template <class Bits, class Offset>
std::size_t lay_out_all(Shared<Offset>& shared, std::size_t n, std::byte* memory) {
    Arrays arrays(memory);
    arrays.take<GridBarrier>(1);
    shared.histograms = arrays.take<Offset>(kHistogramSize<Bits>);
    lay_out<Bits>(shared, n, arrays);
    return arrays.bytes();
}

template <class Bits>
std::size_t shared_bytes(std::size_t n) {
    if (n == 0) return 0;
    Shared<unsigned> small;
    Shared<unsigned long long> large;
    return is_large(n) ? lay_out_all<Bits>(large, n, nullptr)
                       : lay_out_all<Bits>(small, n, nullptr);
}

/// @throws std::invalid_argument
template <class Bits>
BitRange range_of(const SortOptions& options) {
    constexpr unsigned kBits = 8 * sizeof(Bits);
    const unsigned end = options.end_bit == 0 ? kBits : options.end_bit;
    if (options.begin_bit >= end || end > kBits)
        throw std::invalid_argument("bits from " + std::to_string(options.begin_bit) + " to " +
                                    std::to_string(end) + " of keys with " + std::to_string(kBits) +
                                    " bits: not a range");
    return {options.begin_bit, kBits - end};
}

template <class Value>
constexpr std::size_t spare_values(std::size_t n) {
    return kValueBytes<Value> > 0 ? n : 0;
}

template <class Bits, class Value>
std::size_t BitsSort<Bits, Value>::workspace_bytes(std::size_t n) {
    require_size(n);
    Arrays arrays(nullptr);
    arrays.take<std::byte>(shared_bytes<Bits>(n));
    arrays.take<Bits>(n);
    arrays.take<Value>(spare_values<Value>(n));
    return arrays.bytes();
}

template <class Bits, class Value>
std::size_t BitsSort<Bits, Value>::bytes_before_spare(std::size_t n) {
    Arrays arrays(nullptr);
    arrays.take<std::byte>(shared_bytes<Bits>(n));
    return arrays.bytes();
}

template <class Bits, class Value>
BitsSort<Bits, Value>::BitsSort(std::size_t n, KeyOrder order, const SortOptions& options,
                                Thresholds thresholds)
    : capacity_(n),
      order_(order),
      compared_(range_of<Bits>(options)),
      thresholds_(thresholds),
      has_large_blocks_(has_large_blocks<Bits, Value>(simt::device_properties())) {
    if (!compared_.is_whole()) thresholds_.ranked = 0;
    PlanMemory memory(options.memory, workspace_bytes(n));
    shared_ = memory.take<std::byte>(shared_bytes<Bits>(n));
    spare_ = memory.take<Bits>(n);
    spare_values_ = memory.take<Value>(spare_values<Value>(n));
    if (n == 0) return;
    simt::fill_async(shared_.data(), 0, shared_.size());
    simt::synchronize();
    multiprocessors_ = static_cast<unsigned>(simt::device_properties().multiprocessors);
    with_shapes<Bits, Value>(has_large_blocks_, [&]<class Shapes>(Shapes shapes) {
        blocks_ = is_large(n) ? resident_blocks<typename Shapes::Largest, unsigned long long>()
                              : resident_blocks(shapes);
    });
    largest_cluster_ = largest_clusters(sort_by_cluster<LargeShape<Bits, Value>>,
                                        ClusterMemory<Bits, Value>::kBytes, 1)
                           .blocks;
}

template <class Bits, class Value>
template <class Size>
void BitsSort<Bits, Value>::run(const Bits* in, Bits* out, const Value* values_in,
                                Value* values_out, std::size_t n, Size size, const unsigned* wanted,
                                simt::stream_t stream) {
    constexpr bool kIsOnHost = std::is_same_v<Size, HostSize>;
    const KeyMap<Bits> map(order_);
    const bool is_in_place = in == out || (kValueBytes<Value> != 0 && values_in == values_out);
    // Ranking in place needs a copy, whose size only the device may know.
    if (n <= thresholds_.ranked && wanted == nullptr && (kIsOnHost || !is_in_place)) {
        const simt::LaunchConfig config{blocks_for(n, kRankedKeys), kThreads, 0, stream};
        const auto count = static_cast<unsigned>(n);
        if constexpr (kIsOnHost) {
            // Ranking does not work in place.
            const auto apart_from = [&]<class T>(const T* from, const T* to, T* spare) {
                if (from != to) return from;
                simt::copy_async(spare, from, n * sizeof(T), stream);
                return static_cast<const T*>(spare);
            };
            in = apart_from(in, out, spare_.data());
            if constexpr (kValueBytes<Value> != 0)
                values_in = apart_from(values_in, values_out, spare_values_.data());
            simt::launch(rank_sort<Bits, Value>, config, in, out, values_in, values_out, count,
                         map);
        } else {
            simt::launch(rank_sort_of_device_size<Bits, Value>, config, in, out, values_in,
                         values_out, count, size, map);
        }
        return;
    }
    const auto make_job = [&]<class Shape, class Offset>(Shape, Offset most) {
        Job<Shape, Offset> job{};
        job.in = in, job.out = out, job.spare = spare_.data();
        job.values_in = values_in, job.values_out = values_out;
        job.values_spare = spare_values_.data();
        job.n = most;
        job.compared = compared_;
        job.multiprocessors = multiprocessors_;
        return job;
    };
    const unsigned cluster =
        n <= thresholds_.clustered ? cluster_for<Bits, Value>(n, largest_cluster_) : 0;
    if (cluster > 0) {
        using Shape = LargeShape<Bits, Value>;  // any shape: a cluster's blocks do not use it
        const auto job = make_job(Shape(), static_cast<unsigned>(n));
        simt::LaunchConfig config{cluster, kThreads, ClusterMemory<Bits, Value>::kBytes, stream};
        config.cluster = cluster;
        config.early = wanted != nullptr;  // such a launch usually has nothing to do
        if constexpr (kIsOnHost)
            simt::launch(sort_by_cluster<Shape>, config, job, map, wanted);
        else
            simt::launch(sort_by_cluster_of_device_size<Shape>, config, job, map, size);
        return;
    }
    const auto sort = [&]<class Shape, class Offset>(Shape shape, Offset most) {
        auto job = make_job(shape, most);
        job.choose_tiles(blocks_);
        lay_out_all<Bits>(job.shared, capacity_, shared_.data());
        const simt::LaunchConfig config{job.blocks, kThreads, kPassBytes<Shape, Offset>, stream,
                                        true};
        auto* const barrier = reinterpret_cast<GridBarrier*>(shared_.data());
        if constexpr (kIsOnHost)
            simt::launch(sort_on_grid<Shape, Offset>, config, job, map, barrier, wanted);
        else
            simt::launch(sort_of_device_size<Shape>, config, job, map, barrier, size);
    };
    with_shapes<Bits, Value>(has_large_blocks_, [&]<class Shapes>(Shapes shapes) {
        if constexpr (kIsOnHost)
            if (is_large(capacity_))
                return sort(typename Shapes::Largest(), static_cast<unsigned long long>(n));
        with_shape_for(shapes, n, blocks_,
                       [&](auto shape) { sort(shape, static_cast<unsigned>(n)); });
    });
}

template <class Bits, class Value>
void BitsSort<Bits, Value>::enqueue(const Bits* in, Bits* out, const Value* values_in,
                                    Value* values_out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart(in, out, values_in, values_out, n);
    if (n > 0) run(in, out, values_in, values_out, n, HostSize(), nullptr, stream);
}

template <class Bits, class Value>
void BitsSort<Bits, Value>::enqueue_if(const unsigned* wanted, const Bits* in, Bits* out,
                                       const Value* values_in, Value* values_out, std::size_t n,
                                       simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n > 0) run(in, out, values_in, values_out, n, HostSize(), wanted, stream);
}

template <class Bits, class Value>
void BitsSort<Bits, Value>::enqueue(const Bits* in, Bits* out, const Value* values_in,
                                    Value* values_out, DeviceSize n,
                                    simt::stream_t stream) requires kHasDeviceSize<Bits, Value> {
    const std::size_t most = most_keys(capacity_);
    require_size_word(n);
    if (most > 0) run(in, out, values_in, values_out, most, n, nullptr, stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
