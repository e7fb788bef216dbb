// Runs the operations on an array that is distributed over several ranks, checks and times them.
#pragma once

#include "simt/backend.h"
#include "src/distributed/distributed_options.h"
#include "src/distributed/distributed_row.h"
#include "src/program/program.h"

#include <optional>

namespace stream_compaction {

/// The index of this process among those that mpirun has started; nothing without mpirun.
std::optional<unsigned> number_of_process();

inline namespace SIMT_BACKEND {

/// Runs with one thread per GPU, or under mpirun with one process per GPU.
/// @param take called by the first rank with each row
/// @throws UsageError, exceptions of the ranks
ExitCode run_distributed(const DistributedOptions& options, std::ostream& out, const TakeRow& take);

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
