// Order statistics of timings.
#pragma once

#include <cstddef>
#include <span>

namespace stream_compaction {

/// The reported statistics of samples.
struct Statistics {
    double median = 0, min = 0, q1 = 0, q3 = 0;
    std::size_t samples = 0;

    bool operator==(const Statistics&) const = default;
};

/// The q-quantile of ascending numbers, interpolated linearly (numpy's default).
/// @throws std::invalid_argument if there are no numbers, or if q is outside of [0, 1]
double quantile(std::span<const double> ascending, double q);

/// Whether the interquartile range exceeds half of the median.
constexpr bool is_unstable(const Statistics& all) { return all.q3 - all.q1 > all.median / 2; }

/// @throws std::invalid_argument if there are no samples
Statistics summarize(std::span<const double> samples);

}  // namespace stream_compaction
