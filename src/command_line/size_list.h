// How people write many numbers of elements.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// What parse_size_list takes, for messages and help texts.
inline constexpr std::string_view kLegalSizeLists =
    "sizes and ranges with commas between them, as 1000,2^20-3,2^10:2^30:x2,0:100:+10";

/// Sizes (see parse_size) and ranges FIRST:LAST:xFACTOR and FIRST:LAST:+STEP, LAST included where
/// it is met; ascending, each one once.
/// @throws std::invalid_argument, saying what was given and what is legal
std::vector<std::size_t> parse_size_list(std::string_view text);

}  // namespace stream_compaction
