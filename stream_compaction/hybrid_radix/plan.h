// How the host has n keys sorted: in which way, by how many blocks, by how many bits. It knows
// sizes alone; what depends on the keys is decided on the device.
#pragma once

#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

constexpr unsigned kMaxDigitBits = 10, kMaxDigits = 1u << kMaxDigitBits;

/// Partitioning with so few keys to a counter keeps the counters within two percent of the keys.
template <class Offset>
constexpr unsigned kKeysPerCounter = 48 * sizeof(Offset);

/// What a block of a shape has room for.
struct BlockRoom {
    std::size_t keys;
    unsigned histogram_bits;  ///< that can be counted at once
};

enum class Way { one_block, one_partition, on_grid };

/// @param resident blocks of the kernel for one partition that the device holds at once
/// @param is_large whether the plan's positions need 64 bits
inline Way choose_way(std::size_t n, bool is_large, const Limits& limits, BlockRoom room,
                      unsigned resident) {
    if (n <= limits.one_block) return Way::one_block;
    const std::size_t most = std::min(limits.one_partition, resident * room.keys);
    return !is_large && n <= most ? Way::one_partition : Way::on_grid;
}

/// Few keys are not worth a block's start; so many blocks are, where there are few keys.
inline std::size_t blocks_worth(std::size_t n) {
    constexpr std::size_t kKeysOfBlock = 4096, kFewKeysOfBlock = 512, kBlocks = 64;
    return std::max(ceil_div(n, kKeysOfBlock), std::min(kBlocks, ceil_div(n, kFewKeysOfBlock)));
}

/// So many bits that buckets are 70 % full where keys are evenly spread.
inline unsigned bits_for_buckets(std::size_t n, std::size_t bucket) {
    return std::max<unsigned>(8, std::bit_width(n * 7 / 5 / bucket));
}

/// One partition, from registers.
struct PartitionPlan {
    unsigned blocks;
    unsigned tile;  ///< keys of a block
    unsigned digit_bits;
    unsigned countable_bits;  ///< keys of so many bits are counted, no more
};

inline PartitionPlan plan_one_partition(std::size_t n, const Limits& limits, BlockRoom room,
                                        unsigned resident) {
    const std::size_t wanted = std::max(blocks_worth(n), ceil_div(n, room.keys));
    const std::size_t share = ceil_div(n, std::min<std::size_t>(resident, wanted));
    return {.blocks = static_cast<unsigned>(ceil_div(n, share)),
            .tile = static_cast<unsigned>(share),
            .digit_bits = std::min(bits_for_buckets(n, limits.bucket), kMaxDigitBits),
            .countable_bits =
                std::min<unsigned>(std::bit_width(n / kKeysPerCounter<unsigned>), kMaxDigitBits)};
}

/// Partitions on the grid, as often as it takes.
struct GridPlan {
    unsigned blocks;
    unsigned tile;           ///< keys that a block partitions at a time
    unsigned digit_bits[2];  ///< of the first two partitions, from one histogram
    bool is_split_again;     ///< whether even keys need more partitions than these
    bool looks;              ///< whether the sample may tell that keys are uneven
    unsigned uneven;         ///< of Limits
    bool passes_follow;      ///< whether uneven keys are left to a second kernel
};

/// @param resident blocks of the kernel that the device holds at once
inline GridPlan plan_on_grid(std::size_t n, KeyOrder order, const Limits& limits, BlockRoom room,
                             unsigned resident) {
    GridPlan plan{};
    // Exponents always look uneven, and are partitioned quickly.
    const bool takes_passes = !order.is_floating && limits.uneven > 1;
    // Of more keys, passes are not worth it once the keys have been read for a histogram.
    constexpr std::size_t kManyKeys = std::size_t{1} << 26;
    plan.looks = takes_passes;
    plan.uneven = takes_passes && n <= kManyKeys ? limits.uneven : 1;
    // Passes are 1 to 4 % faster in a kernel of their own, of which the launch takes 7 us.
    constexpr std::size_t kOwnKernel = std::size_t{1} << 26;
    plan.passes_follow = takes_passes && n >= kOwnKernel;

    const unsigned bits = bits_for_buckets(n, limits.bucket);
    plan.is_split_again = bits > room.histogram_bits;
    if (bits <= kMaxDigitBits)
        plan.digit_bits[0] = bits;
    else if (!plan.is_split_again)
        plan.digit_bits[0] = bits / 2, plan.digit_bits[1] = bits - bits / 2;
    else
        plan.digit_bits[0] = 8;

    plan.blocks = static_cast<unsigned>(std::min<std::size_t>(resident, blocks_worth(n)));
    // Of few tiles, all blocks have the same number; the last block has none.
    const std::size_t movers = std::max(plan.blocks - 1, 1u);
    const std::size_t rounds = ceil_div(n, movers * room.keys);
    plan.tile = static_cast<unsigned>(rounds > 12 ? room.keys : ceil_div(n, movers * rounds));
    return plan;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
