#include "stream_compaction/stopwatch.h"

namespace stream_compaction::inline SIMT_BACKEND {

void DeviceStopwatch::mark() { marks_.emplace_back().record(stream_); }

std::vector<Microseconds> DeviceStopwatch::laps() const {
    std::vector<Microseconds> laps;
    for (std::size_t i = 1; i < marks_.size(); ++i)
        laps.emplace_back(marks_[i].microseconds_since(marks_[i - 1]));
    return laps;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
