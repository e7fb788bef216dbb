// The command line of measure_time.
#pragma once

#include "src/bench/measurement.h"
#include "src/input/distribution_option.h"
#include "src/measure/study.h"

#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

enum class Format { json, csv, table };

/// What the user asked for.
struct MeasureOptions {
    Request request;
    KeyFiles files;  ///< of its distributions
    Protocol protocol;
    double slowest_call_us = 1e6;
    std::optional<std::size_t> max_device_bytes;
    std::string experiment;             ///< empty: named after the operations
    std::optional<std::string> output;  ///< the file's path
    std::optional<Format> format;       ///< of the file, or of stdout where there is none
    std::optional<std::string> commit;  ///< if not given, that of the build
    bool energy = false;                ///< what a call consumes is asked for
    bool list = false;
    bool dry_run = false;
    std::string answer;  ///< of --help or --version: print it, and do nothing
};

/// @param arguments without the program's name
/// @throws UsageError, FileError
MeasureOptions parse_measure_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
