// The registry as scripts read it.
#pragma once

#include "stream_compaction/registry.h"

#include <string>

namespace stream_compaction {

/// JSON: every row with what it takes, what it can do and the modes that it can be measured in.
/// The workspace is null where only a GPU could tell.
std::string list_as_json(const Registry& registry);

}  // namespace stream_compaction
