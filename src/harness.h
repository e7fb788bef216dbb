// Runs rows of a registry, checks what they compute and prints how long they took.
#pragma once

#include "src/exit_code.h"
#include "src/options.h"
#include "stream_compaction/registry.h"

#include <ostream>

namespace stream_compaction {

/// Every selected row, once at the size and once at three less.
/// @throws UsageError, std::bad_alloc where the host has no room for the arrays
ExitCode run(const Registry& registry, const Options& options, std::ostream& out);

}  // namespace stream_compaction
