// Checks the distributed results of several ranks. Each rank checks its own part, on the host, and
// exchanges what the others need to know about it.
#pragma once

#include "src/check/wrong_output.h"
#include "stream_compaction/distributed.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

// Collective. They return nothing if the own part is correct.

std::optional<std::string> wrong_scan(distributed::Communicator& ranks, std::span<const int> in,
                                      std::span<const int> out);

/// @param out the part with its complete capacity
std::optional<std::string> wrong_compaction(distributed::Communicator& ranks,
                                            std::span<const int> in, std::span<const int> out,
                                            const distributed::Kept& kept);

/// Checks that each part ascends, that no key is less than the keys of the previous rank, and that
/// the keys are those of the input.
std::optional<std::string> wrong_sort(distributed::Communicator& ranks, std::span<const int> in,
                                      std::span<const int> out);

}  // namespace stream_compaction::inline SIMT_BACKEND
