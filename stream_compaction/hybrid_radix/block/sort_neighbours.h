// Sorts keys that are near their places, by networks.
#pragma once

#include "stream_compaction/hybrid_radix/block/shape.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// So many rounds, made even, of odd-even transposition: it sorts what is that close to its place.
/// Fewer, where the warp's keys are sorted before.
template <unsigned kKeys, class Bits>
__device__ void transpose_neighbours(Bits (&key)[kKeys], unsigned rounds) {
    constexpr unsigned kSeldomEnough = 2;  // rounds, to sort a warp's keys
    const auto order = [&](unsigned i) {
        const Bits a = key[i], b = key[i + 1];
        key[i] = min(a, b), key[i + 1] = max(a, b);
    };
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round += 2) {
        if (round >= kSeldomEnough) {
            bool is_sorted = true;
#pragma unroll
            for (unsigned i = 0; i + 1 < kKeys; ++i) is_sorted &= key[i] <= key[i + 1];
            if (__all_sync(~0u, is_sorted)) return;
        }
#pragma unroll
        for (unsigned i = 0; i + 1 < kKeys; i += 2) order(i);
#pragma unroll
        for (unsigned i = 1; i + 1 < kKeys; i += 2) order(i);
    }
}

/// Numbers of a run that a thread sorts in registers. Odd, so that there are no bank conflicts.
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

/// Sorts each lane's run in shared memory, of kKeys numbers of which none is more than `distance`
/// from its place. All lanes call it.
template <class Shape, unsigned kKeys, class Bits = typename Shape::Bits>
__device__ void sort_run(Bits* run, bool has_run, unsigned distance) {
    if constexpr (std::is_same_v<typename Shape::Arrays, PlacedPairs>) {
        // A word for each pair: by how much it is more than the run's first one, and 2^31. Words
        // take half of the registers that pairs would. Where pairs are too far apart, which few
        // runs' are, they are inserted.
        constexpr Pair kBehind = ~Pair{0};  // as behind the last pair
        constexpr unsigned kZero = 1u << 31;
        const Pair first = has_run ? run[0] : 0;
        unsigned word[kKeys];
        bool is_far = false;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            const Pair pair = has_run ? run[i] : 0, more = pair - first + kZero;
            is_far |= pair != kBehind && more >= ~0u;
            word[i] = pair == kBehind ? ~0u : static_cast<unsigned>(more);
        }
        transpose_neighbours(word, distance);
        if (!has_run) return;
        if (is_far) return insert_pairs<kKeys>(run);
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i)
            run[i] = word[i] == ~0u ? kBehind : first - kZero + word[i];
    } else if constexpr (Shape::Arrays::kTiedBits == 0) {
        Bits key[kKeys];
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) key[i] = has_run ? run[i] : Bits{0};
        transpose_neighbours(key, distance);
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i)
            if (has_run) run[i] = key[i];
    } else {
        // A word for each pair, too: by how much its key is more than the run's least, and below
        // that the pair's place in the run.
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
            // The largest key, as behind the last pair, may be any distance from the others.
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

/// Sorts the keys around the start of the thread's second run, of which none is more than
/// `distance` from its place.
template <class Shape, unsigned kKeys, class Bits = typename Shape::Bits>
__device__ void sort_seam(Bits* keys, unsigned count, unsigned distance) {
    const unsigned start = (threadIdx.x + 1) * kRunOfThread<Bits> - kKeys / 2;
    const bool works = start < count;
    if (!__any_sync(~0u, works)) return;
    sort_run<Shape, kKeys>(keys + start, works, distance);
}

/// Keys of a group that networks sort: in a run and a seam, or then in the run again.
template <class Bits>
constexpr unsigned kFewOfGroup = kRunOfThread<Bits> / 2;
template <class Bits>
constexpr unsigned kMoreOfGroup = 2 * kFewOfGroup<Bits>;

/// Sorts keys[0, count), which are in groups that are in order, of `most` keys at most, which is
/// kMoreOfGroup or less. Behind them there is room for two runs. Each thread sorts a run in
/// registers, and then another one across the ends of the first. Where a group may reach farther to
/// one side of a run's end, what is on the other side is in its place then; the run is sorted
/// again.
template <class Shape, class Bits = typename Shape::Bits>
__device__ void sort_neighbours(Bits* keys, unsigned count, unsigned most) {
    constexpr unsigned kRun = kRunOfThread<Bits>, kHalf = kFewOfGroup<Bits>;
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
