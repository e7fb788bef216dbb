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
    if (laps.empty() || laps.size() % 3 != 0) return result;
    Phases& phases = result.phases.emplace();
    for (std::size_t i = 0; i < laps.size(); i += 3) {
        phases.map += laps[i];
        phases.scan += laps[i + 1];
        phases.scatter += laps[i + 2];
    }
    return result;
}

}  // namespace stream_compaction
