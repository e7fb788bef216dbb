// The sizes of the tests: around a warp, a block and a tile, and large ones.
#pragma once

#include "stream_compaction/algorithm.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace stream_compaction {

/// The environment's STREAM_COMPACTION_TEST_LARGEST bounds n in every test of a row, for builds
/// that run slowly. All tests are right from 300 on.
inline std::size_t largest_size() {
    const char* const text = std::getenv("STREAM_COMPACTION_TEST_LARGEST");
    return text == nullptr ? std::numeric_limits<std::size_t>::max() : std::stoull(text);
}

/// A build that watches every access takes minutes for all that is repeated.
inline bool is_slow() { return largest_size() < 1000; }

/// All cases; in a slow build every fourth, from the first on.
template <class Case, std::size_t kCases>
std::vector<Case> all_or_some(const Case (&cases)[kCases]) {
    std::vector<Case> some;
    for (std::size_t i = 0; i < kCases; i += is_slow() ? 4 : 1) some.push_back(cases[i]);
    return some;
}

/// So many rounds of a random test; in a slow build a fifth.
inline int rounds(int all) { return is_slow() ? all / 5 : all; }

inline std::size_t at_most(std::size_t n) { return std::min(n, largest_size()); }

inline std::vector<std::size_t> without_too_large(std::vector<std::size_t> sizes) {
    std::erase_if(sizes, [largest = largest_size()](std::size_t n) { return n > largest; });
    return sizes;
}

/// Elements of one block.
inline std::size_t tile_size(const Tuning& tuning) {
    return static_cast<std::size_t>(std::max(tuning.block_size, 1)) *
           std::max(tuning.items_per_thread, 1);
}

/// For every input.
inline std::vector<std::size_t> small_sizes(const Tuning& tuning) {
    const std::size_t tile = tile_size(tuning);
    std::vector<std::size_t> sizes{0,   1,    2,    31,   32,       33,   255,     256,
                                   257, 1023, 1024, 1025, tile - 1, tile, tile + 1};
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    return without_too_large(std::move(sizes));
}

/// For the random input alone.
inline std::vector<std::size_t> large_sizes() {
    return without_too_large({std::size_t{1} << 16, (std::size_t{1} << 20) - 3});
}

/// Two levels of tiles at most, and three at least; three at most, and four at least.
inline std::vector<std::size_t> sizes_of_levels(const Tuning& tuning) {
    const std::size_t tile = tile_size(tuning);
    return without_too_large(
        {tile * tile, tile * tile + 1, tile * tile * tile, tile * tile * tile + 1});
}

}  // namespace stream_compaction
