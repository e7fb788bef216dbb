// How long the lists of a launch are, and where they are in its memory.
#pragma once

#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/hybrid_radix/work.h"
#include "stream_compaction/parts/arrays.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

constexpr std::size_t kWindows = 512;  ///< fewer than twice as many, where buckets are large enough

inline unsigned window_bits(std::size_t n, std::size_t bucket) {
    constexpr std::size_t kLeast = 512;
    const std::size_t keys = std::min(bucket / 2, std::max(kLeast, n / kWindows));
    return std::bit_width(keys) - 1;
}

/// Buckets that n keys become at most, whatever they are. hand_out_digits makes one of each digit
/// that fills a window, and one of the smaller digits that start in the same window. These lie in
/// runs between larger digits, and a run touches up to two windows more than its keys fill. So a
/// segment of which k digits are segments again has three buckets at most for each window that its
/// other keys fill, and 2 k + 2.
template <class Bits, class Offset>
std::size_t most_buckets(std::size_t n, std::size_t bucket) {
    constexpr unsigned kFirstDigit = 5, kNextDigit = 6;  // at least, of many keys
    const auto of_counters = std::bit_width((bucket + 1) / kKeysPerCounter<Offset>);
    const unsigned bits = std::clamp<unsigned>(of_counters, 2, kNextDigit + 1) - 1;
    const std::size_t levels = ceil_div(8 * sizeof(Bits) - kFirstDigit, bits);
    // A plan for n serves fewer keys, which have smaller windows, but few of them.
    const std::size_t windows = std::max(n >> window_bits(n, bucket), 2 * kWindows);
    return 3 * windows + 4 * levels * (n / (bucket + 1)) + 2;
}

/// Lists for n keys. The first is Progress.
template <class Shape, class Offset>
std::size_t lay_out(Work<Shape, Offset>& work, std::size_t n, Limits limits, std::byte* memory) {
    using Bits = typename Shape::Bits;
    Arrays arrays(memory);
    work.window_bits = window_bits(n, limits.bucket);
    const std::size_t segments = n / limits.bucket + 1;
    work.progress = arrays.take<Progress>(1);
    work.histogram = arrays.take<Offset>(std::size_t{1} << kMaxHistogramBits<Shape>);
    work.cursors = arrays.take<Offset>(kMaxDigits);
    work.turns = arrays.take<unsigned>(2 * kMaxDigits);
    work.passes.shared.histograms = arrays.take<Offset>(onesweep::kHistogramSize<Bits>);
    Arrays instead = arrays;  // passes need no lists
    onesweep::lay_out<Bits>(work.passes.shared, n, instead);
    for (int level = 0; level < 2; ++level) {
        work.counters[level] = arrays.take<Offset>(n / kKeysPerCounter<Offset> + 4 * segments);
        work.segments[level] = arrays.take<Segment<Bits, Offset>>(segments);
    }
    work.buckets = arrays.take<Bucket<Offset>>(most_buckets<Bits, Offset>(n, limits.bucket));
    return std::max(arrays.bytes(), instead.bytes());
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
