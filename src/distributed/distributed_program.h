// Runs the operations on an array that several ranks hold, checks and times them.
#pragma once

#include "simt/backend.h"
#include "src/distributed/distributed_options.h"
#include "src/program/program.h"

#include <optional>

namespace stream_compaction {

/// This process's number among those that mpirun has started; nothing where it was not started so.
std::optional<unsigned> number_of_process();

inline namespace SIMT_BACKEND {

/// With a thread for each GPU; where mpirun has started this process, with a process for each.
/// @throws UsageError, what a rank throws
ExitCode run_distributed(const DistributedOptions& options, std::ostream& out);

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
