// How many buckets there may be, and counters for their digits.
#pragma once

#include "simt/backend.h"

namespace stream_compaction::inline SIMT_BACKEND::distributed {

inline constexpr unsigned kMostCuts = 511;      ///< and as many buckets
inline constexpr unsigned kMostDigitBits = 11;  ///< of one bucket: for 2^13 counters and 511 ...
inline constexpr unsigned kCountersLog2 = 13;   ///< ... of 16 each: 32 KB of shared memory
inline constexpr unsigned kCounters = 1u << kCountersLog2;

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
