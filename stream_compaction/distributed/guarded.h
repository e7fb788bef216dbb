// How a rank tells the others of its own failure.
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

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
