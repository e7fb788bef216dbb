// How a rank reports its own failure to the others.
#pragma once

#include "stream_compaction/distributed.h"

#include <exception>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// Calls f; if f throws, the failure is reported to the other ranks.
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
