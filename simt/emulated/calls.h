// Calls from the host to the emulated device.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/refusal.h"

namespace simt::inline SIMT_BACKEND::detail {

/// Every call begins with this.
/// @throws OutOfMemory, Error if a test wants the call refused
void call(Location where, Call what = Call::other);

/// Counts an array, a stream, an event or a graph that was created or destroyed.
void made_resource() noexcept;
void destroyed_resource() noexcept;

}  // namespace simt::inline SIMT_BACKEND::detail
