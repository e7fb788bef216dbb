// The energy of a call.
#pragma once

#include "simt/backend.h"
#include "src/bench/nvml.h"
#include "src/bench/sampling/sampler.h"

#include <cstddef>
#include <functional>

namespace stream_compaction::inline SIMT_BACKEND {

/// Returns the millijoules that the device has consumed since some fixed moment.
/// @throws NvmlError if the device does not report it
using EnergyCounter = std::function<double()>;

/// The millijoules of one call, from calls back to back for at least half a second. The measurement
/// begins and ends right after an update of the counter.
/// @param samples the sampler takes before the counter is read again
/// @throws NvmlError also if the counter does not change, simt::Error
double millijoules_of_a_call(Sampler& sampler, std::size_t samples, const EnergyCounter& counter);

}  // namespace stream_compaction::inline SIMT_BACKEND
