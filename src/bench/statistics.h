// Order statistics of timings.
#pragma once

#include <cstddef>
#include <span>

namespace stream_compaction {

/// What is told about a number of samples.
struct Statistics {
    double median = 0, min = 0, q1 = 0, q3 = 0;
    std::size_t samples = 0;

    bool operator==(const Statistics&) const = default;
};

/// The q-quantile of ascending numbers, interpolated linearly (numpy's default).
/// @throws std::invalid_argument where there are none, or for a q outside of [0, 1]
double quantile(std::span<const double> ascending, double q);

/// @throws std::invalid_argument where there are none
Statistics summarize(std::span<const double> samples);

}  // namespace stream_compaction
