// The registry as a table for people.
#pragma once

#include "stream_compaction/registry.h"

#include <ostream>

namespace stream_compaction {

/// One line a row: what it is, the tunings it takes, its defaults in brackets.
void print_rows(std::ostream& out, const Registry& registry);

}  // namespace stream_compaction
