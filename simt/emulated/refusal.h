// Makes calls of the emulated device fail, as calls of a GPU may. For tests. Sources of either
// backend may include it.
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

/// Kinds of calls that can fail: an allocation, waiting for a stream, and everything else (copies,
/// fills, launches; creating, recording, reading and waiting for events; asking for the kind of a
/// pointer; creating streams and graphs).
enum class Call { allocation, wait, other };

/// The k-th call from now on throws and has no effect; 0: no call does.
void refuse_call(std::uint64_t k);

/// The call that was refused since then, if any.
std::optional<Call> refused_call();

/// The number of existing arrays, streams, events and graphs.
std::int64_t resources();

}  // namespace emulated
}  // namespace simt
