// A launch that does nothing: what any launch costs.
#pragma once

#include "simt/backend.h"

namespace stream_compaction::inline SIMT_BACKEND {

void enqueue_nothing(simt::stream_t stream);

}  // namespace stream_compaction::inline SIMT_BACKEND
