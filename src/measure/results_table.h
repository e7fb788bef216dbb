// Measured rows as a table for people.
#pragma once

#include "src/bench/measurement.h"

#include <optional>
#include <string>
#include <string_view>

namespace stream_compaction {

/// "scan, n = 1048576 (2^20), uniform50, cold"; a model in words, too
std::string describe(const Setting& setting);

/// The same, with other words for what the elements are.
std::string describe(const Setting& setting, std::string_view elements);

/// "naive 64 x 2": with its block size and items per thread, where it has them.
std::string describe(std::string_view algorithm, const Tuning& tuning);

/// A heading and a line for each row and each contender that was skipped, with an empty line after
/// them. There is a column for energy where a row has one. Ratios are to the rows `cub` and `cpu`
/// of the same round: 2.00 is twice as fast.
std::string table(const Setting& setting, const Round& round);

}  // namespace stream_compaction
