// Whether what several ranks have made together is right. Each looks at its own part, on the host,
// and tells the others what they need to know of it.
#pragma once

#include "src/check/wrong_output.h"
#include "stream_compaction/distributed.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

// All ranks call the same function. Nothing: the own part is right.

std::optional<std::string> wrong_scan(distributed::Communicator& ranks, std::span<const int> in,
                                      std::span<const int> out);

/// @param out with what the part had room for
std::optional<std::string> wrong_compaction(distributed::Communicator& ranks,
                                            std::span<const int> in, std::span<const int> out,
                                            const distributed::Kept& kept);

/// The parts ascend, no rank's keys are before those of the one in front, and the keys are the
/// same.
std::optional<std::string> wrong_sort(distributed::Communicator& ranks, std::span<const int> in,
                                      std::span<const int> out);

}  // namespace stream_compaction::inline SIMT_BACKEND
