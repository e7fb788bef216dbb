#include "src/bench/steady_samples.h"

#include "src/bench/statistics.h"

#include <algorithm>
#include <iterator>

namespace stream_compaction {

SteadySamples steady_samples(std::span<const double> microseconds,
                             std::span<const double> megahertz, double least) {
    std::vector<double> known;
    std::ranges::copy_if(megahertz, std::back_inserter(known), [](double one) { return one > 0; });
    const double lowest = known.empty() ? 0 : least * summarize(known).median;
    SteadySamples steady;
    for (std::size_t i = 0; i < microseconds.size(); ++i) {
        if (megahertz[i] > 0 && megahertz[i] < lowest)
            ++steady.discarded;
        else
            steady.microseconds.push_back(microseconds[i]);
    }
    return steady;
}

}  // namespace stream_compaction
