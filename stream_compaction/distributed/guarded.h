// How ranks find out together that something cannot be done, and how one tells of its own failure.
#pragma once

#include "stream_compaction/distributed.h"

#include <exception>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// Calls f; the other ranks learn where it fails.
template <class F>
auto guarded(Communicator& ranks, F f) {
    try {
        return f();
    } catch (const std::exception& error) {
        ranks.fail(error.what());
        throw;
    }
}

/// @param n of rank `rank`
/// @throws std::invalid_argument where n is more than `most`
inline void require_room(unsigned rank, std::uint64_t n, std::uint64_t most) {
    if (n > most)
        throw std::invalid_argument("rank " + std::to_string(rank) + ": room for " +
                                    std::to_string(most) + " elements, and there are " +
                                    std::to_string(n));
}

/// Collective.
/// @throws std::invalid_argument, on all ranks, where one has more than it has room for
inline void require_parts(Communicator& ranks, std::size_t n, std::size_t capacity) {
    const std::uint64_t own[] = {n, capacity};
    const std::vector<std::uint64_t> all = ranks.all_gather(own);
    for (unsigned rank = 0; rank < ranks.size(); ++rank)
        require_room(rank, all[2 * rank], all[2 * rank + 1]);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
