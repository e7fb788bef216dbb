// The kernels of the distributed sort: one counts the digits of keys in buckets, one partitions
// keys into the buckets and the ranges between them and stores them where they belong, also on
// other GPUs, and one writes equal keys.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/distributed/buckets.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/key_map.h"
#include "stream_compaction/parts/warp.h"

#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

constexpr unsigned kThreads = 256, kWarps = kThreads / kLanes;
template <class Bits>
constexpr unsigned kItems = 64 / sizeof(Bits);  ///< of a thread
template <class Bits>
constexpr unsigned kTile = kThreads* kItems<Bits>;
/// Blocks of a kernel that a multiprocessor runs at once, and no more are launched: the others
/// would start when these have ended. With the registers that the compiler would take otherwise,
/// only two blocks partition at once: an exchange of 2^28 keys between two H200s took 1.3 ms, and
/// 0.9 ms after this bound and a faster search for bins.
constexpr unsigned kResident = 4;

/// Buckets of keys: a key belongs to a bucket if its high bits are the bucket's prefix.
template <class Bits>
struct Buckets {
    const Bits* prefixes;  ///< ascending, without duplicates
    unsigned size;
    unsigned shift;  ///< low bits of a key that are ignored
    KeyMap<Bits> map;

    __device__ Bits high(Bits number) const {
        return shift == 8 * sizeof(Bits) ? Bits{0} : number >> shift;
    }
    /// How many buckets have this prefix or a smaller one.
    __device__ unsigned up_to(Bits prefix) const {
        unsigned first = 0, count = size;
        while (count > 0) {
            const unsigned half = count / 2;
            if (prefixes[first + half] <= prefix) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    }
    /// The bin of a key. 0: before the first bucket, 1: the first bucket, 2: between the first and
    /// the second bucket, 3: the second bucket, ...
    /// @tparam kMost  there are at most this many buckets
    template <unsigned kMost>
    __device__ unsigned bin(Bits key) const {
        constexpr unsigned kFew = 8;  // are faster in turn than by halves
        const Bits prefix = high(map.number(key));
        if constexpr (kMost <= kFew) {
            unsigned bin = 0;
#pragma unroll
            for (unsigned b = 0; b < kMost; ++b)
                if (b < size)
                    bin += (prefixes[b] <= prefix ? 1 : 0) + (prefixes[b] < prefix ? 1 : 0);
            return bin;
        } else {
            const unsigned buckets = up_to(prefix);
            const bool is_in = buckets > 0 && prefixes[buckets - 1] == prefix;
            return 2 * buckets - (is_in ? 1 : 0);
        }
    }
    __host__ __device__ unsigned bins() const { return 2 * size + 1; }

    /// A copy with the prefixes in shared memory. The block must synchronise before it is used.
    __device__ Buckets copied_to(Bits* shared) const {
        for (unsigned i = threadIdx.x; i < size; i += kThreads) shared[i] = prefixes[i];
        Buckets copy = *this;
        copy.prefixes = shared;
        return copy;
    }
};

/// Loads the thread's keys of a tile: key i * kThreads + threadIdx.x for each i.
template <class Bits>
__device__ void load_tile(const Bits* keys, unsigned size, Bits (&key)[kItems<Bits>]) {
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i) {
        const unsigned place = i * kThreads + threadIdx.x;
        if (place < size) key[i] = keys[place];
    }
}
/// Calls f(i) for each key that load_tile has loaded.
template <class Bits, class F>
__device__ void for_tile(unsigned size, F f) {
#pragma unroll
    for (unsigned i = 0; i < kItems<Bits>; ++i)
        if (i * kThreads + threadIdx.x < size) f(i);
}
template <class Bits>
__device__ unsigned tile_size(std::size_t first, std::size_t n) {
    return static_cast<unsigned>(min(n - first, std::size_t{kTile<Bits>}));
}

/// For each bucket, adds to `counts` how many of its keys have each value of the digit below the
/// prefix. Blocks take tiles in turn and count in shared memory. If there is room, each digit value
/// has several counters, which the lanes share: with one counter, lanes whose keys have the same
/// digit would wait for each other. Lanes that all have the same one count as one.
/// @tparam kMost  there are at most this many buckets; 0: there is one, which contains all keys
template <class Bits, unsigned kMost>
__global__ void __launch_bounds__(kThreads, kResident)
    count_digits(const Bits* keys, std::size_t n, Buckets<Bits> all, unsigned digit_bits,
                 unsigned long long* counts) {
    constexpr unsigned kNone = ~0u;
    __shared__ unsigned counters[kCounters];
    const unsigned used = all.size << digit_bits;
    const unsigned shares = min(kLanes, kCounters >> (kLanes - __clz(used - 1)));
    const Buckets<Bits> buckets = all.copied_to(simt::dynamic_shared<Bits>());
    for (unsigned i = threadIdx.x; i < used * shares; i += kThreads) counters[i] = 0;
    __syncthreads();
    const unsigned digit_shift = all.shift - digit_bits, digits = 1u << digit_bits;
    const auto counter_of = [&](Bits key) {
        unsigned bin = 1;
        if constexpr (kMost > 0) bin = buckets.template bin<kMost>(key);
        const unsigned digit =
            static_cast<unsigned>(all.map.number(key) >> digit_shift) & (digits - 1);
        return bin % 2 == 0 ? kNone : bin / 2 * digits + digit;
    };
    for (std::size_t first = std::size_t{blockIdx.x} * kTile<Bits>; first < n;
         first += std::size_t{gridDim.x} * kTile<Bits>) {
        const unsigned size = tile_size<Bits>(first, n);
        Bits key[kItems<Bits>];
        load_tile(keys + first, size, key);
#pragma unroll
        for (unsigned i = 0; i < kItems<Bits>; ++i) {
            const bool is_key = i * kThreads + threadIdx.x < size;
            const unsigned counter = is_key ? counter_of(key[i]) : kNone;
            const unsigned of_first_lane = __shfl_sync(kAllLanes, counter, 0);
            if (__ballot_sync(kAllLanes, counter == of_first_lane) == kAllLanes) {
                if (threadIdx.x % kLanes == 0 && counter != kNone)
                    atomicAdd(&counters[counter * shares], kLanes);
            } else if (counter != kNone) {
                atomicAdd(&counters[counter * shares + threadIdx.x % shares], 1u);
            }
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < used; i += kThreads) {
        unsigned sum = 0;
        for (unsigned s = 0; s < shares; ++s) sum += counters[i * shares + s];
        if (sum > 0) atomicAdd(&counts[i], static_cast<unsigned long long>(sum));
    }
}

/// The destinations of a source's keys: the next key of a bin goes to position cursors[bin] of the
/// array arrays[bin], in the memory of this GPU or of another one. If there is no array, the keys
/// of the bin are not moved.
template <class Bits>
struct Destinations {
    Bits* const* arrays;
    unsigned long long* cursors;
};

/// A run of a bin begins in shared memory where it begins in the destination, modulo this many
/// keys, so warps store whole lines of 128 bytes. With many bins these gaps would take too much
/// memory; then it stores whole sectors of 32 bytes.
template <class Bits>
constexpr unsigned phases_of(unsigned bins) {
    constexpr unsigned kSector = 32 / sizeof(Bits), kLine = 128 / sizeof(Bits);
    return bins * kLine <= kTile<Bits> / 4 ? kLine : kSector;
}

/// The shared memory of a block for one tile and this many bins.
template <class Bits>
struct PartitionMemory {
    Bits** runs;  ///< of each bin: where its first key goes, minus where it begins in `keys`
    Bits* keys;   ///< the tile's keys in the order of their bins, with gaps
    Bits* prefixes;
    unsigned* begins;    ///< of each bin in `keys`
    unsigned* sizes;     ///< of each bin whose keys are moved; 0 for the others
    unsigned* counters;  ///< of each bin and warp; one more bin is for lanes without a key
    unsigned* sums;      ///< of each warp

    static __host__ __device__ constexpr unsigned places(unsigned bins) {
        return kTile<Bits> + bins * phases_of<Bits>(bins);
    }
    static std::size_t bytes(unsigned bins) {
        return bins * (sizeof(Bits*) + sizeof(Bits) + 2 * sizeof(unsigned)) +
               ((bins + 1) * kWarps + kWarps) * sizeof(unsigned) + places(bins) * sizeof(Bits);
    }
    __device__ explicit PartitionMemory(unsigned of_bins)
        : runs(simt::dynamic_shared<Bits*>()),
          keys(reinterpret_cast<Bits*>(runs + of_bins)),
          prefixes(keys + places(of_bins)),
          begins(reinterpret_cast<unsigned*>(prefixes + of_bins)),
          sizes(begins + of_bins),
          counters(sizes + of_bins),
          sums(counters + (of_bins + 1) * kWarps) {}
};

/// The lanes of the warp with the same bin, which has this many bits.
template <unsigned kBits>
__device__ unsigned lanes_with(unsigned bin) {
    unsigned same = kAllLanes;
#pragma unroll
    for (unsigned bit = 0; bit < kBits; ++bit) {
        const bool is_set = (bin >> bit & 1u) != 0;
        const unsigned set = __ballot_sync(kAllLanes, is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

/// Exclusive scan of the counters by a block; counters[size] becomes the total.
__device__ inline void scan_counters(unsigned* counters, unsigned size, unsigned* sums) {
    const unsigned of_thread = (size + kThreads - 1) / kThreads;
    const unsigned first = min(threadIdx.x * of_thread, size), last = min(first + of_thread, size);
    unsigned own = 0;
    for (unsigned i = first; i < last; ++i) own += counters[i];
    const unsigned up_to = sum_up_to_lane(own), warp = threadIdx.x / kLanes;
    if (threadIdx.x % kLanes == kLanes - 1) sums[warp] = up_to;
    __syncthreads();
    unsigned before = up_to - own;
    for (unsigned w = 0; w < warp; ++w) before += sums[w];
    for (unsigned i = first; i < last; ++i) {
        const unsigned count = counters[i];
        counters[i] = before;
        before += count;
    }
    if (threadIdx.x == kThreads - 1) counters[size] = before;
    __syncthreads();
}

/// Moves each key to the next free position of its bin's destination; keys of one bin come in any
/// order. Blocks take tiles in turn. Each warp counts its keys per bin in counters of its own, so
/// the rank of a key among them is the counter's old value plus the number of lower lanes with the
/// same bin. A scan over all bins and warps gives the places of all keys in shared memory. One
/// atomicAdd on the bin's cursor reserves positions for all of the tile's keys in that bin, so all
/// positions are different. Places between the runs hold no key. Their content belongs to some bin,
/// but lies outside of its run, so it is not stored.
/// @tparam kMost  there are at most this many buckets
template <class Bits, unsigned kMost>
__global__ void __launch_bounds__(kThreads, kResident)
    partition(const Bits* in, std::size_t n, Buckets<Bits> all, Destinations<Bits> to) {
    constexpr unsigned kBinBits = std::bit_width(2 * kMost + 1);
    constexpr unsigned kRankBits = std::bit_width(kTile<Bits>);
    const unsigned bins = all.bins();
    const unsigned phases = phases_of<Bits>(bins), places = PartitionMemory<Bits>::places(bins);
    const unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    const unsigned lower_lanes = (1u << lane) - 1;
    const PartitionMemory<Bits> memory(bins);
    const Buckets<Bits> buckets = all.copied_to(memory.prefixes);
    for (std::size_t first = std::size_t{blockIdx.x} * kTile<Bits>; first < n;
         first += std::size_t{gridDim.x} * kTile<Bits>) {
        const unsigned size = tile_size<Bits>(first, n);
        Bits key[kItems<Bits>];
        unsigned bin_and_rank[kItems<Bits>];
        load_tile(in + first, size, key);
        for (unsigned i = threadIdx.x; i < (bins + 1) * kWarps; i += kThreads)
            memory.counters[i] = 0;
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < kItems<Bits>; ++i) {
            const bool is_key = i * kThreads + threadIdx.x < size;
            const unsigned bin = is_key ? buckets.template bin<kMost>(key[i]) : bins;
            unsigned& counter = memory.counters[bin * kWarps + warp];
            const unsigned same = lanes_with<kBinBits>(bin), before = counter;
            bin_and_rank[i] = bin << kRankBits | (before + __popc(same & lower_lanes));
            __syncwarp();
            if ((same & lower_lanes) == 0) counter = before + __popc(same);
            __syncwarp();
        }
        __syncthreads();
        scan_counters(memory.counters, bins * kWarps, memory.sums);
        for (unsigned b = threadIdx.x; b < bins; b += kThreads) {
            const unsigned begin = memory.counters[b * kWarps];
            const unsigned keys = memory.counters[(b + 1) * kWarps] - begin;
            Bits* const array = to.arrays[b];
            const unsigned long long position =
                keys > 0 ? atomicAdd(&to.cursors[b], static_cast<unsigned long long>(keys)) : 0;
            const unsigned gap = static_cast<unsigned>(position - begin) % phases;
            memory.begins[b] = begin + b * phases + gap;
            memory.sizes[b] = array == nullptr ? 0 : keys;
            memory.runs[b] =
                array == nullptr
                    ? nullptr
                    : array + (static_cast<std::ptrdiff_t>(position) - memory.begins[b]);
        }
        __syncthreads();
        for_tile<Bits>(size, [&](unsigned i) {
            const unsigned bin = bin_and_rank[i] >> kRankBits;
            const unsigned rank = bin_and_rank[i] & ((1u << kRankBits) - 1);
            const unsigned in_bin =
                memory.counters[bin * kWarps + warp] - memory.counters[bin * kWarps] + rank;
            memory.keys[memory.begins[bin] + in_bin] = key[i];
        });
        __syncthreads();
        for (unsigned place = threadIdx.x; place < places; place += kThreads) {
            const Bits moved = memory.keys[place];
            const unsigned b = buckets.template bin<kMost>(moved);
            if (place - memory.begins[b] < memory.sizes[b]) memory.runs[b][place] = moved;
        }
        __syncthreads();  // the next tile overwrites the counters and the keys
    }
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
