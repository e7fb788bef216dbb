// Runs rows of a registry, checks their results and prints their times.
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

/// Runs every selected row twice: with the size, and with three elements less.
/// @param explainer adds a line to each row that passed. May be null
/// @throws UsageError, std::bad_alloc if the host has no memory for the arrays, std::runtime_error
///         if every row was skipped
ExitCode run(const Registry& registry, const HarnessOptions& options, std::ostream& out,
             const Explainer* explainer = nullptr);

/// The program stream_compaction_test.
/// @throws UsageError, NoUsableGpu, exceptions of run()
ExitCode run_harness(const std::vector<std::string>& arguments, const BuiltBackends& built,
                     std::ostream& out);

}  // namespace stream_compaction
