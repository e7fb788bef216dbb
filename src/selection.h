// Which rows of the registry run, and with which tuning.
#pragma once

#include "src/options.h"
#include "stream_compaction/registry.h"

#include <vector>

namespace stream_compaction {

/// A row and the tuning it runs with.
struct SelectedRow {
    const Algorithm* algorithm;
    Tuning tuning;
};

/// In the registry's order.
/// @throws UsageError for a name that no row has and a tuning that a selected row does not list
std::vector<SelectedRow> select_rows(const Registry& registry, const Options& options);

}  // namespace stream_compaction
