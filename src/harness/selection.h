// Selects the rows of the registry that the harness runs, and their tuning.
#pragma once

#include "src/harness/harness_options.h"
#include "src/program/contenders.h"

#include <vector>

namespace stream_compaction {

/// In the registry's order.
/// @throws UsageError for a name that no row has, for a tuning that a selected row does not allow,
///         and for a parameter that no selected row has
std::vector<Contender> select_contenders(const Registry& registry, const HarnessOptions& options);

}  // namespace stream_compaction
