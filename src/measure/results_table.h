// Prints measured rows as a table.
#pragma once

#include "src/bench/measurement.h"
#include "src/measure/host_load.h"

#include <optional>
#include <string>
#include <string_view>

namespace stream_compaction {

/// "scan, n = 1048576 (2^20), uniform50, cold"; models with their description.
std::string describe(const Setting& setting);

/// The same, with another description of the elements.
std::string describe(const Setting& setting, std::string_view elements);

/// "naive 64 x 2": with its block size and items per thread if it has these parameters. "unpadded"
/// follows if its padding is 0.
std::string describe(std::string_view algorithm, const Tuning& tuning);

/// A heading, and a line for each row and each skipped contender, followed by an empty line. If any
/// row has an energy, there is a column for it. Ratios refer to the rows `cub` and `cpu` of the
/// same round: 2.00 means twice as fast.
/// @param host              shown in the heading if a row ran on the host
/// @param gpu_use_by_others in percent; shown if a row ran on the GPU
std::string table(const Setting& setting, const Round& round,
                  const std::optional<SharedHost>& host = {},
                  std::optional<unsigned> gpu_use_by_others = {});

}  // namespace stream_compaction
