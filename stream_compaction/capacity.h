// A plan's promise: it serves every n up to the one it was made for.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace stream_compaction {

/// @throws std::invalid_argument where n is more than the plan's capacity
inline void require_capacity(std::size_t capacity, std::size_t n) {
    if (n > capacity)
        throw std::invalid_argument("a plan for " + std::to_string(capacity) +
                                    " elements cannot take " + std::to_string(n));
}

}  // namespace stream_compaction
