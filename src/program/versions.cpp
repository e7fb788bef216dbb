#include "src/program/versions.h"

namespace stream_compaction {

std::string cuda_version(int version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

std::string cub_version(int version) {
    if (version == 0) return {};
    return std::to_string(version / 100000) + '.' + std::to_string(version / 100 % 1000) + '.' +
           std::to_string(version % 100);
}

}  // namespace stream_compaction
