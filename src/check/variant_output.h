// Creates the input of a variant, and checks its output.
#pragma once

#include "stream_compaction/variants.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction {

/// The value of every byte of an output before it is written.
inline constexpr std::byte kUnwritten{0xA5};

/// Creates an input: each element is computed from the int at its index, and is zero if the int is.
/// @throws std::invalid_argument for a variant that does not exist
void store_elements(const Variant& variant, std::span<const int> source, std::byte* in);

/// Checks a complete output. Returns nothing if it is correct.
/// @param count the number of kept elements that a compaction reported; ignored for others
/// @throws std::invalid_argument for a variant that does not exist
std::optional<std::string> what_is_wrong(const Variant& variant, const std::byte* in,
                                         const std::byte* out, std::size_t n, std::size_t count);

}  // namespace stream_compaction
