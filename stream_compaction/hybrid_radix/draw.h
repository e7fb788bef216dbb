// How keys are divided: a sample tells.
#pragma once

#include "stream_compaction/hybrid_radix/block/rank.h"
#include "stream_compaction/hybrid_radix/block/sort_in_registers.h"
#include "stream_compaction/hybrid_radix/range.h"
#include "stream_compaction/hybrid_radix/splitters.h"
#include "stream_compaction/hybrid_radix/work.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// So many classes that even ones are a quarter to half a bucket: sampled ones differ. Where that
/// takes two partitions, each has half of the bits.
template <class Shape, class Offset>
__device__ unsigned choose_class_bits(Offset size, unsigned bucket, unsigned level) {
    constexpr unsigned kOfTwo = 8;
    const unsigned wanted = bit_width(size / bucket) + 1;
    const unsigned bits =
        wanted <= Shape::kMaxClassBits ? max(wanted, 2u) : min((wanted + 1) / 2, kOfTwo);
    return level < kFirstEvenLevel ? bits : max(bits, kBitsOfEvenLevel);
}

/// Counters for a segment's classes: for 2^bits, or as many as suit it.
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void take_counters(const Work<Shape, Offset>& work, Segment<Bits, Offset>& segment,
                              unsigned level, unsigned bits) {
    if (bits == 0) {
        bits = choose_class_bits<Shape>(segment.size, work.fit().bucket, level);
        // Where each number can have a class, keys are counted, no more.
        const unsigned for_each_number = segment.bits() + 1;
        if (for_each_number <= Shape::kMaxClassBits) {
            const unsigned long long of_each = segment.size >> for_each_number;  // keys
            if (of_each << kBitsOfEvenLevel >= work.fit().bucket) bits = for_each_number;
        }
    }
    const auto first = atomicAdd(&work.progress->counters[level % 2], 1ull << bits);
    segment.class_bits = static_cast<unsigned char>(bits);
    segment.counters = work.counters[level % 2] + first;
    segment.splitters = work.splitters[level % 2] + first;
}

/// Bits of the classes of level 0 that even few keys may have.
constexpr unsigned kLeastClassBits = 7;

/// By so many bits more, where many keys are frequent, that fewer of these share a class.
constexpr unsigned kMoreClassBits = 2;

/// Samples of the whole array.
constexpr unsigned kSamplesOfClass = 8, kLeastSamples = 1024, kMostSamples = 4096;

/// How the whole array is to be sorted, of which a sample was drawn.
struct Drawn {
    bool by_passes;
    bool are_most;  ///< which of the two arrays of splitters is taken: the one for most classes
    unsigned class_bits;
};

/// The bits in which keys differ, in every thread.
template <class Bits>
__device__ Bits varying_bits(const Bits* keys, unsigned count) {
    __shared__ Bits of_warps[kWarps];
    const unsigned lane = threadIdx.x % kLanes;
    const auto either = [](Bits a, Bits b) { return a | b; };
    Bits varying = 0;
    for (unsigned i = threadIdx.x; i < count; i += kThreads) varying |= keys[i] ^ keys[0];
    varying = combine_lanes(varying, either);
    if (lane == 0) of_warps[threadIdx.x / kLanes] = varying;
    __syncthreads();
    return combine_lanes(of_warps[lane % kWarps], either);
}

/// In how many positions of onesweep's digits these bits are; of pairs, it compares the keys.
template <class Shape>
__device__ unsigned positions_of(typename Shape::Bits varying) {
    using Compared = typename Shape::Passes::Bits;
    const auto compared = static_cast<Compared>(varying >> Shape::Arrays::kTiedBits);
    unsigned positions = 0;
#pragma unroll
    for (unsigned p = 0; p < onesweep::kPositions<Compared>; ++p)
        positions += (compared >> p * onesweep::kDigitBits) % onesweep::kDigits != 0 ? 1 : 0;
    return positions;
}

/// By all blocks: draws splitters of the whole array. Each block ranks some of the samples among
/// all of them; those that become splitters are put in their places. How often samples repeat tells
/// whether passes sort the keys sooner. Where many are frequent, there are more splitters: then few
/// keys have to be moved.
/// @param once whether each class has to fit into a block
template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) Drawn draw_all(const Work<Shape, Offset>& work, bool once) {
    // A class for each block at least: few large buckets would leave the others idle.
    const unsigned for_blocks = min(bit_width(gridDim.x - 1), kLeastClassBits);
    const unsigned suited =
        max(choose_class_bits<Shape>(work.fit().n, work.fit().bucket, 0), for_blocks);
    // The fullest of 512 classes of eight samples has three times the mean once in 40 draws, twice
    // the mean nearly always; of half as large ones, of four samples, four times theirs once in 20.
    constexpr unsigned kFullest = 3;
    const bool may_be_full = once && suited < Shape::kMaxClassBits &&
                             kFullest * (work.fit().n >> suited) > work.fit().bucket;
    const unsigned few_bits = suited + (may_be_full ? 1 : 0);
    const bool are_many = 4 * (work.fit().n >> Shape::kMaxClassBits) >= work.fit().bucket;
    const unsigned most_bits =
        are_many ? Shape::kMaxClassBits : min(Shape::kMaxClassBits, suited + kMoreClassBits);
    const unsigned samples =
        min(max(kLeastSamples, kSamplesOfClass << (are_many ? most_bits : suited)), kMostSamples);
    __shared__ unsigned repeats;  // Progress::repeats, of this block's samples
    if (threadIdx.x == 0) repeats = 0;
    for (unsigned s = threadIdx.x * gridDim.x + blockIdx.x; s < samples; s += gridDim.x * kThreads)
        work.samples[s] = work.map.number(work.in[place_of_sample(work.fit().n, samples, s)]);
    for (unsigned c = blockIdx.x * kThreads + threadIdx.x; c < 1u << most_bits;
         c += gridDim.x * kThreads)
        work.counters[0][c] = 0;
    work.progress->barrier.arrive_and_wait();

    constexpr unsigned kOfRow = 16 / sizeof(Bits);
    struct alignas(16) Row {
        Bits keys[kOfRow];
    };
    auto* const rows = simt::dynamic_shared<Row>();
    const unsigned all_rows = samples / kOfRow;
    for (unsigned r = threadIdx.x; r < all_rows; r += kThreads)
        rows[r] = reinterpret_cast<const Row*>(work.samples)[r];
    __syncthreads();
    const auto* const sampled = reinterpret_cast<const Bits*>(rows);
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned of_most = samples >> most_bits, of_few = samples >> few_bits;
    for (unsigned s = blockIdx.x + gridDim.x * warp; s < samples; s += gridDim.x * kWarps) {
        const Bits own = sampled[s];
        const unsigned own_row = s / kOfRow;
        unsigned rank = 0, equal = 0;
#pragma unroll 4
        for (unsigned r = lane; r < all_rows; r += kLanes) {
            const Row row = rows[r];
#pragma unroll
            for (const Bits other : row.keys) {
                const bool is_equal = other == own;
                rank += other < own || (is_equal && r < own_row) ? 1 : 0;
                equal += is_equal ? 1 : 0;
            }
        }
        rank = sum_of_lanes(rank) + 1, equal = sum_of_lanes(equal);
        for (unsigned other = own_row * kOfRow; other < s; ++other)
            rank += sampled[other] == own ? 1 : 0;
        if (lane == 0 && rank < samples) {
            if (rank % of_most == 0) work.splitters[0][rank / of_most - 1] = own;
            if (rank % of_few == 0) work.splitters[1][rank / of_few - 1] = own;
        }
        // A key that is there so often is two of the most splitters: a class of its own, which
        // nobody moves, if these are taken.
        const unsigned adds = equal >= 2 * of_most ? kFrequentKey : equal == 1 ? 1 : 0;
        if (lane == 0 && adds != 0) atomicAdd(&repeats, adds);
    }
    const unsigned positions =
        positions_of<Shape>(varying_bits(sampled, samples));  // waits for all
    if (threadIdx.x == 0 && repeats != 0) atomicAdd(&work.progress->repeats, repeats);
    work.progress->barrier.arrive_and_wait();

    // All blocks decide alike.
    const unsigned in_all = work.progress->repeats;
    const unsigned frequent = in_all / kFrequentKey, single = in_all % kFrequentKey;
    const bool are_most = frequent >= samples / 2;
    return {are_passes_sooner(work.fit().costs, samples, frequent, single, positions), are_most,
            are_most ? most_bits : few_bits};
}

/// By a block: draws kOfThread samples for each thread, and divides the segment by them.
template <unsigned kOfThread, class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ void divide_by_sample(const Bits* keys, Segment<Bits, Offset>& segment,
                                 bool takes_sample) {
    constexpr unsigned kSamples = kOfThread * kThreads;
    Bits* const exchange = simt::dynamic_shared<Bits>();
    Bits key[kOfThread];
#pragma unroll
    for (unsigned i = 0; i < kOfThread; ++i)
        key[i] = keys[place_of_sample(segment.size, kSamples, place_of(i))];
    sort_in_registers(key, exchange);
#pragma unroll
    for (unsigned i = 0; i < kOfThread; ++i) exchange[threadIdx.x * kOfThread + i] = key[i];
    __syncthreads();

    const unsigned class_bits = segment.class_bits, of_class = kSamples >> class_bits;
    const Bits width = segment.largest - segment.least;
    const unsigned classes = 1u << class_bits;
    // (width * s) / 2^class_bits, of a width that may have all bits.
    const auto part_of_width = [=](Bits s) {
        const Bits high = width >> class_bits, low = width & (classes - 1);
        return static_cast<Bits>(high * s + (low * s >> class_bits));
    };
    for (unsigned s = threadIdx.x; s + 1 < classes; s += kThreads)
        segment.splitters[s] = takes_sample
                                   ? exchange[(s + 1) * of_class - 1]
                                   : static_cast<Bits>(segment.least + part_of_width(Bits{s} + 1));
    for (unsigned c = threadIdx.x; c < classes; c += kThreads) segment.counters[c] = 0;
    __syncthreads();
}

template <class Shape, class Offset, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void divide(const Work<Shape, Offset>& work,
                                                 Segment<Bits, Offset>& segment, unsigned level) {
    const bool takes_sample = level < kFirstEvenLevel && segment.bits() >= segment.class_bits;
    const Bits* const keys = work.numbers(segment.is_in_spare) + segment.first;
    constexpr unsigned kFewBits = 6;
    if (segment.class_bits <= kFewBits)
        divide_by_sample<2, Shape>(keys, segment, takes_sample);
    else
        divide_by_sample<4, Shape>(keys, segment, takes_sample);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
