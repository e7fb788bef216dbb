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

/// Spreads the bits of a number (the finalizer of MurmurHash3).
__device__ inline unsigned scramble(unsigned x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/// Of equal samples the same, of others hardly ever, also where these lie in a pattern. (Halves of
/// 64 bits are not put together as they are: they may be equal.)
template <class Bits>
__device__ unsigned hash_of_sample(Bits sampled) {
    constexpr auto kGolden = 0x9e3779b97f4a7c15ull;
    if constexpr (sizeof(Bits) == 8)
        return scramble(static_cast<unsigned>(sampled * kGolden >> 32));
    else
        return scramble(static_cast<unsigned>(sampled ^ sampled >> 16));
}

/// Where the s-th of `samples` is: somewhere in the s-th of as many equal parts of the keys.
template <class Offset>
__device__ Offset place_of_sample(Offset size, unsigned samples, unsigned s) {
    const Offset part = size / samples;
    const Offset first = part * s + static_cast<Offset>(1ull * (size % samples) * s / samples);
    const auto most = static_cast<unsigned>(min(part, static_cast<Offset>(~0u >> 1)));
    return first + __umulhi(scramble(s), most);
}

/// The same as sample(), from places that have no pattern, where the keys may have one; or so many
/// keys behind.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ Bits sample_anywhere(const Work<Shape, Offset>& work, Offset behind = 0) {
    constexpr unsigned kGolden = 0x9e3779b9;
    const Offset part = work.fit().n / kSamples;
    const auto within = static_cast<Offset>(1ull * (threadIdx.x * kGolden) * part >> 32);
    const Offset at = part * threadIdx.x + within + behind;
    return work.map.number(work.in[min(at, work.fit().n - 1)]);
}

/// Whether a sample is one of a run of equal keys: n / 2^kBitsOfRun keys behind it is another.
constexpr unsigned kBitsOfRun = 16;
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ bool is_of_run(const Work<Shape, Offset>& work, Bits sampled) {
    return sample_anywhere(work, max(work.fit().n >> kBitsOfRun, Offset{1})) == sampled;
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
