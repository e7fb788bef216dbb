// What cannot be measured is written down with its reason, and the others go on.
#pragma once

#include "simt/backend.h"
#include "src/bench/measurement.h"
#include "src/program/contenders.h"

#include <functional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// Writes the contender down as skipped; without an algorithm it is the copy.
void skip(const Setting& setting, const Contender& contender, std::string reason, Round& round);

/// Calls f. Where that fails, the contender is written down as skipped and the answer is false.
/// @throws simt::Error where the device is beyond recovery
bool try_to(const std::function<void()>& f, const Setting& setting, const Contender& contender,
            Round& round);

}  // namespace stream_compaction::inline SIMT_BACKEND
