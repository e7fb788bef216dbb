// Mistakes in a command line, reported in one line on stderr.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace stream_compaction {

/// Whether the text is UTF-8 without control characters.
bool is_printable(std::string_view text);

/// The text with escapes such as \x0a instead of bytes that are not printable, so that a message
/// stays one line on every terminal.
std::string escaped(std::string_view text);

/// `given` in quotes, escaped.
std::string in_quotes(std::string_view given);

/// The command line is wrong: the program prints the message and returns ExitCode::usage.
class UsageError : public std::runtime_error {
  public:
    explicit UsageError(std::string_view what) : std::runtime_error(escaped(what)) {}

    /// "--seed: given 'x', expected a whole number below 2^64"
    UsageError(std::string_view option, std::string_view given, std::string_view legal);
};

}  // namespace stream_compaction
