// Prints the registry as a table.
#pragma once

#include "stream_compaction/registry.h"

#include <ostream>

namespace stream_compaction {

/// One line per row: its description, its tunings, and its defaults in brackets.
void print_rows(std::ostream& out, const Registry& registry);

}  // namespace stream_compaction
