// How much memory the host has left.
#pragma once

#include <cstddef>
#include <string>

namespace stream_compaction {

/// What Linux estimates that can be taken without swapping; the most a size_t holds where it does
/// not say.
/// @param file where Linux does
std::size_t available_host_bytes(const std::string& file = "/proc/meminfo");

}  // namespace stream_compaction
