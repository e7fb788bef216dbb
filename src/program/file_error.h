// Errors of files.
#pragma once

#include "src/command_line/usage_error.h"

#include <stdexcept>
#include <string_view>

namespace stream_compaction {

/// A file cannot be read or written: the program prints the message and returns ExitCode::files.
class FileError : public std::runtime_error {
  public:
    explicit FileError(std::string_view what) : std::runtime_error(escaped(what)) {}
};

}  // namespace stream_compaction
