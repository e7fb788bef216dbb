// The range of the keys, guessed from a sample.
#pragma once

#include "stream_compaction/hybrid_radix/work.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

static_assert(kSamples == kThreads);

/// One key for each thread, the same in all blocks.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ Bits sample(const Work<Shape, Offset>& work, Offset n) {
    const auto at = n / kSamples * threadIdx.x;
    return work.map.number(work.in[at]);
}

/// A guess from the samples. All blocks make the same. It drops high bits that are the same in all
/// keys, also where that takes a shift of the range, as for small numbers of both signs. Tied bits
/// are not looked at: they stay as they are.
/// @param spread how far the samples are from each other: a fifth of the range, or more
template <class Shape, class Bits = typename Shape::Bits>
__device__ Range<Bits> guess_range(Bits sampled, Bits& spread) {
    constexpr Bits kTied = (Bits{1} << Shape::Arrays::kTiedBits) - 1;
    Bits least = sampled & ~kTied, largest = sampled | kTied;
    reduce_range(least, largest);
    spread = largest - least;
    const unsigned by_prefix = bit_width(least ^ largest);
    const Bits margin = (largest - least) / 16;
    const Bits base = least > margin ? (least - margin) & ~kTied : 0;
    const Bits top = largest + min(margin, static_cast<Bits>(~largest));
    const unsigned by_shift = bit_width(top - base);
    if (by_shift + 1 < by_prefix) return {base, by_shift};
    return {by_prefix == 8 * sizeof(Bits) ? 0 : least >> by_prefix << by_prefix, by_prefix};
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
