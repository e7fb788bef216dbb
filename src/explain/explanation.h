// What bounds a call: its time, beside what its launches and the bytes that they move would take.
#pragma once

#include "src/counts/counts.h"

#include <cstddef>
#include <string>

namespace stream_compaction {

/// All launches of a call, as count_accesses counts them.
struct CountedCall {
    std::size_t n = 0;
    std::size_t launches = 0;
    LaunchCounts total;
};

/// What a device needs for what all kernels do.
struct DeviceCosts {
    double launch_us = 0;     ///< of a launch that does nothing, one of many in a row
    double bytes_per_us = 0;  ///< read and written by a large copy
};

/// A call of a row, as it was timed on that device.
struct TimedCall {
    std::size_t n = 0;
    double microseconds = 0;  ///< more than 0
    DeviceCosts costs;
};

enum class Bound {
    launches,
    memory,
    shared_memory,
    waiting,  ///< for latency, at barriers or for other blocks: for what no count explains
};

struct Explanation {
    Bound bound;
    double launches_share;  ///< of the time; what launches alone would take
    double memory_share;    ///< what moving all bytes would take; above 1 where caches serve some
};

/// Bytes of a call that was counted with fewer elements are scaled with n, its launches are taken
/// as they are: of a row that has more levels for a larger n, both shares are then at least so
/// large.
Explanation explain(const CountedCall& counted, const TimedCall& timed);

/// "bound by launches: 17 launches would take 61 % of the time, 13.1 MB moved 4 %; ..."
std::string in_words(const CountedCall& counted, const TimedCall& timed);

/// The counts alone, of a call of n elements on a device whose time says nothing.
std::string in_words(const CountedCall& counted, std::size_t n);

}  // namespace stream_compaction
