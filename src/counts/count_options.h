// The command line of count_accesses.
#pragma once

#include "src/harness/harness_options.h"

#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

/// What the user asked for.
struct CountOptions {
    HarnessOptions rows;  ///< which rows run, how and on what, as the harness understands it
    bool by_line = false;
    std::optional<std::string> json;  ///< the file's path
};

/// @param arguments without the program's name
/// @throws UsageError, FileError
CountOptions parse_count_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
