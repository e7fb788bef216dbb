// Stable sorts of pairs: the plan. Apart from the other pairs, so that they compile beside them.
#include "simt/device.h"
#include "stream_compaction/hybrid_radix/launch.h"
#include "stream_compaction/hybrid_radix/sort_stably.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/parts/whole_keys.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// What blocks take: of the other pairs' shapes all but the passes, which are onesweep's own.
template <class OfPairs, class PassShape>
struct StableShapes {
    template <class Arrays>
    using With = Shape<Pair, OfPairs::kItems, OfPairs::kMaxBucketBits, OfPairs::kMaxCountedBits,
                       OfPairs::kSplitItems, OfPairs::kMaxClassBits, PassShape, Arrays>;
    using OfGrid = With<PairArrays>;
    using OfBlock = With<PlacedPairs>;
    static constexpr std::size_t kBytes =
        std::max({BlockMemory<OfBlock>::kBytes, onesweep::kPassBytes<PassShape, unsigned>,
                  (std::size_t{1} << OfGrid::kMaxCountedBits) * sizeof(unsigned)});
};
using LargeStable =
    StableShapes<LargeShape<unsigned, unsigned>, onesweep::LargeShape<unsigned, unsigned>>;
using SmallStable =
    StableShapes<SmallShape<unsigned, unsigned>, onesweep::SmallShape<unsigned, unsigned>>;

bool has_large_stable(const simt::DeviceProperties& device) {
    return simt::has_shared_memory_for(device, 2, LargeStable::kBytes);
}

/// Calls f with the shapes that suit the device, and are compiled for it.
template <class F>
decltype(auto) with_stable_shapes(bool is_large, F f) {
    return is_large ? f(LargeStable()) : f(SmallStable());
}

StableLimits limits_of(bool is_large) {
    constexpr std::size_t kFew = 3u << 20;
    return {kFew, is_large ? LargeStable::OfBlock::kBlockKeys : SmallStable::OfBlock::kBlockKeys};
}

/// The memory for n pairs that are not few.
template <class Shape>
std::size_t lay_out(StableWork<Shape>& work, std::size_t n, std::byte* memory) {
    Arrays arrays(memory);
    auto& passes = work.planned.passes;
    passes.spare = arrays.take<unsigned>(n);
    passes.values_spare = arrays.take<unsigned>(n);
    work.progress = arrays.take<Progress>(1);
    const std::size_t classes = std::size_t{1} << kMaxHistogramBits<Shape>;
    work.histogram = arrays.take<unsigned>(classes);
    work.begins = arrays.take<unsigned>(classes + 1);
    passes.shared.histograms = arrays.take<unsigned>(onesweep::kHistogramSize<unsigned>);
    onesweep::lay_out<unsigned>(passes.shared, n, arrays);
    return arrays.bytes();
}

std::size_t bytes_of_many(std::size_t n, const StableLimits& limits) {
    StableWork<LargeStable::OfGrid> work;
    return n > limits.few ? lay_out(work, n, nullptr) : 0;
}

/// The memory for few comes behind that for many.
SortOptions options_of_few(std::size_t n, SortOptions options, const StableLimits& limits) {
    const PlanMemory memory(options.memory, StablePairsSort::workspace_bytes(n, limits));
    if (options.memory.data() != nullptr)
        options.memory = options.memory.subspan(bytes_of_many(n, limits));
    return options;
}

StableLimits require_legal(const StableLimits& limits, std::size_t most) {
    constexpr std::size_t kLeast = 2;
    if (limits.bucket < kLeast || limits.bucket > most)
        throw std::invalid_argument("limits: given " + std::to_string(limits.bucket) +
                                    " pairs for a bucket, legal is from " + std::to_string(kLeast) +
                                    " to " + std::to_string(most));
    return limits;
}

}  // namespace

StableLimits StablePairsSort::default_limits() {
    return simt::unavailable_reason().has_value() ? limits_of(true)
                                                  : default_limits(simt::device_properties());
}
StableLimits StablePairsSort::default_limits(const simt::DeviceProperties& device) {
    return limits_of(has_large_stable(device));
}

std::size_t StablePairsSort::workspace_bytes(std::size_t n, const StableLimits& limits) {
    return bytes_of_many(n, limits) + OfFew::workspace_bytes(std::min(n, limits.few));
}

StablePairsSort::StablePairsSort(std::size_t n, KeyOrder order, const SortOptions& options,
                                 const StableLimits& limits)
    : capacity_(n),
      order_(order),
      has_large_blocks_(has_large_stable(simt::device_properties())),
      limits_(require_legal(limits, limits_of(has_large_blocks_).bucket)),
      of_few_(std::min(n, limits.few), order, options_of_few(n, options, limits),
              onesweep::default_limits()) {
    require_whole_keys<unsigned>("hybrid_radix", options);
    if (is_large(n))
        throw std::invalid_argument("hybrid_radix sorts at most 2147483648 pairs, not " +
                                    std::to_string(n));
    const std::size_t bytes = bytes_of_many(n, limits);
    of_many_ = PlanMemory(options.memory, bytes).take<std::byte>(bytes);
    if (bytes == 0) return;
    multiprocessors_ = static_cast<unsigned>(simt::device_properties().multiprocessors);
    with_stable_shapes(has_large_blocks_, [&]<class Shapes>(Shapes) {
        using OfGrid = typename Shapes::OfGrid;
        blocks_ = simt::resident_blocks(sort_stably_on_grid<OfGrid, typename Shapes::OfBlock>,
                                        kThreads, Shapes::kBytes);
        blocks_of_passes_ =
            resident_passes<unsigned>(PassShapes<typename OfGrid::Passes, unsigned>());
    });
    simt::fill_async(of_many_.data(), 0, of_many_.size());
    simt::synchronize();
}

void StablePairsSort::enqueue(const unsigned* in, unsigned* out, const unsigned* values_in,
                              unsigned* values_out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n <= limits_.few) return of_few_.enqueue(in, out, values_in, values_out, n, stream);
    with_stable_shapes(has_large_blocks_, [&]<class Shapes>(Shapes) {
        using OfGrid = typename Shapes::OfGrid;
        StableWork<OfGrid> work{};
        lay_out(work, capacity_, of_many_.data());
        work.in = {in, values_in, 0};
        work.out = {out, values_out};
        work.map = PairArrays::map_of(order_);
        work.is_in_place = in == out || values_in == values_out;
        auto& fit = work.planned;
        fit.n = static_cast<unsigned>(n);
        fit.bucket = static_cast<unsigned>(limits_.bucket);
        fit.passes.in = in, fit.passes.out = out;
        fit.passes.values_in = values_in, fit.passes.values_out = values_out;
        fit.passes.n = fit.n;
        fit.passes.multiprocessors = multiprocessors_;
        fit.passes.choose_tiles(blocks_);
        const unsigned blocks =
            std::min(blocks_, std::max(fit.passes.blocks, static_cast<unsigned>(blocks_worth(n))));
        const simt::LaunchConfig config{blocks, kThreads, Shapes::kBytes, stream, true};
        simt::launch(sort_stably_on_grid<OfGrid, typename Shapes::OfBlock>, config, work);
        launch_passes_if_left<typename OfGrid::Passes, unsigned>(
            fit.passes, n, blocks_of_passes_, PairArrays::map_of_passes(work.map), work.progress,
            HostSize(), stream);
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
