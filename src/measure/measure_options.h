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

/// The parsed command line.
struct MeasureOptions {
    Request request;
    KeyFiles files;  ///< of its distributions
    Protocol protocol;
    double slowest_call_us = 1e6;
    std::optional<std::size_t> max_device_bytes;
    std::string experiment;             ///< empty: named after the operations
    std::optional<std::string> output;  ///< path of the file
    std::optional<std::string> samples_file;
    std::optional<Format> format;       ///< of the file, or of stdout if there is none
    std::optional<std::string> commit;  ///< default: the commit of the build
    bool energy = false;                ///< measure the energy of a call
    bool list = false;
    bool dry_run = false;
    std::string answer;  ///< output of --help or --version: print it, and do nothing
};

/// @param arguments without the program's name
/// @throws UsageError, FileError
MeasureOptions parse_measure_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
