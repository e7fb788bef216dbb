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

/// Buckets of keys: a key belongs to a bucket if its high bits are the bucket's prefix.
template <class Bits>
struct Buckets {
    const Bits* prefixes;  ///< ascending, without duplicates
    unsigned size;
    unsigned shift;  ///< low bits of a key that are ignored
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
/// @tparam kHasAll  there is one bucket, which contains all keys; its shift is not used
template <class Bits, bool kHasAll>
__global__ void __launch_bounds__(kThreads, 1)
    count_digits(const Bits* keys, std::size_t n, Buckets<Bits> buckets, unsigned digit_bits,
                 unsigned long long* counts) {
    unsigned* const counters = simt::dynamic_shared<unsigned>();
    const unsigned used = buckets.size << digit_bits;
    if constexpr (!kHasAll) {
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
        const unsigned bucket = kHasAll ? 0 : buckets.of(number);
        const unsigned digit = static_cast<unsigned>(number >> digit_shift) & mask;
        if (is_key && bucket < buckets.size)
            atomicAdd(&counters[(bucket << digit_bits) + digit], 1u);
    });
    add_to_all(counters, used, counts);
}

/// Adds to `counts` how often each value occurs, and at the end how many keys have another one.
/// @param values  numbers in ascending order, at most kFewValues
template <class Bits>
__global__ void __launch_bounds__(kThreads, 1)
    count_values(const Bits* keys, std::size_t n, const Bits* values, unsigned size,
                 KeyMap<Bits> map, unsigned long long* counts) {
    __shared__ Bits sorted[kFewValues];
    __shared__ unsigned counters[kFewValues + 1];
    if (threadIdx.x < kFewValues)
        sorted[threadIdx.x] = threadIdx.x < size ? values[threadIdx.x] : ~Bits{0};
    if (threadIdx.x <= size) counters[threadIdx.x] = 0;
    __syncthreads();
    for_all_keys(keys, n, [&](Bits key, bool is_key) {
        const Bits number = map.number(key);
        unsigned value = 0;  // the number of smaller values, at most kFewValues - 1
#pragma unroll
        for (unsigned step = kFewValues / 2; step > 0; step /= 2)
            value += sorted[value + step - 1] < number ? step : 0;
        if (value >= size || sorted[value] != number) value = size;
        if (is_key) atomicAdd(&counters[value], 1u);
    });
    add_to_all(counters, size + 1, counts);
}

/// Writes the same key to n places.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    fill(Bits* out, std::size_t n, Bits number, KeyMap<Bits> map) {
    const Bits key = map.key(number);
    for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * kThreads)
        out[i] = key;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
