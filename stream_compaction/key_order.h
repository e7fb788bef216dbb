// Numbers as the sorts' kernels know them: as bits, and how these are ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace stream_compaction {

template <std::size_t Bytes>
using KeyBits = std::conditional_t<Bytes == 4, unsigned, unsigned long long>;

struct SortOptions {
    bool descending = false;

    /// What of a key is compared: its bits from the first of these up to, and without, the second;
    /// 0: up to its highest. Bit 0 is the lowest one, of a number that has the key's place among
    /// all keys: the key itself where it has no sign, with its sign bit flipped where it is signed,
    /// and with all bits flipped where it is a negative floating-point number.
    unsigned begin_bit = 0, end_bit = 0;

    /// Of the device, workspace_bytes(n) or more, at a multiple of 256 bytes. Its content is the
    /// plan's, between calls, too: nobody else may write there, and no other plan may have any of
    /// it (std::invalid_argument), as long as the plan lives. Nothing: the plan takes its own.
    std::span<std::byte> memory = {};
};

/// Sorts bits as the numbers that they stand for.
struct KeyOrder {
    bool is_signed = false, is_floating = false, is_descending = false;
};

/// The bits of an IEEE 754 half, as CUDA's __half has them, and of a bfloat16, as __nv_bfloat16.
struct Float16 {
    std::uint16_t bits;
};
struct BFloat16 {
    std::uint16_t bits;
};
template <class Key>
inline constexpr bool kIsSmallFloat = std::is_same_v<Key, Float16> || std::is_same_v<Key, BFloat16>;

template <class Key>
constexpr KeyOrder order_of(const SortOptions& options = {}) {
    constexpr bool kIsFloating = std::is_floating_point_v<Key> || kIsSmallFloat<Key>;
    return {std::is_signed_v<Key> || kIsFloating, kIsFloating, options.descending};
}

/// Integers and floating-point numbers of 32 or 64 bits. The latter are put in the order of IEEE
/// 754's totalOrder: -0.0 before +0.0, NaNs with the sign bit first, those without it last.
template <class Key>
concept Sortable = std::is_arithmetic_v<Key> &&(sizeof(Key) == 4 || sizeof(Key) == 8);

}  // namespace stream_compaction
