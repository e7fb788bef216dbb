// How much memory the host has left.
#pragma once

#include <cstddef>

namespace stream_compaction {

/// What Linux estimates that can be taken without swapping; the most a size_t holds where it does
/// not say.
std::size_t available_host_bytes();

}  // namespace stream_compaction
