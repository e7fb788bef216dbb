// What a variant is tried on, and whether what came out is right.
#pragma once

#include "stream_compaction/variants.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction {

/// What every byte of an output must be before it is written.
inline constexpr std::byte kUnwritten{0xA5};

/// Makes an input: each element follows from the int in its place, and is zero where that is.
/// @throws std::invalid_argument for a variant that nobody has
void store_elements(const Variant& variant, std::span<const int> source, std::byte* in);

/// Looks at all of an output. Nothing: it is right.
/// @param count what a compaction says that it kept; not looked at for others
/// @throws std::invalid_argument for a variant that nobody has
std::optional<std::string> what_is_wrong(const Variant& variant, const std::byte* in,
                                         const std::byte* out, std::size_t n, std::size_t count);

}  // namespace stream_compaction
