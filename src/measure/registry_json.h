// The registry in a format for scripts.
#pragma once

#include "stream_compaction/registry.h"

#include <string>

namespace stream_compaction {

/// JSON: every row with its tunings, properties, and the modes in which it can be measured. The
/// workspace is null if only a GPU could compute it.
std::string list_as_json(const Registry& registry);

}  // namespace stream_compaction
