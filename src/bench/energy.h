// What a call costs in energy.
#pragma once

#include "simt/backend.h"
#include "src/bench/nvml.h"
#include "src/bench/sampling/sampler.h"

#include <cstddef>
#include <functional>

namespace stream_compaction::inline SIMT_BACKEND {

/// Millijoules that the device has consumed since some moment.
/// @throws NvmlError where it does not say
using EnergyCounter = std::function<double()>;

/// The millijoules of one call, from at least half a second of calls back to back, which begins and
/// ends when the counter has just counted on.
/// @param samples that the sampler takes before the counter is read again
/// @throws NvmlError also where the counter stands still, simt::Error
double millijoules_of_a_call(Sampler& sampler, std::size_t samples, const EnergyCounter& counter);

}  // namespace stream_compaction::inline SIMT_BACKEND
