#include "stream_compaction/timeline.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {

void Timeline::begin(simt::stream_t stream) {
    if (device_start_) return;
    simt::Event start;
    start.record(stream);
    start.synchronize();
    start_ = Clock::now();
    device_start_ = std::move(start);
}

std::vector<Span> Timeline::spans() const {
    std::vector<Span> all = by_host_;
    for (const auto& [part, begin, end] : by_device_)
        all.push_back({part, Microseconds(begin.microseconds_since(*device_start_)),
                       Microseconds(end.microseconds_since(*device_start_))});
    std::ranges::sort(all, {}, &Span::begin);
    return all;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
