// How many buckets there can be, and counters for their digits.
#pragma once

#include "simt/backend.h"

namespace stream_compaction::inline SIMT_BACKEND::distributed {

inline constexpr unsigned kMostRanks = 256;     ///< that sort: one more than there are cuts
inline constexpr unsigned kFewBuckets = 64;     ///< that are kept without a cut
inline constexpr unsigned kMostDigitBits = 11;  ///< of one bucket
/// Room for 256 buckets with 32 digit values each, in 32 KB of shared memory.
inline constexpr unsigned kCountersLog2 = 13;
inline constexpr unsigned kCounters = 1u << kCountersLog2;

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
