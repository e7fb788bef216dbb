// How the sorts' kernels see numbers: as bits, and in which order.
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

    /// The half-open range [begin_bit, end_bit) of key bits to compare; an end_bit of 0 means up to
    /// the highest bit. Bits are numbered from the lowest bit of the key's radix representation:
    /// unsigned keys unchanged, signed keys with the sign bit flipped, floating-point keys with the
    /// sign bit flipped if it is 0, else with all bits flipped.
    unsigned begin_bit = 0, end_bit = 0;

    /// Device memory of workspace_bytes(n) bytes or more, aligned to 256 bytes. The plan owns its
    /// content, also between calls: nothing else may write there, and no other plan may use any of
    /// it (std::invalid_argument) as long as the plan lives. Empty: the plan allocates its own; a
    /// null pointer with a size is refused (std::invalid_argument).
    std::span<std::byte> memory = {};
};

/// Sorts bits in the order of the numbers that they represent.
struct KeyOrder {
    bool is_signed = false, is_floating = false, is_descending = false;
};

/// The bits of an IEEE 754 half, such as CUDA's __half, and of a bfloat16, such as __nv_bfloat16.
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

/// Integers and floating-point numbers of 32 or 64 bits. Floating-point numbers are sorted in the
/// order of IEEE 754's totalOrder: -0.0 before +0.0, NaNs with the sign bit first, other NaNs last.
template <class Key>
concept Sortable = std::is_arithmetic_v<Key> &&(sizeof(Key) == 4 || sizeof(Key) == 8);

}  // namespace stream_compaction
