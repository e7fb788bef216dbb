// Mistakes in a command line, reported in one line on stderr.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace stream_compaction {

/// `given` in quotes, with control characters escaped, so that a message stays one line.
std::string in_quotes(std::string_view given);

/// The command line is wrong: the program prints the message and returns ExitCode::usage.
class UsageError : public std::runtime_error {
  public:
    explicit UsageError(const std::string& what) : std::runtime_error(what) {}

    /// "--seed: given 'x', expected a whole number below 2^64"
    UsageError(std::string_view option, std::string_view given, std::string_view legal);
};

}  // namespace stream_compaction
