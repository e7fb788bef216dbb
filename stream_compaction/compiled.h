// Types that the templates of this library are compiled for, under any of their names.
#pragma once

#include <cstdint>
#include <type_traits>

namespace stream_compaction {

template <class T, class... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

/// Maps an integer of 4 or 8 bytes to the type that templates are compiled for: std::int64_t for
/// both long and long long. Other types, and const ones, map to themselves.
template <class T>
using Compiled = std::conditional_t<
    !std::is_integral_v<T> || std::is_const_v<T> || (sizeof(T) != 4 && sizeof(T) != 8), T,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;

}  // namespace stream_compaction
