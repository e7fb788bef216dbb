// How many blocks cover an array.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace stream_compaction {

constexpr std::size_t ceil_div(std::size_t n, std::size_t divisor) {
    return n / divisor + (n % divisor != 0);
}
/// The same for other types: a GPU divides 32-bit numbers faster than 64-bit ones.
template <std::unsigned_integral T>
constexpr T ceil_div(T n, T divisor) {
    return n / divisor + (n % divisor != 0);
}

/// The number of blocks that have at least `threads` threads together.
/// @throws std::invalid_argument if a grid cannot have this many
inline unsigned blocks_for(std::size_t threads, std::size_t block_size) {
    const std::size_t blocks = ceil_div(threads, block_size);
    if (blocks > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw std::invalid_argument("a grid cannot have this many blocks: choose a larger block");
    return static_cast<unsigned>(blocks);
}

}  // namespace stream_compaction
