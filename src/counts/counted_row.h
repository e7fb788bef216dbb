// The counts of a row, with readable names.
#pragma once

#include "src/counts/counts.h"
#include "src/input/distribution.h"
#include "src/program/contenders.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

class SourceLines;

/// A line of a kernel's source.
struct CountedLine {
    std::string file;  ///< relative to the project's folder
    unsigned line;
    AccessCounts counts;
};

struct CountedLaunch {
    std::string kernel;  ///< the function, or the launch's file and line if it is unknown
    Launch launch;
    std::vector<CountedLine> lines;  ///< by file and line; empty if unknown
};

/// The input of a call.
struct CountedInput {
    Distribution distribution;
    std::optional<double> kept = {};  ///< share that a compaction keeps
    std::size_t n = 0;
};

/// One call of a row.
struct CountedRow {
    Contender contender;
    CountedInput input;
    std::vector<CountedLaunch> launches;

    LaunchCounts total() const;
    /// The lines of all launches.
    std::vector<CountedLine> lines() const;
};

/// Adds the names to the counts.
CountedRow name_sources(const Contender& contender, const CountedInput& input,
                        std::vector<Launch> launches, const SourceLines& sources);

/// Every code address that name_sources() needs.
std::vector<std::uintptr_t> code_addresses(const std::vector<Launch>& launches);

/// "efficient_plus 128 x 8": the row and its tuning.
std::string name_of(const Contender& contender);

/// A table for the user: one line per launch and a total; with `by_line` one line per source line.
std::string to_table(const CountedRow& row, bool by_line);

/// The content of a counts file.
std::string to_json(const std::vector<CountedRow>& rows, std::uint64_t seed,
                    const std::string& profile);

}  // namespace stream_compaction
