// The notation for a number of elements.
#pragma once

#include <cstddef>
#include <string_view>

namespace stream_compaction {

/// The syntax of parse_size, for messages and help texts.
inline constexpr std::string_view kLegalSizes =
    "a whole number below 2^64 such as 4194304, 1e6, 2^22, 3*2^20 or 2^22-3";

/// A sum or difference of products of integers, powers and whole decimals ("3*2^20-3", "1.5e6").
/// @throws std::invalid_argument, with the given text and the expected syntax
std::size_t parse_size(std::string_view text);

}  // namespace stream_compaction
