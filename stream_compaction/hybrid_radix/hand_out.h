// What becomes of the classes that a segment has been partitioned into.
#pragma once

#include "stream_compaction/hybrid_radix/draw.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Equal keys are written in so many pieces at most, or in pieces of so many keys.
constexpr unsigned kPiecesOfEqual = 512, kLeastPieceOfEqual = 1u << 15;

/// How digits that are too many for a block are divided next: by digits, too, where keys are even.
template <class Offset>
struct NextDigit {
    unsigned bits = 0;           ///< 0: by splitters
    Offset* counters = nullptr;  ///< of one digit after the other's, if they have been counted
};

/// The keys of a digit: of the highest of the low bits of a number.
template <class Bits>
struct DigitRange {
    Bits least, largest;
    __device__ bool is_one_key() const { return least == largest; }
};

/// For hand_out: the digits' ranges, where `bits` low bits of numbers may differ from those of
/// `least`.
template <class Bits>
__device__ auto digits_of(Bits least, unsigned bits, unsigned digit_bits) {
    const unsigned shift = bits - digit_bits;
    const Bits below = (Bits{1} << shift) - 1;
    const Bits prefix = bits < 8 * sizeof(Bits) ? least >> bits << bits : Bits{0};
    return [=](unsigned digit) {
        const Bits first = prefix | static_cast<Bits>(digit) << shift;
        return DigitRange<Bits>{first, static_cast<Bits>(first | below)};
    };
}

/// By a block: many equal keys are for several blocks to write. A warp hands them out, of the
/// classes that have a bit in `equals`.
template <class Shape, class Offset, class RangeOf>
__device__ void hand_out_equals(const Work<Shape, Offset>& work, unsigned classes,
                                const Offset* begins, RangeOf range_of, bool to_spare,
                                const unsigned* equals) {
    Progress& progress = *work.progress;
    for (unsigned c = threadIdx.x / kLanes; c < classes; c += kWarps) {
        if ((equals[c / kLanes] >> c % kLanes & 1) == 0) continue;
        const Offset first = begins[c], size = begins[c + 1] - first;
        const Offset of_piece = max(size / kPiecesOfEqual, Offset{kLeastPieceOfEqual});
        const auto pieces = static_cast<unsigned>((size + of_piece - 1) / of_piece);
        unsigned place = 0;
        if (threadIdx.x % kLanes == 0) place = atomicAdd(&progress.buckets, pieces);
        place = __shfl_sync(~0u, place, 0);
        for (unsigned p = threadIdx.x % kLanes; p < pieces; p += kLanes) {
            const Offset at = p * of_piece;
            work.buckets[place + p] = {first + at, static_cast<unsigned>(min(of_piece, size - at)),
                                       to_spare, true};
            work.numbers(to_spare)[first + at] = range_of(c).least;
        }
    }
}

/// By a block. Where all classes of a segment start, in shared memory: begins[class];
/// begins[classes] is its end. Classes of few keys become buckets, neighbours together; the others
/// segments of a level. range_of(class) is the range of its keys.
template <class Shape, class Offset, class RangeOf>
__device__ void hand_out(const Work<Shape, Offset>& work, unsigned classes, const Offset* begins,
                         RangeOf range_of, bool to_spare, unsigned level,
                         NextDigit<Offset> next = {}) {
    using Bits = typename Shape::Bits;
    // Of each class a bit: whether a piece starts there, and whether its keys are equal.
    __shared__ unsigned starts[kMaxDigits / kLanes], equals[kMaxDigits / kLanes];
    Progress& progress = *work.progress;
    const auto window = [=](unsigned c) {
        return (begins[c] - begins[0]) >> work.fit().window_bits;
    };
    const auto is_alone = [&](unsigned c) {
        const Offset size = begins[c + 1] - begins[c];
        return size >> work.fit().window_bits != 0 || (size != 0 && range_of(c).is_one_key());
    };
    __syncthreads();
    const unsigned words = (classes + kLanes - 1) / kLanes;
    for (unsigned c = threadIdx.x; c < words * kLanes; c += kThreads) {
        const bool starts_here =
            c < classes && (c == 0 || is_alone(c) || is_alone(c - 1) || window(c) != window(c - 1));
        const bool is_equal = c < classes && begins[c + 1] != begins[c] && range_of(c).is_one_key();
        const unsigned start = __ballot_sync(~0u, starts_here);
        const unsigned equal = __ballot_sync(~0u, is_equal);
        if (c % kLanes == 0) starts[c / kLanes] = start, equals[c / kLanes] = equal;
    }
    __syncthreads();
    for (unsigned c = threadIdx.x; c < classes; c += kThreads) {
        unsigned word = c / kLanes, left = starts[word] >> c % kLanes;
        if ((left & 1) == 0) continue;
        left = left >> 1 << 1 << c % kLanes;
        while (left == 0 && ++word < words) left = starts[word];
        const unsigned end =
            word < words ? word * kLanes + __ffs(static_cast<int>(left)) - 1 : classes;
        const Offset first = begins[c], size = begins[end] - first;
        if (size == 0) continue;
        if ((equals[c / kLanes] >> c % kLanes & 1) != 0) continue;  // see below
        if (size <= work.fit().bucket) {
            work.buckets[atomicAdd(&progress.buckets, 1u)] = {first, static_cast<unsigned>(size),
                                                              to_spare, false};
            continue;
        }
        const unsigned tile = next.bits > 0 ? work.fit().tile : work.fit().split_tile;
        const unsigned long long segments =
            atomicAdd(&progress.segments[level % 2], kOneSegment + tiles_of(size, tile));
        Segment<Bits, Offset>& segment = work.segments[level % 2][segments / kOneSegment];
        segment.first = first, segment.size = size;
        segment.least = range_of(c).least, segment.largest = range_of(c).largest;
        segment.first_tile = static_cast<unsigned>(segments);
        segment.is_in_spare = to_spare;
        segment.is_counted = false;
        if (next.counters != nullptr) {
            segment.class_bits = static_cast<unsigned char>(next.bits);
            segment.counters = next.counters + (c << next.bits);
        } else {
            take_counters(work, segment, level, next.bits);
        }
    }

    __syncthreads();
    hand_out_equals(work, classes, begins, range_of, to_spare, equals);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
