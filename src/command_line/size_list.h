// The notation for several numbers of elements.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// The syntax of parse_size_list, for messages and help texts.
inline constexpr std::string_view kLegalSizeLists =
    "comma-separated sizes and ranges such as 1000,2^20-3,2^10:2^30:x2,0:100:+10";

/// Sizes (see parse_size) and ranges FIRST:LAST:xFACTOR and FIRST:LAST:+STEP, which include LAST if
/// a step reaches it. The result is ascending, without duplicates.
/// @throws std::invalid_argument, with the given text and the expected syntax
std::vector<std::size_t> parse_size_list(std::string_view text);

}  // namespace stream_compaction
