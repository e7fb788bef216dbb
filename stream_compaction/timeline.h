// When each part of a call that moves arrays between host and device began and ended.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/of_thread.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stream_compaction {

/// What is done to a piece. The first and the last are left out of pinned arrays, and threads do
/// them, each a share.
enum class Step { copy_in, up, kernel, down, copy_out };

constexpr std::string_view to_string(Step step) {
    switch (step) {
        case Step::copy_in:
            return "copy_in";
        case Step::up:
            return "up";
        case Step::kernel:
            return "kernel";
        case Step::down:
            return "down";
        case Step::copy_out:
            return "copy_out";
    }
    return {};
}

/// A part of a call.
struct Part {
    Step step;
    std::size_t thread;  ///< that copies, 0 the caller; 0 of what the device does
    std::size_t piece;   ///< from 0, each way and of kernels; once more where all go twice
    std::size_t bytes;   ///< 0 of kernels
};

/// Both times since the call began.
struct Span {
    Part part;
    Microseconds begin, end;
};

inline namespace SIMT_BACKEND {

/// Notes the parts of one call of its thread, by the device's clock and the host's. The two are
/// read one after the other when the call begins, so some microseconds may lie between them.
class [[gnu::visibility("default")]] Timeline : public OfThread<Timeline> {
  public:
    /// The call begins, with nothing on the stream; only the first time counts.
    /// @throws simt::Error
    void begin(simt::stream_t stream);

    /// From any thread that works for the call: f does the part, or puts it on the stream.
    template <class F>
    void note(const Part& part, F f) {
        const Clock::time_point begin = Clock::now();
        f();
        const Clock::time_point end = Clock::now();
        const std::lock_guard lock(mutex_);
        by_host_.push_back({part, begin - start_, end - start_});
    }
    /// @throws simt::Error
    template <class F>
    void note(const Part& part, simt::stream_t stream, F f) {
        simt::Event begin, end;
        begin.record(stream);
        f();
        end.record(stream);
        const std::lock_guard lock(mutex_);
        by_device_.push_back({part, std::move(begin), std::move(end)});
    }

    /// After the call, in the order in which they began.
    /// @throws simt::Error
    std::vector<Span> spans() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct OnDevice {
        Part part;
        simt::Event begin, end;
    };

    std::optional<simt::Event> device_start_;
    Clock::time_point start_;
    std::mutex mutex_;  // guards what follows while the call runs
    std::vector<Span> by_host_;
    std::vector<OnDevice> by_device_;
};

/// Where nobody wants to know, f alone.
template <class F>
void note(Timeline* timeline, const Part& part, F f) {
    if (timeline == nullptr) return f();
    timeline->note(part, f);
}
template <class F>
void note(Timeline* timeline, const Part& part, simt::stream_t stream, F f) {
    if (timeline == nullptr) return f();
    timeline->note(part, stream, f);
}

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
