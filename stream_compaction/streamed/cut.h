// Cuts sorted runs at the end of the smallest keys of all runs.
#pragma once

#include "simt/backend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

/// Returns how many keys of each run belong to the `rank` smallest keys of all runs; of equal keys,
/// those of earlier runs come first.
/// @param runs sorted, with at least `rank` keys in total
inline std::vector<std::size_t> cut(std::span<const std::span<const int>> runs, std::size_t rank) {
    // Invariant: the largest value that at most `rank` keys are below is in [least, beyond). The
    // number of keys of each run below that value is in [first, last].
    std::int64_t least = std::numeric_limits<int>::min();
    std::int64_t beyond = std::int64_t{std::numeric_limits<int>::max()} + 1;
    std::vector<std::size_t> first(runs.size(), 0), last, middle(runs.size());
    for (const std::span<const int> run : runs) last.push_back(run.size());
    while (beyond - least > 1) {
        const std::int64_t key = least + (beyond - least) / 2;
        std::size_t below = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const auto part = runs[i].subspan(first[i], last[i] - first[i]);
            middle[i] = first[i] + static_cast<std::size_t>(std::ranges::lower_bound(part, key) -
                                                            part.begin());
            below += middle[i];
        }
        (below <= rank ? first : last) = middle;
        (below <= rank ? least : beyond) = key;
    }
    // The keys between `first` and `last` are equal to that value.
    std::size_t missing = rank;
    for (const std::size_t keys : first) missing -= keys;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::size_t taken = std::min(missing, last[i] - first[i]);
        first[i] += taken;
        missing -= taken;
    }
    return first;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
