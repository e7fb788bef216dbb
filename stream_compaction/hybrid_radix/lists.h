// How long the lists of a launch are, and where they are in its memory.
#pragma once

#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/hybrid_radix/hand_out.h"
#include "stream_compaction/parts/arrays.h"
#include "stream_compaction/parts/bit_width.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr std::size_t kWindows = 512;  ///< fewer than twice as many, where buckets are large enough

template <class Size>
__host__ __device__ unsigned window_bits(Size n, unsigned bucket) {
    constexpr Size kLeast = 512;
    const Size keys = std::min(Size{bucket / 2}, std::max(Size{kLeast}, n / Size{kWindows}));
    return bit_width(keys) - 1;
}

/// Counters of a level's segments, of n keys together: see choose_class_bits and take_counters. The
/// whole array may have all classes that there can be.
inline std::size_t counters_of_level(std::size_t n, std::size_t bucket) {
    return (std::size_t{1} << kBitsOfEvenLevel) * (n / bucket + 1) + kMaxDigits;
}

/// Buckets that n keys become at most, whatever they are ("Why it is right", in notes.md).
template <class Bits>
std::size_t most_buckets(std::size_t n, std::size_t bucket) {
    constexpr std::size_t kLevels = kFirstEvenLevel + ceil_div(8 * sizeof(Bits), kBitsOfEvenLevel);
    constexpr std::size_t kOfEqualKeys = 2 * kFirstEvenLevel + (std::size_t{1} << kBitsOfEvenLevel);
    // A plan for n serves fewer keys, which have smaller windows, but few of them.
    const std::size_t windows =
        std::max(n >> window_bits(n, static_cast<unsigned>(bucket)), 2 * kWindows);
    return 3 * windows + (4 * kLevels + 3 * kOfEqualKeys) * (n / bucket + 1) +
           n / kLeastPieceOfEqual + kMaxDigits;
}

/// Lists for n keys. The first is Progress. The passes need no lists, but memory in their place: so
/// nothing there may count on what it was after the last launch.
template <class Shape, class Offset>
std::size_t lay_out(Work<Shape, Offset>& work, std::size_t n, Limits limits, std::byte* memory) {
    using Bits = typename Shape::Bits;
    Arrays arrays(memory);
    const std::size_t segments = n / limits.bucket + 1;
    work.progress = arrays.take<Progress>(1);
    work.histogram = arrays.take<Offset>(std::size_t{1} << kMaxHistogramBits<Shape>);
    work.cursors = arrays.take<Offset>(kMaxDigits);
    work.turns = arrays.take<unsigned>(2 * kMaxDigits);
    using PassBits = typename Shape::Passes::Bits;
    auto& shared = work.planned.passes.shared;
    shared.histograms = arrays.take<Offset>(onesweep::kHistogramSize<PassBits>);
    Arrays instead = arrays;
    onesweep::lay_out<PassBits>(shared, n, instead);
    work.samples = arrays.take<Bits>(kMostSamples);
    for (int level = 0; level < 2; ++level) {
        const std::size_t counters = counters_of_level(n, limits.bucket);
        work.counters[level] = arrays.take<Offset>(counters);
        work.splitters[level] = arrays.take<Bits>(counters);
        work.segments[level] = arrays.take<Segment<Bits, Offset>>(segments);
    }
    work.buckets = arrays.take<Bucket<Offset>>(most_buckets<Bits>(n, limits.bucket));
    // Values are counted where digits are not.
    constexpr std::size_t kSlots = 2 * kMostValues<Shape, Offset>;
    static_assert(!kCountsValues<Shape> || kSlots * (sizeof(Bits) + sizeof(Offset)) <=
                                               (sizeof(Offset) << kMaxHistogramBits<Shape>));
    work.values = reinterpret_cast<Bits*>(work.histogram);
    work.value_counts = reinterpret_cast<Offset*>(work.values + kSlots);
    return std::max(arrays.bytes(), instead.bytes());
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
