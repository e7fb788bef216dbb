// What limits a call's speed: compares its time with those of its launches and of its bytes.
#pragma once

#include "src/counts/counts.h"

#include <cstddef>
#include <string>

namespace stream_compaction {

/// All launches of a call, as counted by count_accesses.
struct CountedCall {
    std::size_t n = 0;
    std::size_t launches = 0;
    LaunchCounts total;
};

/// The costs that are the same for all kernels of a device.
struct DeviceCosts {
    double launch_us = 0;     ///< of an empty launch, back to back
    double bytes_per_us = 0;  ///< read and written, by a large copy
};

/// A call of a row, timed on that device.
struct TimedCall {
    std::size_t n = 0;
    double microseconds = 0;  ///< more than 0
    DeviceCosts costs;
};

enum class Bound {
    launches,
    memory,
    shared_memory,
    waiting,  ///< latency, barriers or other blocks: not explained by the counts
};

struct Explanation {
    Bound bound;
    double launches_share;  ///< time of the launches alone, as a share of the time
    /// Time of moving all bytes, as a share; above 1 if caches serve some of them.
    double memory_share;
};

/// If the call was counted with fewer elements, its bytes are scaled with n, and its launches are
/// not. If a row has more levels for a larger n, the real shares are at least as large.
Explanation explain(const CountedCall& counted, const TimedCall& timed);

/// "bound by launches: 17 launches would take 61 % of the time, 13.1 MB moved 4 %; ..."
std::string in_words(const CountedCall& counted, const TimedCall& timed);

/// The counts alone, for a call of n elements on a device whose time is meaningless.
std::string in_words(const CountedCall& counted, std::size_t n);

}  // namespace stream_compaction
