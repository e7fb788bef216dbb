// The command line of count_accesses.
#pragma once

#include "src/harness/harness_options.h"

#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

/// The parsed command line.
struct CountOptions {
    HarnessOptions rows;  ///< which rows run, how and on which input: the options of the harness
    bool by_line = false;
    std::optional<std::string> json;  ///< path of the file
};

/// @param arguments without the program's name
/// @throws UsageError, FileError
CountOptions parse_count_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
