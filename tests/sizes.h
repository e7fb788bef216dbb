// The sizes of the tests: near those of a warp, a block and a tile, and large ones.
#pragma once

#include "stream_compaction/algorithm.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace stream_compaction {

/// STREAM_COMPACTION_TEST_LARGEST in the environment limits n in every test of a row, for slow
/// builds. All tests are meaningful for limits of 300 or more.
inline std::size_t largest_size() {
    const char* const text = std::getenv("STREAM_COMPACTION_TEST_LARGEST");
    return text == nullptr ? std::numeric_limits<std::size_t>::max() : std::stoull(text);
}

/// A build that checks every access needs minutes for repeated tests.
inline bool is_slow() { return largest_size() < 1000; }

/// All cases; in a slow build every fourth, beginning with the first.
template <class Case, std::size_t kCases>
std::vector<Case> all_or_some(const Case (&cases)[kCases]) {
    std::vector<Case> some;
    for (std::size_t i = 0; i < kCases; i += is_slow() ? 4 : 1) some.push_back(cases[i]);
    return some;
}

/// The number of rounds of a random test; in a slow build one fifth.
inline int rounds(int all) { return is_slow() ? all / 5 : all; }

inline std::size_t at_most(std::size_t n) { return std::min(n, largest_size()); }

inline std::vector<std::size_t> without_too_large(std::vector<std::size_t> sizes) {
    std::erase_if(sizes, [largest = largest_size()](std::size_t n) { return n > largest; });
    return sizes;
}

/// The elements of one block.
inline std::size_t tile_size(const Tuning& tuning) {
    return static_cast<std::size_t>(std::max(tuning.block_size, 1)) *
           std::max(tuning.items_per_thread, 1);
}

/// Sizes for every input.
inline std::vector<std::size_t> small_sizes(const Tuning& tuning) {
    const std::size_t tile = tile_size(tuning);
    std::vector<std::size_t> sizes{0,   1,    2,    31,   32,       33,   255,     256,
                                   257, 1023, 1024, 1025, tile - 1, tile, tile + 1};
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    return without_too_large(std::move(sizes));
}

/// Sizes for the random input only.
inline std::vector<std::size_t> large_sizes() {
    return without_too_large({std::size_t{1} << 16, (std::size_t{1} << 20) - 3});
}

/// The sizes at the border between two and three levels of tiles, and between three and four.
inline std::vector<std::size_t> sizes_of_levels(const Tuning& tuning) {
    const std::size_t tile = tile_size(tuning);
    return without_too_large(
        {tile * tile, tile * tile + 1, tile * tile * tile, tile * tile * tile + 1});
}

}  // namespace stream_compaction
