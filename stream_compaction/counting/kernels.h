// The three kernels of a call: count the keys, find where each value begins in the output, fill the
// output.
#pragma once

#include "stream_compaction/counting/counters.h"
#include "stream_compaction/parts/key_map.h"

#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::counting {

/// Keys of any order and the numbers from 0 to kValues - 1 in the same order. Both are the high
/// bits of a word.
template <class Bits>
struct NumberOf {
    static constexpr unsigned kShift = 32 - 8 * sizeof(Bits);
    KeyMap<unsigned> map;

    __device__ Bits key(unsigned number) const {
        return static_cast<Bits>(map.key(number << kShift) >> kShift);
    }
};

/// An array of keys as vectors that are aligned, and the keys before and behind them.
template <class Bits, class Offset>
struct Vectors {
    Offset head, size, tail;  ///< keys, vectors, keys

    __device__ Vectors(const Bits* array, Offset n) {
        const auto past = reinterpret_cast<std::uintptr_t>(array) % sizeof(uint4);
        const auto until = static_cast<unsigned>((sizeof(uint4) - past) % sizeof(uint4));
        head = min(n, Offset{until / unsigned{sizeof(Bits)}});
        size = (n - head) / kOfVector<Bits>;
        tail = n - head - size * kOfVector<Bits>;
    }
};

/// f(i) for the places of an array that are in no vector; a thread has two at most.
template <class Bits, class Offset, class F>
__device__ void for_odd_places(const Vectors<Bits, Offset>& vectors, Offset n, F f) {
    if (threadIdx.x < vectors.head) f(Offset{threadIdx.x});
    if (threadIdx.x < vectors.tail) f(n - vectors.tail + threadIdx.x);
}

/// Adds how often each key, as bits, occurs to its count.
template <class Bits, unsigned kGroups, class Offset>
__global__ void __launch_bounds__(kThreads) count_keys(const Bits* in, Offset n, Offset* counts) {
    using Own = Counters<Bits, kGroups>;
    const Own counters;
    for (unsigned i = threadIdx.x; i < Own::kWords; i += kThreads) counters.words[i] = 0;
    __syncthreads();

    const Vectors<Bits, Offset> vectors(in, n);
    const uint4* const from = reinterpret_cast<const uint4*>(in + vectors.head);
    const unsigned block = blockIdx.x / kGroups, blocks = gridDim.x / kGroups;
    if (block == 0) for_odd_places(vectors, n, [&](Offset i) { counters.add(in[i], counts); });
    constexpr unsigned kStep = kThreads * kVectors;
    for (Offset first = Offset{block} * kStep; first < vectors.size;
         first += Offset{blocks} * kStep) {
        uint4 vector[kVectors] = {};
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v)
            if (const Offset i = first + v * kThreads + threadIdx.x; i < vectors.size)
                vector[v] = from[i];
        const bool is_whole = vectors.size - first >= kStep;
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v) {
            const unsigned word[4] = {vector[v].x, vector[v].y, vector[v].z, vector[v].w};
            Bits key[kOfVector<Bits>];
#pragma unroll
            for (unsigned k = 0; k < kOfVector<Bits>; ++k) {
                constexpr unsigned kOfWord = 4 / sizeof(Bits);
                key[k] = static_cast<Bits>(word[k / kOfWord] >> k % kOfWord * 8 * sizeof(Bits));
            }
            if (is_whole)
                counters.add_of_warp(key, counts);
            else if (first + v * kThreads + threadIdx.x < vectors.size)
                for (const Bits one : key) counters.add(one, counts);
        }
        counters.end_tile();
    }
    __syncthreads();
    counters.flush(counts);
}

/// The sum over a block, in every thread.
template <class T>
__device__ T sum_of_block(T value) {
    __shared__ T sums[kThreads / kLanes];
    value = sum_of_lanes(value);
    if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = value;
    __syncthreads();
    return sum_of_lanes(sums[threadIdx.x % kLanes]);
}

/// Where each number begins in the output, by blocks that have kThreads of them. Each adds up all
/// counts before its own, and so needs no other block.
template <class Bits, class Offset>
__global__ void __launch_bounds__(kThreads)
    place_numbers(const Offset* counts, Offset* begins, NumberOf<Bits> map) {
    static_assert(kThreads == kLanes * kLanes);  // the warps' sums are those of one warp
    __shared__ Offset sums[kLanes];
    const unsigned first = blockIdx.x * kThreads, own = first + threadIdx.x;
    const auto count_of = [&](unsigned number) {
        return number < kValues<Bits> ? counts[map.key(number) * kStride<Bits>] : Offset{0};
    };
    Offset before = 0;
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < first; i += kThreads) before += count_of(i);
    before = sum_of_block(before);

    const Offset count = count_of(own), up_to = sum_up_to_lane(count);
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    if (lane == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    const Offset of_warp = sums[lane];
    const Offset of_warps_before = sum_up_to_lane(of_warp) - of_warp;
    if (own < kValues<Bits>)
        begins[own] = before + __shfl_sync(kAllLanes, of_warps_before, warp) + up_to - count;
}

/// Of `fill`: places of numbers.
constexpr std::size_t kStagedBytes = kThreads * sizeof(unsigned);

/// Numbers of a part of the output: the one that is there first, and those that begin behind it.
/// The latter's places are staged in shared memory, if there is room for them: so it is but for a
/// few parts, since there are not many numbers.
template <class Bits, class Offset>
class Numbers {
  public:
    /// For parts from a place of the output on.
    __device__ Numbers(const Offset* begins, Offset first) : begins_(begins), first_(first) {
        unsigned high = kValues<Bits> - 1;
        while (low_ < high) {
            const unsigned middle = (low_ + high + 1) / 2;
            if (begins[middle] <= first)
                low_ = middle;
            else
                high = middle - 1;
        }
    }

    /// To the part from `first` to `end`, right behind the one before. The whole block calls it.
    __device__ void go_on(Offset first, Offset end) {
        __syncthreads();  // nobody needs what is staged
        low_ += begun_, first_ = first;
        const unsigned number = low_ + 1 + threadIdx.x;
        const Offset begin = number < kValues<Bits> ? begins_[number] : end;
        const bool is_in = begin < end;
        if (is_in) staged()[threadIdx.x] = begin > first ? static_cast<unsigned>(begin - first) : 0;
        begun_ = static_cast<unsigned>(__syncthreads_count(is_in));
        is_staged_ = begun_ < kThreads;
        if (!is_staged_) begun_ = begun_before(end) - low_ - 1;
    }

    __device__ bool is_one() const { return begun_ == 0; }
    __device__ unsigned first() const { return low_; }

    /// f(k, number) for the places first + at + k, of which there are so many.
    template <unsigned kPlaces, class F>
    __device__ void for_places(unsigned at, F f) const {
        unsigned i = begun_up_to(at), next = place_behind(i);
        if (next >= at + kPlaces) {
#pragma unroll
            for (unsigned k = 0; k < kPlaces; ++k) f(k, low_ + i);
            return;
        }
        // Thousands of numbers may begin at one place: those that do not occur.
#pragma unroll
        for (unsigned k = 0; k < kPlaces; ++k) {
            if (next <= at + k) {
                i = begun_up_to(at + k);
                next = place_behind(i);
            }
            f(k, low_ + i);
        }
    }

  private:
    static __device__ unsigned* staged() { return simt::dynamic_shared<unsigned>(); }

    /// How many begin at a place of the part or in front of it, behind the first one.
    __device__ unsigned begun_up_to(unsigned place) const {
        return is_staged_ ? staged_up_to(place) : begun_before(first_ + place + 1) - low_ - 1;
    }
    /// The place where the next one begins.
    __device__ unsigned place_behind(unsigned begun) const {
        if (begun >= begun_) return ~0u;
        return is_staged_ ? staged()[begun]
                          : static_cast<unsigned>(begins_[low_ + 1 + begun] - first_);
    }
    /// Of those that are staged, how many begin at a place or in front of it.
    __device__ unsigned staged_up_to(unsigned place) const {
        unsigned low = 0, high = begun_;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (staged()[middle] <= place)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /// The first number that begins at a place or behind it, from low_ + 1 on.
    __device__ unsigned begun_before(Offset place) const {
        unsigned low = low_ + 1, high = kValues<Bits>;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (begins_[middle] < place)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const Offset* begins_;
    Offset first_;
    unsigned low_ = 0, begun_ = 0;
    bool is_staged_ = true;
};

/// Writes each number's key from where it begins up to where the next one does, and clears the
/// counts for the next call. A block writes one part of the output.
template <class Bits, class Offset>
__global__ void __launch_bounds__(kThreads)
    fill(Bits* out, Offset n, const Offset* begins, NumberOf<Bits> map, Offset* counts) {
    constexpr unsigned kPlaces = kOfVector<Bits>, kStep = kThreads * kVectors;
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kCounts<Bits>;
         i += gridDim.x * kThreads)
        counts[i] = 0;

    const Vectors<Bits, Offset> vectors(out, n);
    if (blockIdx.x == 0) {
        for_odd_places(vectors, n, [&](Offset i) {
            out[i] = map.key(Numbers<Bits, Offset>(begins, i).first());
        });
    }
    const Offset of_block = (vectors.size / gridDim.x / kStep + 1) * kStep;
    const Offset begin = min(Offset{blockIdx.x} * of_block, vectors.size);
    const Offset end = min(begin + of_block, vectors.size);
    if (begin == end) return;
    uint4* const to = reinterpret_cast<uint4*>(out + vectors.head);
    Numbers<Bits, Offset> numbers(begins, vectors.head + begin * kPlaces);
    for (Offset first = begin; first < end; first += kStep) {
        const auto size = static_cast<unsigned>(min(end - first, Offset{kStep}));
        const Offset place = vectors.head + first * kPlaces;
        numbers.go_on(place, place + size * kPlaces);
        for (unsigned i = threadIdx.x; i < size; i += kThreads) {
            unsigned word[4] = {};
            const auto put = [&](unsigned k, unsigned number) {
                constexpr unsigned kOfWord = 4 / sizeof(Bits);
                word[k / kOfWord] |= unsigned{map.key(number)} << k % kOfWord * 8 * sizeof(Bits);
            };
            if (numbers.is_one()) {
#pragma unroll
                for (unsigned k = 0; k < kPlaces; ++k) put(k, numbers.first());
            } else {
                numbers.template for_places<kPlaces>(i * kPlaces, put);
            }
            to[first + i] = make_uint4(word[0], word[1], word[2], word[3]);
        }
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
