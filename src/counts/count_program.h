// The program count_accesses, as a function.
#pragma once

#include "simt/backend.h"
#include "src/program/exit_code.h"
#include "src/program/program.h"
#include "stream_compaction/registry.h"

#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// The rows whose kernels are instrumented.
const Registry& backend_registry();

/// The program count_accesses, on rows of this backend.
/// @throws UsageError, FileError, simt::Error
ExitCode count_accesses(const std::vector<std::string>& arguments, const Registry& rows,
                        const Console& console);

}  // namespace stream_compaction::inline SIMT_BACKEND
