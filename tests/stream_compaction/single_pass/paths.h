// Both paths of the kernels, and the critical sizes for them.
#pragma once

#include "stream_compaction/single_pass.h"
#include "tests/sizes.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

inline constexpr Path kPaths[] = {Path::plain, Path::pipelined};

/// Whether the device has the path.
inline bool is_available(Path path) {
    try {
        BasicScan<int>(1, ScanKind::exclusive, path);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// Sizes near the tiles of both paths, and near several tiles.
inline std::vector<std::size_t> sizes(std::size_t element_bytes) {
    const std::size_t tile = 32 * 1024 / element_bytes;
    return without_too_large({0, 1, 2, 3, 31, 33, 127, 129, tile / 4, tile - 1, tile, tile + 1,
                              2 * tile + 5, 3 * tile, 5 * tile - 3, 9 * tile + 1});
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
