#include "src/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace stream_compaction {

double quantile(std::span<const double> ascending, double q) {
    if (ascending.empty()) throw std::invalid_argument("no samples");
    if (!(q >= 0 && q <= 1)) throw std::invalid_argument("a quantile must be in [0, 1]");
    const double position = q * static_cast<double>(ascending.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, ascending.size() - 1);
    return std::lerp(ascending[below], ascending[above], position - static_cast<double>(below));
}

Statistics summarize(std::span<const double> samples) {
    std::vector<double> ascending(samples.begin(), samples.end());
    std::ranges::sort(ascending);
    return {.median = quantile(ascending, 0.5),
            .min = ascending.front(),
            .q1 = quantile(ascending, 0.25),
            .q3 = quantile(ascending, 0.75),
            .samples = ascending.size()};
}

}  // namespace stream_compaction
