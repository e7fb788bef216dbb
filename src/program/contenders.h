// Selects the rows of the registry that take part, and their tunings, from the command line of both
// programs.
#pragma once

#include "stream_compaction/registry.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// A row of the registry and its tuning.
struct Contender {
    const Algorithm* algorithm = nullptr;
    Tuning tuning = {};
};

/// The rows that have one of these names, in their order; all rows if no name is given.
/// @param option  the option that gave the names
/// @param name_of returns the name of a row
/// @throws UsageError for a name that no row has
std::vector<const Algorithm*> named(
    std::string_view option, std::span<const Algorithm* const> rows,
    std::span<const std::string> names,
    const std::function<std::string_view(const Algorithm*)>& name_of);

/// The same for --algorithm.
std::vector<const Algorithm*> named(std::span<const Algorithm* const> rows,
                                    std::span<const std::string> names);

/// The row with each of these values of its parameters; with its default if no value is given or it
/// does not have the parameter.
/// @throws UsageError for a value that the row does not allow
std::vector<Contender> with_tunings(const Algorithm& row, std::span<const int> block_sizes,
                                    std::span<const int> items_per_thread,
                                    std::span<const int> paddings);

/// Refuses values of a parameter that none of the rows has.
/// @throws UsageError
void require_takers(std::span<const Algorithm* const> rows, std::span<const int> block_sizes,
                    std::span<const int> items_per_thread, std::span<const int> paddings);

/// "cpu, naive, cub"
template <class Names>
std::string joined(const Names& names) {
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

}  // namespace stream_compaction
