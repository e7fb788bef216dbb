// The decisions of the host: by which strategy, with how many blocks and by how many bits n keys
// are sorted. Two host decisions are elsewhere: the launch shape (has_large_blocks in launch.h),
// and how onesweep sorts (onesweep/launch.h). The device looks at the keys themselves (sample.h).
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/parts/bit_width.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kSamples = 512;  ///< by which the device decides, with a neighbour of each

constexpr unsigned kMaxRegisterBits = 10;  ///< of the only digit if keys are kept in registers
constexpr unsigned kMaxRegisterBins = 1u << kMaxRegisterBits;

/// A range is counted if it has at most 2^bit_width(n / kKeysPerBin) values, so a bin has more than
/// half as many keys on average. The histogram and the begins are then about 2 % of 32-bit keys.
constexpr unsigned kKeysPerBin = 192;

/// The capacities of a launch shape's blocks.
struct Room {
    unsigned block_keys;  ///< that a block sorts
    unsigned tile_keys;   ///< that a block partitions at a time on the grid
    unsigned bin_bits;    ///< of a digit of a partition on the grid
};

enum class Way {
    onesweep,      ///< onesweep sorts all keys
    in_registers,  ///< one partition of keys that all blocks together hold in registers
    on_grid,       ///< one or two partitions of tiles
};

/// How many full buckets n evenly distributed keys have if they are filled to `percent`.
constexpr std::size_t buckets_of(std::size_t n, std::size_t bucket, unsigned percent) {
    return n / ((bucket * percent + 99) / 100);
}

/// The bits of a digit, or of two, whose bins are filled to at most `percent` if the keys are
/// evenly distributed over all of them.
constexpr unsigned bits_for_buckets(std::size_t n, std::size_t bucket, unsigned percent) {
    return std::max(8u, bit_width(buckets_of(n, bucket, percent)));
}

// How full an average bin is at most: if the keys fill their range, and if they do not
// (bits_to_fill). The rest is room for bins that are fuller than average. If buckets were filled
// more, 512 samples could not distinguish a full bin from an overfull one. On the grid the
// histogram can.
constexpr unsigned kPercentInRegisters = 70, kMostPercentInRegisters = 75;
constexpr unsigned kPercentOnGrid = 83, kMostPercentOnGrid = 90;

/// @param resident  blocks of the kernel for keys in registers that the device holds at once
inline Way choose_way(std::size_t n, const Thresholds& thresholds, Room room, unsigned resident) {
    constexpr std::size_t kMost = std::size_t{1} << 31;  // positions have 32 bits
    if (n <= thresholds.few || n > kMost) return Way::onesweep;
    if (n <= std::min(thresholds.in_registers, std::size_t{resident} * room.block_keys))
        return Way::in_registers;
    return bits_for_buckets(n, thresholds.bucket, kPercentOnGrid) <= 2 * room.bin_bits
               ? Way::on_grid
               : Way::onesweep;
}

/// How the keys are divided among blocks and bins.
struct Plan {
    unsigned n;
    unsigned blocks;
    unsigned tile;     ///< keys that a block partitions at a time
    unsigned bucket;   ///< the largest bin: if one has more keys, onesweep sorts them all
    unsigned bits;     ///< of all digits together, if the keys fill their range
    unsigned buckets;  ///< bins that must be in use; bits_to_fill adds bits until they are
    unsigned samples_of_full_bin;  ///< that a bin of `bucket` keys is unlikely to have
};

/// `mean` plus this many standard deviations of a count.
__host__ __device__ inline float above(float mean, float deviations) {
    return mean + deviations * sqrtf(mean);
}

/// A number of samples that is unlikely for a bin of `bucket` keys, and for a bin of evenly
/// distributed keys.
inline unsigned samples_of_full_bin(std::size_t n, std::size_t bucket, unsigned bits) {
    const float full = static_cast<float>(kSamples * bucket) / static_cast<float>(n);
    const float even = static_cast<float>(kSamples) / static_cast<float>(1u << bits);
    return static_cast<unsigned>(std::max(above(full, 3) + 2, above(even, 5.5f) + 3));
}

/// The number of blocks for n keys. A block with few keys is not worth its start, but few blocks
/// would leave multiprocessors idle.
constexpr std::size_t blocks_worth(std::size_t n) {
    constexpr std::size_t kKeysOfBlock = 2048, kFewKeysOfBlock = 512, kFewBlocks = 64;
    return std::max(ceil_div(n, kKeysOfBlock), std::min(kFewBlocks, ceil_div(n, kFewKeysOfBlock)));
}

inline Plan plan_in_registers(std::size_t n, const Thresholds& thresholds, Room room,
                              unsigned resident) {
    // Few keys (fewer than about 2^17) are sorted by onesweep faster than a full bucket by one
    // block. The largest bin therefore grows with n: 2048 keys up to n = 2^16, and
    // thresholds.bucket if n is at least 32 * thresholds.bucket (376,832 for a bucket of 11,776
    // keys).
    constexpr std::size_t kLeastBucket = 2048, kShareOfBucket = 32;
    const std::size_t blocks = std::min<std::size_t>(
        resident, std::max(blocks_worth(n), ceil_div(n, std::size_t{room.block_keys})));
    const std::size_t tile = ceil_div(n, blocks);
    const std::size_t bucket =
        std::min(thresholds.bucket, std::max(kLeastBucket, n / kShareOfBucket));
    const unsigned bits =
        std::min(bits_for_buckets(n, bucket, kPercentInRegisters), kMaxRegisterBits);
    return {.n = static_cast<unsigned>(n),
            .blocks = static_cast<unsigned>(ceil_div(n, tile)),
            .tile = static_cast<unsigned>(tile),
            .bucket = static_cast<unsigned>(bucket),
            .bits = bits,
            .buckets = static_cast<unsigned>(buckets_of(n, bucket, kMostPercentInRegisters)),
            .samples_of_full_bin = samples_of_full_bin(n, bucket, bits)};
}

/// @param resident  blocks of the kernel that the device holds at once
inline Plan plan_on_grid(std::size_t n, const Thresholds& thresholds, Room room,
                         unsigned resident) {
    const std::size_t blocks = std::min<std::size_t>(resident, blocks_worth(n));
    // With few tiles per block, all blocks get the same number of tiles.
    constexpr std::size_t kFewRounds = 12;
    const std::size_t rounds = ceil_div(n, blocks * room.tile_keys);
    const std::size_t tile = rounds > kFewRounds ? room.tile_keys : ceil_div(n, blocks * rounds);
    const unsigned bits = bits_for_buckets(n, thresholds.bucket, kPercentOnGrid);
    return {.n = static_cast<unsigned>(n),
            .blocks = static_cast<unsigned>(blocks),
            .tile = static_cast<unsigned>(tile),
            .bucket = static_cast<unsigned>(thresholds.bucket),
            .bits = bits,
            .buckets = static_cast<unsigned>(buckets_of(n, thresholds.bucket, kMostPercentOnGrid)),
            .samples_of_full_bin = samples_of_full_bin(n, thresholds.bucket, bits)};
}

/// One or two digits on the grid: the highest bits of a key, and the bits below.
struct Digits {
    unsigned first, second;  ///< bits; 0: there is no second one
    __host__ __device__ unsigned both() const { return first + second; }
};

/// One digit if one partition is enough, otherwise two of about the same size.
__host__ __device__ constexpr Digits digits_of(unsigned bits, unsigned most_bits_of_one) {
    if (bits <= most_bits_of_one) return {bits, 0};
    const unsigned second = bits - bits / 2;
    return second <= most_bits_of_one ? Digits{bits / 2, second}
                                      : Digits{most_bits_of_one, most_bits_of_one};
}

/// Keys whose range is not a power of two use fewer bins, as few as a fifth (guess_range), and fill
/// them more. Returns the bits with which `buckets` bins are in use.
/// @param range_bits  of the keys; a digit is the highest of them
/// @param spread      distance between the smallest and the largest sample
template <class Bits>
__host__ __device__ constexpr unsigned bits_to_fill(unsigned buckets, unsigned bits,
                                                    unsigned range_bits, Bits spread) {
    while (bits < range_bits && spread >> (range_bits - bits) < buckets) ++bits;
    return bits;
}
/// That is three bits at most: a fifth of the bins of a power of two more.
constexpr unsigned kMostAddedBits = 3;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
