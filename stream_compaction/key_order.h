// Numbers as the sorts' kernels know them: as bits, and how these are ordered.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace stream_compaction {

template <std::size_t Bytes>
using KeyBits = std::conditional_t<Bytes == 4, unsigned, unsigned long long>;

/// Sorts bits as the numbers that they stand for.
struct KeyOrder {
    bool is_signed = false, is_floating = false;
};

template <class Key>
constexpr KeyOrder kOrderOf{std::is_signed_v<Key>, std::is_floating_point_v<Key>};

struct SortOptions {
    /// Of the device, workspace_bytes(n) or more, at a multiple of 256 bytes, for as long as the
    /// plan lives. Nothing: the plan takes its own.
    std::span<std::byte> memory = {};
};

/// Integers and floating-point numbers of 32 or 64 bits. The latter are put in the order of IEEE
/// 754's totalOrder: -0.0 before +0.0, NaNs with the sign bit first, those without it last.
template <class Key>
concept Sortable = std::is_arithmetic_v<Key> &&(sizeof(Key) == 4 || sizeof(Key) == 8);

}  // namespace stream_compaction
