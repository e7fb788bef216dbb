// Sorts small groups of keys, which are in order among themselves, in registers, by odd-even
// transposition.
#pragma once

#include "stream_compaction/hybrid_radix/shape.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Runs `rounds` rounds of odd-even transposition, or one more if that is odd. They sort any
/// `rounds` neighbouring keys. Keys of different groups never swap if the groups are in order, so
/// they also sort an array of groups of at most `rounds` keys. Stops early when the keys of the
/// whole warp are sorted.
template <unsigned kKeys, class Bits>
__device__ void transpose_neighbours(Bits (&key)[kKeys], unsigned rounds) {
    constexpr unsigned kRoundsWithoutLook = 2;
    const auto order = [&](unsigned i) {
        const Bits a = key[i], b = key[i + 1];
        key[i] = min(a, b), key[i + 1] = max(a, b);
    };
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round += 2) {
        if (round >= kRoundsWithoutLook) {
            bool is_sorted = true;
#pragma unroll
            for (unsigned i = 0; i + 1 < kKeys; ++i) is_sorted &= key[i] <= key[i + 1];
            if (__all_sync(kAllLanes, is_sorted)) return;
        }
#pragma unroll
        for (unsigned i = 0; i + 1 < kKeys; i += 2) order(i);
#pragma unroll
        for (unsigned i = 1; i + 1 < kKeys; i += 2) order(i);
    }
}

/// Keys of a run, which one thread sorts in registers. Odd, so there are no bank conflicts.
template <class Bits>
constexpr unsigned kRunOfThread = sizeof(Bits) == 4 ? 23 : 15;

/// Sorts a run of pairs in shared memory by insertion.
template <unsigned kKeys>
__device__ void insert_pairs(Pair* run) {
#pragma unroll 1
    for (unsigned end = 1; end < kKeys; ++end) {
        const Pair pair = run[end];
        unsigned i = end;
        for (; i > 0 && pair < run[i - 1]; --i) run[i] = run[i - 1];
        run[i] = pair;
    }
}

/// Sorts each lane's run of kKeys numbers in shared memory. The run consists of groups in order,
/// each of at most `distance` numbers in any order. All lanes call it.
template <class Shape, unsigned kKeys, class Bits = typename Shape::Bits>
__device__ void sort_run(Bits* run, bool has_run, unsigned distance) {
    if constexpr (Shape::ItemArrays::kTiedBits == 0) {
        Bits key[kKeys];
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) key[i] = has_run ? run[i] : Bits{0};
        transpose_neighbours(key, distance);
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i)
            if (has_run) run[i] = key[i];
    } else {
        // One word represents a pair: the difference of its key to the run's smallest key and, in
        // the low bits, the pair's index in the run. Runs with larger differences are sorted by
        // insertion.
        constexpr unsigned kIndexBits = 4, kFar = ~0u >> kIndexBits;
        static_assert(kKeys <= 1u << kIndexBits);
        unsigned key[kKeys], least = ~0u;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            key[i] = has_run ? static_cast<unsigned>(run[i] >> kValueBits) : 0;
            least = min(least, key[i]);
        }
        bool is_far = false;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            // The largest possible key, which also pads the last run, may differ by any amount.
            is_far |= key[i] != ~0u && key[i] - least >= kFar;
            key[i] = min(key[i] - least, kFar) << kIndexBits | i;
        }
        transpose_neighbours(key, distance);
        if (!has_run) return;
        if (is_far) return insert_pairs<kKeys>(run);
        Pair pair[kKeys];
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) pair[i] = run[key[i] % (1u << kIndexBits)];
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) run[i] = pair[i];
    }
}

/// Sorts the keys on both sides of the begin of the thread's second run.
template <class Shape, unsigned kKeys, class Bits = typename Shape::Bits>
__device__ void sort_seam(Bits* keys, unsigned count, unsigned distance) {
    const unsigned start = (threadIdx.x + 1) * kRunOfThread<Bits> - kKeys / 2;
    const bool works = start < count;
    if (!__any_sync(kAllLanes, works)) return;
    sort_run<Shape, kKeys>(keys + start, works, distance);
}

/// The size of the largest group that is sorted by sorting the runs and then the seams.
template <class Bits>
constexpr unsigned kSmallGroup = kRunOfThread<Bits> / 2;
/// The size of the largest group that is sorted if the runs are then sorted once more.
template <class Bits>
constexpr unsigned kLargestGroup = 2 * kSmallGroup<Bits>;

/// Sorts keys[0, count), which consist of groups in order, each of at most `most` keys (at most
/// kLargestGroup) in any order. There must be room for two more runs after them. Each thread sorts
/// a run, then the seam between two runs. A group of more than half a run may extend further across
/// a seam on one side. The seam then moves the keys on the other side to their final positions, and
/// sorting the runs once more finishes the sort.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_groups(Bits* keys, unsigned count, unsigned most) {
    constexpr unsigned kRun = kRunOfThread<Bits>, kHalf = kSmallGroup<Bits>;
    const unsigned own = threadIdx.x * kRun;
    if (threadIdx.x < 2 * kRun) keys[count + threadIdx.x] = ~Bits{0};
    __syncthreads();
#pragma unroll 1
    for (bool is_again = false;; is_again = true) {
        sort_run<Shape, kRun>(keys + own, own < count, most);
        __syncthreads();
        if (is_again) return;
        if (most <= (kHalf + 3) / 2)
            sort_seam<Shape, kHalf + 3>(keys, count, most);
        else
            sort_seam<Shape, 2 * kHalf>(keys, count, most);
        __syncthreads();
        if (most <= kHalf) return;
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
