// Commands that a user can repeat.
#pragma once

#include <string>
#include <string_view>

namespace stream_compaction {

/// The text as a shell takes it for one word: as it is, or in quotes.
std::string shell_word(std::string_view text);

}  // namespace stream_compaction
