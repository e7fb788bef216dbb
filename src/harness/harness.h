// Runs rows of a registry, checks what they compute and prints how long they took.
#pragma once

#include "src/harness/harness_options.h"
#include "src/program/backend_choice.h"
#include "src/program/exit_code.h"
#include "stream_compaction/registry.h"

#include <ostream>
#include <string>
#include <vector>

namespace stream_compaction {

class Explainer;

/// Every selected row, once at the size and once at three less.
/// @param explainer has a line for each row that passed; nullptr: none is asked for
/// @throws UsageError, std::bad_alloc where the host has no room for the arrays
ExitCode run(const Registry& registry, const HarnessOptions& options, std::ostream& out,
             const Explainer* explainer = nullptr);

/// The program stream_compaction_test.
/// @throws UsageError, NoUsableGpu, and what run() throws
ExitCode run_harness(const std::vector<std::string>& arguments, const BuiltBackends& built,
                     std::ostream& out);

}  // namespace stream_compaction
