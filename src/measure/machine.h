// The description of the machine in a results file.
#pragma once

#include "src/measure/results_file.h"
#include "stream_compaction/registry.h"

#include <optional>
#include <string>

namespace stream_compaction {

/// @param driver the driver's own version; without it, the CUDA version that it supports
/// @throws simt::Error if the backend is unavailable
Machine machine_of(const Registry& registry, const std::optional<std::string>& driver,
                   std::string commit);

}  // namespace stream_compaction
