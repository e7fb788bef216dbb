// Uneven keys that all blocks together hold in registers: divided once between splitters.
#pragma once

#include "stream_compaction/hybrid_radix/block/block_sort.h"
#include "stream_compaction/hybrid_radix/classes.h"
#include "stream_compaction/hybrid_radix/draw.h"
#include "stream_compaction/hybrid_radix/fill.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Where the block's tile begins: its keys, and its share of the output.
/// @tparam kAllHaveKeys whether all blocks have keys; a block that has none begins behind the last
/// one
template <bool kAllHaveKeys>
__device__ unsigned first_of_block(unsigned tile, unsigned n) {
    const unsigned first = blockIdx.x * tile;
    return kAllHaveKeys ? first : min(first, n);
}

/// Where all classes start, in shared memory, and which of them are of equal keys.
struct Classes {
    unsigned* begins;  ///< and behind the last class its end
    unsigned* equals;  ///< of each class a bit: it has keys, and all are equal
    unsigned count;

    static_assert(1 + kMaxDigits / kLanes <= kCountsPerRow);  // begins_behind() has room for both

    __device__ Classes(unsigned* words, unsigned count)
        : begins(words), equals(words + count + 1), count(count) {}
    __device__ unsigned words() const { return count + 1 + (count + kLanes - 1) / kLanes; }
    __device__ bool is_equal(unsigned c) const {
        return (equals[c / kLanes] >> c % kLanes & 1) != 0;
    }
    /// The first class of equal keys from `c` on, or `count`.
    __device__ unsigned next_equal(unsigned c) const {
        for (; c < count; c = (c / kLanes + 1) * kLanes)
            if (const unsigned left = equals[c / kLanes] >> c % kLanes; left != 0)
                return c + __ffs(static_cast<int>(left)) - 1;
        return count;
    }
};

/// What divides the keys: 2^class_bits - 1 splitters in order, and counters of the classes, which
/// are zero.
template <class Bits>
struct Division {
    const Bits* splitters;
    unsigned class_bits;
    unsigned* counters;
};

/// Splitters from the samples that all blocks have, in each block's own memory.
template <class Shape>
struct SampledSplitters {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kClassBits = kSampledClassBits<sizeof(Bits)>;
    static constexpr unsigned kClasses = 1u << kClassBits;
    /// Behind a tile that is moved between splitters, and behind Classes.
    static constexpr std::size_t kFirst =
        (std::max(SplitMemory<Shape, unsigned>::kBytes,
                  TileMemory<Shape, unsigned>::kFirstBegin +
                      (kClasses + 1 + kClasses / kLanes) * sizeof(unsigned)) +
         sizeof(Bits) - 1) /
        sizeof(Bits) * sizeof(Bits);
    static constexpr std::size_t kBytes = kFirst + kClasses * sizeof(Bits);
    static_assert(kClassBits <= Shape::kMaxClassBits);

    /// By a block. All blocks make the same ones.
    static __device__ const Bits* draw(Bits sampled) {
        auto* const splitters =
            reinterpret_cast<Bits*>(simt::dynamic_shared<unsigned char>() + kFirst);
        Bits key[1] = {sampled};
        sort_in_registers(key, simt::dynamic_shared<Bits>());
        constexpr unsigned kOfClass = kSamples / kClasses;
        if ((threadIdx.x + 1) % kOfClass == 0) splitters[threadIdx.x / kOfClass] = key[0];
        __syncthreads();
        return splitters;
    }
};

/// From the counts of all blocks. Whether all classes but those of equal keys fit into a block.
template <class Shape, class Bits = typename Shape::Bits>
__device__ bool plan_classes(const Work<Shape, unsigned>& work, const Division<Bits>& division,
                             const Classes& classes) {
    const unsigned scanned = max(classes.count, kCountsPerRow);
    bool is_too_full = false;
    unsigned equal[kDigitsOfThread];
#pragma unroll
    for (unsigned i = 0; i < kDigitsOfThread; ++i) {
        const unsigned c = place_of(i);
        const unsigned keys = c < classes.count ? division.counters[c] : 0;
        const bool is_equal =
            keys != 0 &&
            ClassRange<Bits>(division.splitters, classes.count, c, 0, ~Bits{0}).is_one_key();
        if (c < scanned) classes.begins[c] = keys;
        is_too_full |= keys > work.fit().bucket && !is_equal;
        equal[i] = __ballot_sync(~0u, is_equal);
    }
    if (__syncthreads_or(is_too_full)) return false;
    scan_counts<false>(classes.begins, scanned);
#pragma unroll
    for (unsigned i = 0; i < kDigitsOfThread; ++i)
        if (place_of(i) < classes.count && threadIdx.x % kLanes == 0)
            classes.equals[place_of(i) / kLanes] = equal[i];
    if (threadIdx.x == 0) classes.begins[classes.count] = work.fit().n;
    __syncthreads();
    return true;
}

/// Writes the equal keys that belong into a block's share of the output.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void fill_equals(const Work<Shape, unsigned>& work, const Bits* splitters,
                            const Classes& classes, unsigned first, unsigned size) {
    const unsigned last = digit_at(classes.begins, first + size - 1, 0, classes.count - 1);
    for (unsigned c = classes.next_equal(digit_at(classes.begins, first, 0, last)); c <= last;
         c = classes.next_equal(c + 1)) {
        const Bits number = ClassRange<Bits>(splitters, classes.count, c, 0, ~Bits{0}).least;
        const Bits key = work.map.key(number);
        const unsigned begin = max(classes.begins[c], first);
        fill_with(work.out + begin, min(classes.begins[c + 1], first + size) - begin, key);
    }
}

/// Sorts the classes that start in a block's share of the output, neighbours together.
/// @tparam kAreMerged whether by merging: of few keys that is sooner
template <bool kAreMerged, class Shape>
__device__ void sort_classes(const Work<Shape, unsigned>& work, const Classes& classes,
                             unsigned first, unsigned size) {
    const auto first_class_from = [&](unsigned place) {
        return place == 0 ? 0 : digit_at(classes.begins, place - 1, 0, classes.count) + 1;
    };
    const unsigned end = first_class_from(first + size);
    unsigned bucket = 0;
    for (unsigned c = first_class_from(first), next; c < end; c = next) {
        const unsigned equal = min(classes.next_equal(c), end);
        if (equal == c) {
            next = c + 1;
            continue;
        }
        const unsigned begin = classes.begins[c];
        next = digit_at(classes.begins, begin + work.fit().bucket, c + 1, equal);
        const unsigned keys = classes.begins[next] - begin;
        if (keys == 0) continue;
        bucket ^= 1;
        if (threadIdx.x == 0) destination<Shape>(bucket) = {work.out + begin, work.map};
        if constexpr (kAreMerged)
            sort_by_merging<Shape>(work.spare + begin, keys, bucket);
        else
            block_sort<Shape, true>(work.spare + begin, {}, keys, bucket);
    }
}

/// Sorts keys between splitters. As sort_by_one_partition: each block ranks its keys in its tile by
/// their classes, and adds its counts to those of all; when all blocks have done so, each scans the
/// counts, moves its keys, and sorts the classes that start in its share of the output. Equal keys
/// are not moved, but written by the block into whose share they fall. Where a class has too many
/// other keys for a block, nothing has been moved, the counters are zero again, and it returns
/// false.
/// @tparam kAreFew see sort_classes
template <bool kAllHaveKeys, bool kAreFew, class Shape, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) bool sort_by_one_division(const Work<Shape, unsigned>& work,
                                                               const Division<Bits>& division) {
    constexpr unsigned kItems = Shape::kSplitItems;
    constexpr unsigned kStays = 1u << 31;  // in memory.places: of equal keys
    const SplitMemory<Shape, unsigned> memory;
    unsigned* const counts = memory.counts;
    GridBarrier& barrier = work.progress->barrier;
    const unsigned first = first_of_block<kAllHaveKeys>(work.fit().tile, work.fit().n),
                   size = min(work.fit().tile, work.fit().n - first);

    Splitters<Shape, unsigned>::load(division.splitters, division.class_bits);
    Bits key[kItems];
    for_each_group<kItems>(size, [&](unsigned from, unsigned last, auto) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) key[i] = work.in[first + min(place_of(i), size - 1)];
    });
    const TileDigits<Bits> tile(0, division.class_bits);
    const unsigned class_shift = tile.shares_log2 + 2;
    clear(counts, tile.counters);
    const KeyMap<Bits> map = work.map;
#pragma unroll
    for (Bits& k : key) k = map.number(k);
    __syncthreads();
    unsigned info[kItems];
    rank_in_classes<true>(Splitters<Shape, unsigned>(), key, size, class_shift, tile.share_byte,
                          counts, info);
    __syncthreads();
    scan_counts<false>(counts, tile.counters);
    unsigned place[kDigitsOfThread];
    take_places(tile, counts, size, division.counters, place);
    stage_classes(memory, key, size, class_shift, info);
    barrier.arrive_and_wait();

    // Where the splitters were, which nobody needs any more.
    static_assert(2 * SplitMemory<Shape, unsigned>::kClasses * sizeof(Bits) >=
                  (SplitMemory<Shape, unsigned>::kClasses + kCountsPerRow) * sizeof(unsigned));
    const Classes planned(reinterpret_cast<unsigned*>(memory.splitters), tile.digits);
    if (!plan_classes(work, division, planned)) {
        barrier.arrive_and_wait([&] {
            for (unsigned c = threadIdx.x; c < tile.digits; c += kThreads) division.counters[c] = 0;
        });
        return false;
    }
    for_each_digit(tile, [&](unsigned i, unsigned c) {
        memory.places[c] = planned.is_equal(c)
                               ? kStays
                               : planned.begins[c] + place[i] - tile.begin(counts, c, size);
    });
    __syncthreads();
    for_each_group<kItems>(size, [&](unsigned from, unsigned last, auto is_full) {
#pragma unroll
        for (unsigned i = from; i < last; ++i) {
            if (!decltype(is_full)::value && place_of(i) >= size) continue;
            const unsigned to = memory.places[memory.class_of[place_of(i)]];
            if (to != kStays) work.spare[to + place_of(i)] = memory.keys[place_of(i)];
        }
    });
    const unsigned arrival = barrier.arrive();
    const Classes classes(TileMemory<Shape, unsigned>().begins_behind(), tile.digits);
    for (unsigned i = threadIdx.x; i < planned.words(); i += kThreads)
        classes.begins[i] = planned.begins[i];
    __syncthreads();
    fill_equals(work, division.splitters, classes, first, size);
    barrier.wait(arrival);
    sort_classes<kAreFew>(work, classes, first, size);
    return true;
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
