// Errors of files.
#pragma once

#include <stdexcept>

namespace stream_compaction {

/// A file cannot be read or written: the program prints the message and returns ExitCode::files.
class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace stream_compaction
