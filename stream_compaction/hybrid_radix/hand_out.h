// What becomes of the digits that a segment has been partitioned by.
#pragma once

#include "stream_compaction/hybrid_radix/uneven.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// How many bits a segment is partitioned by next.
template <class Offset>
__device__ unsigned choose_digit_bits(Offset size, unsigned bits, unsigned bucket) {
    const unsigned most = max_digit_bits(size);
    if (bits <= most) return bits;
    const unsigned wanted = bit_width(size / bucket * 7 / 5);
    return min(most, wanted > 10 ? 8 : max(6u, wanted));
}

/// Where all digits of a segment start: begins[digit]; begins[digits] is its end. Digits of few
/// keys become buckets, neighbours together; the others segments of the next level.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void hand_out_digits(const Work<Shape, Offset>& work, unsigned digits, unsigned stride,
                                const Offset* first_keys, Offset end, Bits prefix, unsigned bits,
                                unsigned next_digit_bits, bool are_in_spare, unsigned level) {
    Offset* const begins = simt::dynamic_shared<Offset>();
    __syncthreads();
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) begins[i] = first_keys[i * stride];
    if (threadIdx.x == 0) begins[digits] = end;
    __syncthreads();
    Progress& progress = *work.progress;
    const auto window = [=](Offset place) { return (place - begins[0]) >> work.window_bits; };
    for (unsigned i = threadIdx.x; i < digits; i += kThreads) {
        const Offset first = begins[i], size = begins[i + 1] - first;
        if (size > work.bucket) {
            const unsigned long long segments =
                atomicAdd(&progress.segments[level], kOneSegment + work.tiles_of(size));
            Segment<Bits, Offset>& segment = work.segments[level][segments / kOneSegment];
            segment.first = first, segment.size = size;
            segment.prefix = prefix | static_cast<Bits>(i) << bits;
            segment.first_tile = static_cast<unsigned>(segments);
            segment.bits = bits;
            segment.is_in_spare = are_in_spare;
            segment.stays = false;
            if (next_digit_bits > 0) {  // by the histogram of two digits
                segment.digit_bits = next_digit_bits;
                segment.counters = const_cast<Offset*>(first_keys) + i * stride;
            } else {
                const unsigned digit_bits = choose_digit_bits(size, bits, work.bucket);
                const unsigned counters = max(4u, 1u << digit_bits);
                segment.digit_bits = digit_bits;
                segment.counters =
                    work.counters[level] + atomicAdd(&progress.counters[level], counters);
                for (unsigned c = 0; c < counters; ++c) segment.counters[c] = 0;
            }
            continue;
        }
        Offset last = begins[i + 1];
        if (size >> work.window_bits == 0) {
            if (i > 0 && window(begins[i - 1]) == window(first)) continue;  // has been handed out
            unsigned low = i + 1, high = digits;  // the first digit that starts in a later window
            while (low < high) {
                const unsigned middle = (low + high) / 2;
                if (window(begins[middle]) > window(first))
                    high = middle;
                else
                    low = middle + 1;
            }
            last = begins[low];
            if ((last - begins[low - 1]) >> work.window_bits != 0) last = begins[low - 1];
        }
        if (last > first)
            work.buckets[atomicAdd(&progress.buckets, 1u)] = {
                first, static_cast<unsigned>(last - first), are_in_spare};
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
