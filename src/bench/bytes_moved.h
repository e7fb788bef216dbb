// What an operation cannot do without: the yardstick of every GB/s.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>

namespace stream_compaction {

/// Bytes read and written by the best possible algorithm: n elements in, `count` out.
constexpr double bytes_moved(std::size_t n, std::size_t count) {
    return sizeof(int) * (static_cast<double>(n) + static_cast<double>(count));
}

}  // namespace stream_compaction
