// The calls that the emulated device takes from the host.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/refusal.h"

namespace simt::inline SIMT_BACKEND::detail {

/// Every call starts with this.
/// @throws OutOfMemory, Error where a test wants the call refused
void call(Place where, Call what = Call::other);

/// An array, a stream, an event or a graph has been made, or destroyed.
void made_resource() noexcept;
void destroyed_resource() noexcept;

}  // namespace simt::inline SIMT_BACKEND::detail
