// An empty launch, to measure the overhead of any launch.
#pragma once

#include "simt/backend.h"

namespace stream_compaction::inline SIMT_BACKEND {

void enqueue_nothing(simt::stream_t stream);

}  // namespace stream_compaction::inline SIMT_BACKEND
