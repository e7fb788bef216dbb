// Computes inputs on the device.
#pragma once

#include "simt/backend.h"
#include "src/input/input.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// Stores `input` in device memory.
void enqueue_store(const Input& input, int* out, simt::stream_t stream);

}  // namespace stream_compaction::inline SIMT_BACKEND
