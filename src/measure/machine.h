// What a results file says about where its rows come from.
#pragma once

#include "src/measure/results_file.h"
#include "stream_compaction/registry.h"

#include <optional>
#include <string>

namespace stream_compaction {

/// @param driver as the driver itself says; without it, the CUDA version that it is for
/// @throws simt::Error where the backend is unavailable
Machine machine_of(const Registry& registry, const std::optional<std::string>& driver,
                   std::string commit);

}  // namespace stream_compaction
