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
    std::size_t keys, split_keys;  ///< of a tile: moved by digits, and between splitters
    unsigned histogram_bits;       ///< that can be counted at once
};

enum class Way { by_ranks, one_block, one_partition, on_grid };

/// @param resident blocks of the kernel for one partition that the device holds at once
/// @param is_large whether the plan's positions need 64 bits
inline Way choose_way(std::size_t n, bool in_place, bool is_large, const Limits& limits,
                      BlockRoom room, unsigned resident) {
    if (!in_place && n <= limits.ranked) return Way::by_ranks;
    if (n <= limits.one_block) return Way::one_block;
    const std::size_t most = std::min(limits.one_partition, resident * room.keys);
    return !is_large && n <= most ? Way::one_partition : Way::on_grid;
}

constexpr unsigned kBlocksOfFew = 64;

/// Few keys are not worth a block's start; so many blocks are, where there are few keys.
__host__ __device__ inline std::size_t blocks_worth(std::size_t n) {
    constexpr std::size_t kKeysOfBlock = 2048, kFewKeysOfBlock = 512;
    return std::max(ceil_div(n, kKeysOfBlock),
                    std::min(std::size_t{kBlocksOfFew}, ceil_div(n, kFewKeysOfBlock)));
}

/// Classes between splitters from the samples alone: one for each sample of 32 bits.
template <std::size_t kKeyBytes>
constexpr unsigned kSampledClassBits = kKeyBytes == 4 ? 9 : 8;

/// So many keys that hardly ever a class has more than a bucket: of classes that begin and end at
/// random keys, one in e^11 has more than eleven times the mean.
__host__ __device__ inline std::size_t most_divided_by_samples(std::size_t bucket,
                                                               std::size_t key_bytes) {
    constexpr std::size_t kOfMean = 11;
    const unsigned class_bits = key_bytes == 4 ? kSampledClassBits<4> : kSampledClassBits<8>;
    return (bucket << class_bits) / kOfMean;
}

/// So many bits that buckets are that full at most, in percent, where keys are evenly spread.
__host__ __device__ inline unsigned bits_for_buckets(std::size_t n, std::size_t bucket,
                                                     unsigned percent) {
    return std::max<unsigned>(8, bit_width(n * 100 / percent / bucket));
}

/// Keys that a block moves between splitters at a time: fewer, where else blocks had none.
__host__ __device__ inline unsigned split_tile(std::size_t n, unsigned blocks, BlockRoom room) {
    constexpr std::size_t kOfAllThreads = 512;
    return static_cast<unsigned>(
        std::min(room.split_keys, ceil_div(n, blocks * kOfAllThreads) * kOfAllThreads));
}

/// One partition, from registers.
struct PartitionPlan {
    unsigned blocks;
    unsigned tile;    ///< keys of a block
    unsigned bucket;  ///< that a block sorts
    unsigned digit;   ///< keys of a digit: where one has more, keys are uneven
    unsigned digit_bits;
    unsigned countable_bits;  ///< keys of so many bits are counted, no more
    unsigned frequent;        ///< a digit that so many samples have has more keys
    unsigned least_digits;    ///< where samples have fewer digits, keys are uneven
};

/// Where a cluster sorts uneven keys, it takes no longer than a block for a bucket of so many.
__host__ __device__ inline std::size_t bucket_beside_cluster(std::size_t n, std::size_t bucket) {
    constexpr std::size_t kKeys = 2048, kOfAll = 32;
    return std::min(bucket, std::max(n / kOfAll, std::size_t{kKeys}));
}

/// And it is sooner than a block for so many of one digit, which may be uneven in themselves. Of
/// evenly spread keys, digits have no more: n / 57 at most, where their range lies across a power
/// of two, so that they have 57 of 256 digits (guess_range).
__host__ __device__ inline std::size_t digit_beside_cluster(std::size_t n, std::size_t bucket) {
    constexpr std::size_t kLeast = 512, kMost = 1400, kOfFew = 32, kOfAll = 48;
    return std::min(bucket, std::max(n / kOfAll, std::clamp(n / kOfFew, std::size_t{kLeast},
                                                            std::size_t{kMost})));
}

/// And it is sooner than blocks for few keys that samples find in few of the digits: what is in
/// these mostly is as uneven. (Evenly spread keys have more, unless their range lies across a power
/// of two.)
__host__ __device__ inline unsigned least_digits_beside_cluster(std::size_t n, unsigned digits) {
    constexpr std::size_t kFewKeys = std::size_t{1} << 15;
    return n < kFewKeys ? digits * 3 / 8 : 0;
}

/// @param resident how many blocks there may be; beside a cluster whole clusters of them
/// @param cluster  blocks of the clusters in which the kernel is launched, whole ones; or 0
__host__ __device__ inline PartitionPlan plan_one_partition(std::size_t n, const Limits& limits,
                                                            BlockRoom room, unsigned resident,
                                                            unsigned cluster) {
    const std::size_t bucket =
        cluster > 0 ? bucket_beside_cluster(n, limits.bucket) : limits.bucket;
    const std::size_t digit = cluster > 0 ? digit_beside_cluster(n, bucket) : bucket;
    const std::size_t wanted = std::max(blocks_worth(n), ceil_div(n, room.keys));
    std::size_t blocks = std::min<std::size_t>(resident, wanted);
    if (cluster > 0) blocks = ceil_div(blocks, cluster) * cluster;
    const std::size_t share = ceil_div(n, blocks);
    // Fuller ones could not be told from uneven ones by so few samples.
    constexpr unsigned kPercent = 70;
    const unsigned digit_bits =
        std::min(bits_for_buckets(n, bucket, kPercent), unsigned{kMaxDigitBits});
    // As many as of a full digit's keys are expected, and three standard deviations more. But so
    // many that of evenly spread keys hardly ever one of all digits has more.
    const double of_full = 1.0 * kSamples * digit / n,
                 of_even = 1.0 * kSamples / (1u << digit_bits);
    const double frequent = std::max<double>(of_full + 3 * std::sqrt(of_full) + 2,
                                             of_even + 5.5 * std::sqrt(of_even) + 3);
    return {.blocks = static_cast<unsigned>(ceil_div(n, share)),
            .tile = static_cast<unsigned>(share),
            .bucket = static_cast<unsigned>(bucket),
            .digit = static_cast<unsigned>(digit),
            .digit_bits = digit_bits,
            .countable_bits = std::min<unsigned>(bit_width(n / kKeysPerCounter<unsigned>),
                                                 unsigned{kMaxDigitBits}),
            .frequent = static_cast<unsigned>(std::min<double>(frequent, kSamples)),
            .least_digits = cluster > 0 ? least_digits_beside_cluster(n, 1u << digit_bits) : 0};
}

/// Partitions on the grid, as often as it takes.
struct GridPlan {
    unsigned blocks;
    unsigned tile;           ///< keys that a block partitions at a time
    unsigned digit_bits[2];  ///< of the first two partitions
    bool is_split_again;     ///< whether one histogram is not enough for both
};

/// @param resident blocks of the kernel that the device holds at once
__host__ __device__ inline GridPlan plan_on_grid(std::size_t n, const Limits& limits,
                                                 BlockRoom room, unsigned resident) {
    GridPlan plan{};
    constexpr unsigned kPercent = 75;
    const unsigned bits = bits_for_buckets(n, limits.bucket, kPercent);
    plan.is_split_again = bits > room.histogram_bits;
    if (bits <= kMaxDigitBits)
        plan.digit_bits[0] = bits;
    else if (!plan.is_split_again)
        plan.digit_bits[0] = bits / 2, plan.digit_bits[1] = bits - bits / 2;
    else {
        plan.digit_bits[0] = std::clamp(bits - 9, 8u, unsigned{kMaxDigitBits});
        plan.digit_bits[1] = std::min(bits - plan.digit_bits[0], unsigned{kMaxDigitBits});
    }

    plan.blocks = static_cast<unsigned>(std::min<std::size_t>(resident, blocks_worth(n)));
    // Of few tiles, all blocks have the same number; the last block has none.
    const std::size_t movers = std::max(plan.blocks - 1, 1u);
    const std::size_t rounds = ceil_div(n, movers * room.keys);
    plan.tile = static_cast<unsigned>(rounds > 12 ? room.keys : ceil_div(n, movers * rounds));
    return plan;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
