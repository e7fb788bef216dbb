// The program measure_time, as a function.
#pragma once

#include "simt/backend.h"
#include "src/program/exit_code.h"
#include "src/program/program.h"
#include "stream_compaction/registry.h"

#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// The program measure_time, on rows of this backend.
/// @throws UsageError, FileError, std::runtime_error if there is no GPU
ExitCode measure(const std::vector<std::string>& arguments, const Registry& rows,
                 const Console& console);

}  // namespace stream_compaction::inline SIMT_BACKEND
