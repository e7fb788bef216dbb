// Refuses calls of the emulated device, as a GPU may. For tests. May be included from sources of
// either backend.
#pragma once

#include "simt/backend.h"

#include <cstdint>
#include <optional>

namespace simt {
#if defined(SIMT_EMULATED)
inline namespace SIMT_BACKEND {
#else
namespace emulated {
#endif

/// What can be refused: an allocation, waiting for a stream, and all else (copies, fills, launches;
/// making, recording, reading and waiting for events; asking what a pointer is; making streams and
/// graphs).
enum class Call { allocation, wait, other };

/// The k-th call from now on throws and does nothing; 0: none.
void refuse_call(std::uint64_t k);

/// The call that was refused since then.
std::optional<Call> refused_call();

/// Arrays, streams, events and graphs that exist.
std::int64_t resources();

}  // namespace emulated
}  // namespace simt
