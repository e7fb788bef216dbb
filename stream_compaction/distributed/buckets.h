// How many buckets there can be, and counters for their digits.
#pragma once

#include "simt/backend.h"

namespace stream_compaction::inline SIMT_BACKEND::distributed {

inline constexpr unsigned kMostCuts = 511;      ///< and at most as many buckets
inline constexpr unsigned kMostDigitBits = 11;  ///< of one bucket
/// Room for 511 buckets with 16 digit values each, in 32 KB of shared memory.
inline constexpr unsigned kCountersLog2 = 13;
inline constexpr unsigned kCounters = 1u << kCountersLog2;

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
