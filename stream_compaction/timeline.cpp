#include "stream_compaction/timeline.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {

void Timeline::begin(simt::stream_t stream) {
    if (device_start_) return;
    device_start_.emplace();
    device_start_->record(stream);
    device_start_->synchronize();
    start_ = Clock::now();
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
