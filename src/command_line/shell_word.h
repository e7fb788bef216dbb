// Quotes commands so that a user can repeat them.
#pragma once

#include <string>
#include <string_view>

namespace stream_compaction {

/// The text as one word of a shell command: unchanged, or in quotes.
std::string shell_word(std::string_view text);

}  // namespace stream_compaction
