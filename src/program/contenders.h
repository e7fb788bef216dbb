// Which rows of the registry take part, and with which tunings, as both programs are asked for
// them.
#pragma once

#include "stream_compaction/registry.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// A row of the registry and the tuning it runs with.
struct Contender {
    const Algorithm* algorithm = nullptr;
    Tuning tuning = {};
};

/// Those of the rows that have one of these names, in their order; all of them where none is given.
/// @throws UsageError for a name that no row has
std::vector<const Algorithm*> named(std::span<const Algorithm* const> rows,
                                    std::span<const std::string> names);

/// The row with each of these values of its parameters; with its defaults where none is given, or
/// where it has no such parameter.
/// @throws UsageError for a value that the row does not list
std::vector<Contender> with_tunings(const Algorithm& row, std::span<const int> block_sizes,
                                    std::span<const int> items_per_thread);

/// "cpu, naive, cub"
template <class Names>
std::string joined(const Names& names) {
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

}  // namespace stream_compaction
