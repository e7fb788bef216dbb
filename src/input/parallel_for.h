// Distributes work on host arrays over all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace stream_compaction {

/// Calls f(first, last) for consecutive parts of [0, n), on as many threads as are worthwhile and
/// can be started. f must not throw.
template <class F>
void parallel_for(std::size_t n, F f) {
    constexpr std::size_t kSmallestPiece = std::size_t{1} << 18;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t pieces = std::clamp<std::size_t>(n / kSmallestPiece, 1, cores);
    const std::size_t piece = n / pieces;
    std::vector<std::jthread> threads;
    threads.reserve(pieces - 1);
    std::size_t first = 0;
    try {
        for (; threads.size() + 1 < pieces; first += piece)
            threads.emplace_back(f, first, first + piece);
    } catch (const std::system_error&) {  // the caller does the rest
    }
    f(first, n);
}

/// The smallest i < n with predicate(i). Several threads call the predicate, each in ascending
/// order.
template <class Predicate>
std::optional<std::size_t> find_first(std::size_t n, Predicate predicate) {
    constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> found = kNowhere;
    parallel_for(n, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (!predicate(i)) continue;
            std::size_t smallest = found;
            while (i < smallest && !found.compare_exchange_weak(smallest, i)) {
            }
            return;
        }
    });
    if (found == kNowhere) return std::nullopt;
    return found;
}

}  // namespace stream_compaction
