// The kernels of the distributed sort that move no key: they sample keys, count digits of keys in
// buckets, count few values, and write equal keys.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/distributed/cuts.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/key_map.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

constexpr unsigned kThreads = 1024;  ///< the largest histogram leaves room for one block
template <class Bits>
constexpr unsigned kItems = 64 / sizeof(Bits);  ///< loads in flight of a thread
template <class Bits>
constexpr unsigned kTile = kThreads* kItems<Bits>;

constexpr unsigned kSamples = 256;   ///< of a rank
constexpr unsigned kFewValues = 64;  ///< that are counted instead of moved
constexpr unsigned kSlotBits = 11;   ///< of a hash table of these values

/// Writes the numbers of kSamples keys, at equal distances, by one thread each.
template <class Bits>
__global__ void sample(const Bits* keys, std::size_t n, KeyMap<Bits> map,
                       unsigned long long* numbers) {
    numbers[threadIdx.x] =
        map.number(keys[n / kSamples * threadIdx.x + n % kSamples * threadIdx.x / kSamples]);
}

/// Calls f(key, is_key) for all keys. Blocks take tiles in turn.
template <class Bits, class F>
__device__ void for_all_keys(const Bits* keys, std::size_t n, F f) {
    for (std::size_t first = std::size_t{blockIdx.x} * kTile<Bits>; first < n;
         first += std::size_t{gridDim.x} * kTile<Bits>) {
        const auto size = static_cast<unsigned>(min(n - first, std::size_t{kTile<Bits>}));
        Bits key[kItems<Bits>];
#pragma unroll
        for (unsigned i = 0; i < kItems<Bits>; ++i)
            key[i] = keys[first + min(i * kThreads + threadIdx.x, size - 1)];
#pragma unroll
        for (unsigned i = 0; i < kItems<Bits>; ++i) f(key[i], i * kThreads + threadIdx.x < size);
    }
}

/// Buckets of keys: a key belongs to a bucket if the high bits of its number are the bucket's
/// prefix.
template <class Bits>
struct Buckets {
    const Bits* prefixes;  ///< ascending, without duplicates
    unsigned size;
    unsigned shift;  ///< low bits of a number that are ignored
    Bits first;      ///< the smallest number of the first bucket
    Bits last;       ///< the largest one
    KeyMap<Bits> map;

    /// The bucket of a number; `size` if there is none.
    __device__ unsigned of(Bits number) const {
        const Bits prefix = number >> shift;
        unsigned first = 0, count = size;
        while (count > 0) {
            const unsigned half = count / 2;
            if (prefixes[first + half] < prefix) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first < size && prefixes[first] == prefix ? first : size;
    }
};

/// Adds a block's counters to those of all blocks.
__device__ inline void add_to_all(const unsigned* counters, unsigned size,
                                  unsigned long long* counts) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += kThreads)
        if (counters[i] > 0) atomicAdd(&counts[i], static_cast<unsigned long long>(counters[i]));
}

/// For each bucket, adds to `counts` how many of its keys have each value of the digit below the
/// prefix. Blocks count in shared memory. An atomicAdd of 1 whose result is not used counts equal
/// digits of a warp together, so lanes with the same digit do not wait for each other.
/// @tparam kIsOne  there is one bucket, from `first` to `last`
template <class Bits, bool kIsOne>
__global__ void __launch_bounds__(kThreads, 1)
    count_digits(const Bits* keys, std::size_t n, Buckets<Bits> buckets, unsigned digit_bits,
                 unsigned long long* counts) {
    unsigned* const counters = simt::dynamic_shared<unsigned>();
    const unsigned used = buckets.size << digit_bits;
    if constexpr (!kIsOne) {
        __shared__ Bits prefixes[kMostRanks];
        for (unsigned i = threadIdx.x; i < buckets.size; i += kThreads)
            prefixes[i] = buckets.prefixes[i];
        buckets.prefixes = prefixes;
    }
    for (unsigned i = threadIdx.x; i < used; i += kThreads) counters[i] = 0;
    __syncthreads();
    const unsigned digit_shift = buckets.shift - digit_bits, mask = (1u << digit_bits) - 1;
    for_all_keys(keys, n, [&](Bits key, bool is_key) {
        const Bits number = buckets.map.number(key);
        unsigned bucket = 0;
        if constexpr (kIsOne)
            bucket = number - buckets.first <= buckets.last - buckets.first ? 0 : 1;
        else
            bucket = buckets.of(number);
        const unsigned digit = static_cast<unsigned>(number >> digit_shift) & mask;
        if (is_key && bucket < buckets.size)
            atomicAdd(&counters[(bucket << digit_bits) + digit], 1u);
    });
    add_to_all(counters, used, counts);
}

/// The slot of a number in a hash table.
template <class Bits>
__host__ __device__ constexpr unsigned slot_of(Bits number, Bits multiplier) {
    return static_cast<unsigned>(number * multiplier >> (8 * sizeof(Bits) - kSlotBits));
}

/// Adds to `counts` how often each value occurs, and at the end how many keys have another one.
/// @param values      numbers, at least one and at most kFewValues
/// @param multiplier  gives each of them a slot of its own
template <class Bits>
__global__ void __launch_bounds__(kThreads, 1)
    count_values(const Bits* keys, std::size_t n, const Bits* values, unsigned size,
                 Bits multiplier, KeyMap<Bits> map, unsigned long long* counts) {
    constexpr unsigned kSlots = 1u << kSlotBits;
    __shared__ Bits table[kSlots];  // an unused slot holds a value whose slot is another one
    __shared__ unsigned counters[kSlots + 1];
    for (unsigned i = threadIdx.x; i < kSlots; i += kThreads) table[i] = values[0];
    for (unsigned i = threadIdx.x; i <= kSlots; i += kThreads) counters[i] = 0;
    const unsigned own = threadIdx.x < size ? slot_of(values[threadIdx.x], multiplier) : kSlots;
    __syncthreads();
    if (threadIdx.x < size) table[own] = values[threadIdx.x];
    __syncthreads();
    for_all_keys(keys, n, [&](Bits key, bool is_key) {
        const Bits number = map.number(key);
        const unsigned slot = slot_of(number, multiplier);
        if (is_key) atomicAdd(&counters[table[slot] == number ? slot : kSlots], 1u);
    });
    __syncthreads();
    if (threadIdx.x <= size && counters[own] > 0)
        atomicAdd(&counts[threadIdx.x], static_cast<unsigned long long>(counters[own]));
}

/// Runs of equal keys, one after the other.
template <class Bits>
struct Runs {
    unsigned size = 0;  ///< number of runs
    Bits numbers[kFewValues];
    std::size_t ends[kFewValues];
};

/// Writes at least one run.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    fill(Bits* out, const __grid_constant__ Runs<Bits> runs, KeyMap<Bits> map) {
    __shared__ Bits keys[kFewValues];
    __shared__ std::size_t ends[kFewValues];
    if (threadIdx.x < runs.size) {
        keys[threadIdx.x] = map.key(runs.numbers[threadIdx.x]);
        ends[threadIdx.x] = runs.ends[threadIdx.x];
    }
    __syncthreads();
    const std::size_t n = ends[runs.size - 1];
    unsigned run = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * kThreads) {
        while (ends[run] <= i) ++run;
        out[i] = keys[run];
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
