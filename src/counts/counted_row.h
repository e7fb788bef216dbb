// What was counted of a row, with the names that people know things by.
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
    std::string file;  ///< from the project's folder
    unsigned line;
    AccessCounts counts;
};

struct CountedLaunch {
    std::string kernel;  ///< the function, or the launch's file and line where that is not known
    Launch launch;
    std::vector<CountedLine> lines;  ///< by file and line; empty where they are not known
};

/// What a row was called with.
struct CountedInput {
    Distribution distribution;
    std::optional<double> kept = {};  ///< of a compaction
    std::size_t n = 0;
};

/// One call of a row.
struct CountedRow {
    Contender contender;
    CountedInput input;
    std::vector<CountedLaunch> launches;

    LaunchCounts total() const;
    /// Of all launches.
    std::vector<CountedLine> lines() const;
};

/// Looks up the names.
CountedRow name_sources(const Contender& contender, const CountedInput& input,
                        std::vector<Launch> launches, const SourceLines& sources);

/// Every address that name_sources() wants to know about.
std::vector<std::uintptr_t> code_addresses(const std::vector<Launch>& launches);

/// "efficient_plus 128 x 8": the row and its tuning.
std::string name_of(const Contender& contender);

/// For people: a line for each launch, and one for all; with `by_line` one for each source line.
std::string to_table(const CountedRow& row, bool by_line);

/// The content of a file of counts.
std::string to_json(const std::vector<CountedRow>& rows, std::uint64_t seed,
                    const std::string& shape);

}  // namespace stream_compaction
