// The file of measure_time --timeline, as results/timeline_schema.json describes it.
#pragma once

#include "src/bench/recorded_call.h"
#include "src/measure/results_file.h"

#include <string>

namespace stream_compaction {

std::string to_json(const RecordedCall& call, const Machine& machine);

}  // namespace stream_compaction
