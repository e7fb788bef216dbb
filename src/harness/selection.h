// Which rows of the registry the harness runs, and with which tuning.
#pragma once

#include "src/harness/harness_options.h"
#include "src/program/contenders.h"

#include <vector>

namespace stream_compaction {

/// In the registry's order.
/// @throws UsageError for a name that no row has, and a tuning that a selected row does not list or
///         none has
std::vector<Contender> select_contenders(const Registry& registry, const HarnessOptions& options);

}  // namespace stream_compaction
