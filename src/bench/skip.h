// Contenders that cannot be measured are recorded with the reason, and the others continue.
#pragma once

#include "simt/backend.h"
#include "src/bench/measurement.h"
#include "src/program/contenders.h"

#include <functional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// Records the contender as skipped; without an algorithm it is the copy.
void skip(const Setting& setting, const Contender& contender, std::string reason, Round& round);

/// Calls f. If f fails, records the contender as skipped and returns false.
/// @throws simt::Error if the device is beyond recovery
bool try_to(const std::function<void()>& f, const Setting& setting, const Contender& contender,
            Round& round);

}  // namespace stream_compaction::inline SIMT_BACKEND
