// The measuring tool's own work on the device.
#pragma once

#include "simt/backend.h"
#include "src/input.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// A launch that does nothing: what any launch costs.
void enqueue_nothing(simt::stream_t stream);

/// Computes `input` where it is needed.
void enqueue_store(const Input& input, int* out, simt::stream_t stream);

}  // namespace stream_compaction::inline SIMT_BACKEND
