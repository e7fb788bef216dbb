// The minimum number of bytes that an operation must move: the reference of every GB/s figure.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>

namespace stream_compaction {

/// Bytes read and written by the best possible algorithm: n elements in, `count` out.
constexpr double bytes_moved(std::size_t n, std::size_t count) {
    return sizeof(int) * (static_cast<double>(n) + static_cast<double>(count));
}

}  // namespace stream_compaction
