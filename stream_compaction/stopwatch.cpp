#include "stream_compaction/stopwatch.h"

#include <numeric>
#include <stdexcept>

namespace stream_compaction {

std::vector<Microseconds> HostStopwatch::laps() const {
    std::vector<Microseconds> laps;
    for (std::size_t i = 1; i < marks_.size(); ++i) laps.push_back(marks_[i] - marks_[i - 1]);
    return laps;
}

Outcome outcome(std::size_t count, std::span<const Microseconds> laps) {
    Outcome result{.count = count,
                   .elapsed = std::accumulate(laps.begin(), laps.end(), Microseconds{}),
                   .phases = std::nullopt};
    if (laps.size() == 3) result.phases = Phases{laps[0], laps[1], laps[2]};
    return result;
}

}  // namespace stream_compaction
