// How n keys are sorted: in which way, by how many blocks, by how many bits. The host knows sizes
// alone; what depends on the keys, or on an n that is not on the host, is decided on the device.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/parts/bit_width.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kSamples = 512;  ///< that guess the range of the keys

// On the device it has no address: std::min and the like get a value, unsigned{...}.
constexpr unsigned kMaxDigitBits = 10, kMaxDigits = 1u << kMaxDigitBits;

/// Partitioning with so few keys to a counter keeps the counters within two percent of the keys.
template <class Offset>
constexpr unsigned kKeysPerCounter = 48 * sizeof(Offset);

/// What a block of a shape has room for.
struct BlockRoom {
    unsigned keys, split_keys;  ///< of a tile: moved by digits, and between splitters
    unsigned histogram_bits;    ///< that can be counted at once
};

enum class Way { by_ranks, one_block, one_partition, on_grid };

/// @param resident blocks of the kernel for one partition that the device holds at once
/// @param is_large whether the plan's positions need 64 bits
inline Way choose_way(std::size_t n, bool in_place, bool is_large, const Limits& limits,
                      BlockRoom room, unsigned resident) {
    if (!in_place && n <= limits.ranked) return Way::by_ranks;
    if (n <= limits.one_block) return Way::one_block;
    const std::size_t most = std::min(limits.one_partition, std::size_t{resident} * room.keys);
    return !is_large && n <= most ? Way::one_partition : Way::on_grid;
}

constexpr unsigned kBlocksOfFew = 64;

// Functions that a kernel calls, too, take n as what positions are (`Size`): one thread plans while
// all others wait, and divides numbers of 32 bits sooner.

/// Few keys are not worth a block's start; so many blocks are, where there are few keys.
template <class Size>
__host__ __device__ Size blocks_worth(Size n) {
    constexpr Size kKeysOfBlock = 2048, kFewKeysOfBlock = 512;
    return std::max(ceil_div(n, kKeysOfBlock),
                    std::min(Size{kBlocksOfFew}, ceil_div(n, kFewKeysOfBlock)));
}

/// Classes between splitters from the samples alone: one for each sample of 32 bits.
template <std::size_t kKeyBytes>
constexpr unsigned kSampledClassBits = kKeyBytes == 4 ? 9 : 8;

/// So many keys that hardly ever a class has more than a bucket: of classes that begin and end at
/// random keys, one in e^11 has more than eleven times the mean.
__host__ __device__ inline unsigned most_divided_by_samples(unsigned bucket,
                                                            std::size_t key_bytes) {
    constexpr unsigned kOfMean = 11;
    const unsigned class_bits = key_bytes == 4 ? kSampledClassBits<4> : kSampledClassBits<8>;
    return (bucket << class_bits) / kOfMean;
}

/// How many digits n evenly spread keys have, where each is that full, in percent of a bucket. No
/// more than that: the lists have room for so many (notes.md).
template <class Size>
__host__ __device__ Size digits_of_buckets(Size n, unsigned bucket, unsigned percent) {
    return n / ((bucket * percent + 99) / 100);
}

/// So many bits that digits are that full at most, where the keys are spread over all of them.
template <class Size>
__host__ __device__ unsigned bits_for_buckets(Size n, unsigned bucket, unsigned percent) {
    return std::max<unsigned>(8, bit_width(digits_of_buckets(n, bucket, percent)));
}

/// Keys that lie between numbers which are no powers of two have fewer digits, and fuller ones: as
/// few as a fifth of all (guess_range). So many bits that `filled` digits have keys.
/// @param range_bits of the keys; digits are the highest of these
/// @param spread     how far the keys are from each other
template <class Bits>
__host__ __device__ unsigned bits_to_fill(unsigned filled, unsigned bits, unsigned range_bits,
                                          Bits spread) {
    while (bits < range_bits && spread >> (range_bits - bits) < filled) ++bits;
    return bits;
}

/// Keys that a block moves between splitters at a time: fewer, where else blocks had none.
template <class Size>
__host__ __device__ unsigned split_tile(Size n, unsigned blocks, BlockRoom room) {
    constexpr unsigned kOfAllThreads = 512;
    return static_cast<unsigned>(
        std::min(Size{room.split_keys}, ceil_div(n, Size{blocks * kOfAllThreads}) * kOfAllThreads));
}

/// One partition, from registers: how it is divided among the blocks,
struct PartitionTiles {
    unsigned blocks;  ///< that have keys
    unsigned tile;    ///< keys of a block
};

/// and by which bits.
struct PartitionDigits {
    unsigned bucket;  ///< that a block sorts
    unsigned digit;   ///< keys of a digit: where one has more, keys are uneven
    unsigned bits;
    unsigned filled;          ///< take more bits until so many digits have keys: see bits_to_fill
    unsigned countable_bits;  ///< keys of so many bits are counted, no more
    unsigned frequent;        ///< a digit that so many samples have has more keys
    unsigned least;           ///< where samples have fewer digits, keys are uneven
};

/// Where a cluster sorts uneven keys, it takes no longer than a block for a bucket of so many.
__host__ __device__ inline unsigned bucket_beside_cluster(unsigned n, unsigned bucket) {
    constexpr unsigned kKeys = 2048, kOfAll = 32;
    return std::min(bucket, std::max(n / kOfAll, unsigned{kKeys}));
}

/// And it is sooner than a block for so many of one digit, which may be uneven in themselves. Of
/// evenly spread keys, digits have no more: n / 57 at most, where their range lies across a power
/// of two, so that they have 57 of 256 digits (guess_range).
__host__ __device__ inline unsigned digit_beside_cluster(unsigned n, unsigned bucket) {
    constexpr unsigned kLeast = 512, kMost = 1400, kOfFew = 32, kOfAll = 48;
    return std::min(
        bucket, std::max(n / kOfAll, std::clamp(n / kOfFew, unsigned{kLeast}, unsigned{kMost})));
}

/// And it is sooner than blocks for few keys that samples find in few of the digits: what is in
/// these mostly is as uneven. (Evenly spread keys have more, unless their range lies across a power
/// of two.)
__host__ __device__ inline unsigned least_digits_beside_cluster(unsigned n, unsigned digits) {
    constexpr unsigned kFewKeys = 1u << 15;
    return n < kFewKeys ? digits * 3 / 8 : 0;
}

/// Samples of a digit, where it is expected to have `mean`, and so many times the standard
/// deviation more.
__host__ __device__ inline float samples_above(float mean, float deviations) {
    return mean + deviations * sqrtf(mean);
}

/// @param resident how many blocks there may be; beside a cluster whole clusters of them
/// @param cluster  blocks of the clusters in which the kernel is launched, whole ones; or 0
__host__ __device__ inline PartitionTiles plan_tiles(unsigned n, BlockRoom room, unsigned resident,
                                                     unsigned cluster) {
    unsigned blocks = std::min(resident, std::max(blocks_worth(n), ceil_div(n, room.keys)));
    if (cluster > 0) blocks = ceil_div(blocks, cluster) * cluster;
    const unsigned tile = ceil_div(n, blocks);
    return {ceil_div(n, tile), tile};
}

/// Keys of a bucket, where n are partitioned once.
__host__ __device__ inline unsigned bucket_of_partition(unsigned n, const Limits& limits,
                                                        unsigned cluster) {
    const auto most = static_cast<unsigned>(limits.bucket);
    return cluster > 0 ? bucket_beside_cluster(n, most) : most;
}

__host__ __device__ inline PartitionDigits plan_digits(unsigned n, const Limits& limits,
                                                       unsigned cluster) {
    const unsigned bucket = bucket_of_partition(n, limits, cluster);
    const unsigned digit = cluster > 0 ? digit_beside_cluster(n, bucket) : bucket;
    // Fuller ones could not be told from uneven ones by so few samples.
    constexpr unsigned kPercent = 70, kMostPercent = 75;
    const unsigned bits = std::min(bits_for_buckets(n, bucket, kPercent), unsigned{kMaxDigitBits});
    // As many as of a full digit's keys are expected, and three standard deviations more. But so
    // many that of evenly spread keys hardly ever one of all digits has more.
    const float of_full = 1.0f * kSamples * digit / n, of_even = 1.0f * kSamples / (1u << bits);
    const float frequent =
        std::max<float>(samples_above(of_full, 3) + 2, samples_above(of_even, 5.5f) + 3);
    return {.bucket = bucket,
            .digit = digit,
            .bits = bits,
            .filled = digits_of_buckets(n, bucket, kMostPercent),
            .countable_bits = std::min<unsigned>(bit_width(n / kKeysPerCounter<unsigned>),
                                                 unsigned{kMaxDigitBits}),
            .frequent = static_cast<unsigned>(std::min<float>(frequent, kSamples)),
            .least = cluster > 0 ? least_digits_beside_cluster(n, 1u << bits) : 0};
}

/// Digits of the first two partitions on the grid.
struct GridDigits {
    unsigned first, second;
    bool is_split_again;  ///< whether one histogram is not enough for both
};

__host__ __device__ inline GridDigits digits_on_grid(unsigned bits, unsigned histogram_bits) {
    if (bits <= kMaxDigitBits) return {bits, 0, false};
    if (bits <= histogram_bits) return {bits / 2, bits - bits / 2, false};
    const unsigned first = std::clamp(bits - 9, 8u, unsigned{kMaxDigitBits});
    return {first, std::min(bits - first, unsigned{kMaxDigitBits}), true};
}

/// Partitions on the grid, as often as it takes.
struct GridPlan {
    unsigned blocks;
    unsigned tile;           ///< keys that a block partitions at a time
    unsigned digit_bits;     ///< of the first two partitions
    unsigned filled_digits;  ///< take more bits until so many have keys: see bits_to_fill
};

/// @param resident blocks of the kernel that the device holds at once
template <class Size>
__host__ __device__ GridPlan plan_on_grid(Size n, const Limits& limits, BlockRoom room,
                                          unsigned resident) {
    const auto bucket = static_cast<unsigned>(limits.bucket);
    constexpr unsigned kPercent = 83, kMostPercent = 90;
    GridPlan plan{};
    plan.digit_bits = bits_for_buckets(n, bucket, kPercent);
    plan.filled_digits = static_cast<unsigned>(digits_of_buckets(n, bucket, kMostPercent));
    plan.blocks = static_cast<unsigned>(std::min(Size{resident}, blocks_worth(n)));
    // Of few tiles, all blocks have the same number; the last block has none.
    const unsigned movers = std::max(plan.blocks - 1, 1u);
    const Size rounds = ceil_div(n, Size{movers} * room.keys);
    plan.tile = rounds > 12
                    ? room.keys
                    : static_cast<unsigned>(ceil_div(n, static_cast<Size>(movers * rounds)));
    return plan;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
