// Uneven keys sorted by onesweep's passes, which take the same time for all keys: when they are
// sooner, and where they run.
#pragma once

#include "stream_compaction/hybrid_radix/draw.h"
#include "stream_compaction/hybrid_radix/work.h"
#include "stream_compaction/onesweep/passes.h"

#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Whether the samples that all blocks have are enough to sort uneven keys by passes, which so
/// begin sooner: where few digits vary, or few keys are so frequent that they have classes of their
/// own. All blocks decide alike.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool prefers_passes(const Work<Shape, Offset>& work, Bits sampled) {
    constexpr unsigned kValues = 4 * kSamples, kFrequent = 4, kFewPasses = 2;
    if (work.fit().rare_for_passes == 0) return false;
    Bits* const samples = simt::dynamic_shared<Bits>();
    auto* const of_values = reinterpret_cast<unsigned*>(samples + kSamples);
    __syncthreads();  // whoever used the memory before is done with it
    samples[threadIdx.x] = sampled;
    clear(of_values, kValues);
    __syncthreads();
    unsigned& count = of_values[hash_of_sample(sampled) % kValues];
    atomicAdd(&count, 1u);
    const unsigned positions =
        positions_of<Shape>(varying_bits(samples, kSamples));  // waits for all
    const auto rare = static_cast<unsigned>(__syncthreads_count(count < kFrequent));
    return positions <= kFewPasses || rare > work.fit().rare_for_passes;
}

/// The shapes that passes have in a launch of their own: onesweep's, or the only one.
template <class Passes, class Offset, class Bits = typename Passes::Bits,
          class Value = typename Passes::Value>
using PassShapes =
    std::conditional_t<sizeof(Offset) == 4 &&
                           !std::is_same_v<Passes, onesweep::SmallShape<Bits, Value>>,
                       onesweep::LargeShapes<Bits, Value>, onesweep::ShapeList<Passes>>;

/// Whether they are the sooner of few keys, too.
template <class Passes>
constexpr bool kHasPassesForFew = PassShapes<Passes, unsigned>::Fewest::kStartsTogether;

/// Leaves them to the next kernel, which has no other code. What the compiler makes of the passes
/// beside other code takes 6 % longer; and when a kernel starts, its first 64 KB are brought: code
/// behind that, as here the passes would be, comes from memory by and by (see measured.md).
template <class Shape, class Offset>
__device__ void leave_to_passes(const Work<Shape, Offset>& work) {
    if (blockIdx.x == 0 && threadIdx.x == 0) work.progress->are_left_to_passes = 1;
}

/// Sorts what has been left to passes, if anything has.
/// @param size nothing where the host knows n, or one DeviceSize
template <class Passes, class Offset, class... Size>
__global__ void __launch_bounds__(kThreads, 2)
    sort_by_passes_if_left(const __grid_constant__ onesweep::Job<Passes, Offset> given,
                           KeyMap<typename Passes::Bits> map, Progress* progress, Size... size) {
    constexpr bool kIsOnDevice = sizeof...(size) > 0;
    if (progress->are_left_to_passes == 0) return;
    const onesweep::Job<Passes, Offset>* job = &given;
    unsigned arrival = 0;
    if constexpr (kIsOnDevice) {
        job = &onesweep::own_job(given, size...);
        arrival = progress->barrier.arrive();
    }
    onesweep::sort_by_passes(*job, map, progress->of_passes);
    if (blockIdx.x > 0) return;
    // The word is taken back when all blocks have read it: those with tiles have met since.
    if constexpr (kIsOnDevice) progress->barrier.wait(arrival);
    if (threadIdx.x == 0) progress->are_left_to_passes = 0;
}

// Where no other launch follows, the kernel sorts that has found the keys to be uneven: by
// functions of their own, so that what else it does takes no registers from them.
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void count_digits() {
    onesweep::count_digits<typename Shape::Passes, Offset>();
}
template <class Shape, class Offset>
__device__ __attribute__((noinline)) void sort_by_digit() {
    onesweep::sort_by_digit<typename Shape::Passes, Offset>();
}

/// By the blocks that have a tile; the others leave. What is decided is decided from the keys, and
/// values, that are given: in place, nothing is written before all blocks have come here.
template <class Shape, class Offset>
__device__ void sort_by_passes(const Work<Shape, Offset>& work) {
    GridBarrier& barrier = work.progress->barrier;
    bool is_in_place = work.fit().passes.in == work.fit().passes.out;
    if constexpr (onesweep::kValueBytes<typename Shape::Passes::Value> != 0)
        is_in_place |= work.fit().passes.values_in == work.fit().passes.values_out;
    const unsigned arrival = is_in_place ? barrier.arrive() : 0;
    if (blockIdx.x - work.fit().passes.first >= work.fit().passes.blocks) return;
    const auto count = [&] {
        count_digits<Shape, Offset>();
        if (is_in_place) barrier.wait(arrival);
    };
    onesweep::sort_by_passes(work.fit().passes, Shape::Arrays::map_of_passes(work.map),
                             work.progress->of_passes, count,
                             [] { sort_by_digit<Shape, Offset>(); });
}

template <class Shape, class Offset>
__device__ void sort_or_leave_to_passes(const Work<Shape, Offset>& work) {
    if (work.leaves_passes)
        leave_to_passes(work);
    else
        sort_by_passes(work);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
