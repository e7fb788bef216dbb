// The samples of a row that were taken while the GPU ran at the row's usual clock.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stream_compaction {

struct SteadySamples {
    std::vector<double> microseconds;
    std::size_t discarded = 0;
};

/// Discards samples during which the clock was below a share of the usual one. The usual clock of a
/// row is the median over its own samples: a row that needs much power may run at a lower clock
/// than another, and if short calls leave the GPU idle before each turn, every clock is low.
/// Only a clock that drops for some of a row's samples makes them incomparable with the others.
/// @param megahertz of each sample; samples whose clock is not known (0) are kept
/// @param least     the share, from 0 to 1
SteadySamples steady_samples(std::span<const double> microseconds,
                             std::span<const double> megahertz, double least);

}  // namespace stream_compaction
