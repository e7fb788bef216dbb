// Sums and products of sizes that do not wrap around.
#pragma once

#include "simt/error.h"

#include <cstddef>
#include <limits>
#include <source_location>
#include <string>

namespace simt {

/// @throws OutOfMemory if a + b overflows std::size_t: no memory is as large
inline std::size_t checked_sum(std::size_t a, std::size_t b,
                               std::source_location where = std::source_location::current()) {
    if (a > std::numeric_limits<std::size_t>::max() - b)
        throw OutOfMemory(
            std::to_string(a) + " + " + std::to_string(b) + " bytes do not fit in any memory",
            where);
    return a + b;
}

/// @throws OutOfMemory if n * size overflows std::size_t: no memory is as large
inline std::size_t checked_product(std::size_t n, std::size_t size,
                                   std::source_location where = std::source_location::current()) {
    if (size != 0 && n > std::numeric_limits<std::size_t>::max() / size)
        throw OutOfMemory(std::to_string(n) + " elements of " + std::to_string(size) +
                              " bytes do not fit in any memory",
                          where);
    return n * size;
}

}  // namespace simt
