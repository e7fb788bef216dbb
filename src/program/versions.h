// Formats versions.
#pragma once

#include <string>

namespace stream_compaction {

/// 13010 is "13.1".
std::string cuda_version(int version);

/// 300101 is "3.1.1"; 0 (built without CUB) is empty.
std::string cub_version(int version);

}  // namespace stream_compaction
