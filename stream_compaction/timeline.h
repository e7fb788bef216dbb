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

/// The processing steps of a piece. Threads of the host do the first and the last step, each a
/// share; with pinned arrays these two steps are omitted.
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

/// One part of a call.
struct Part {
    Step step;
    std::size_t thread;  ///< that copies; 0 is the caller; 0 for the device's steps
    /// Counted from 0 in each direction and for kernels; it goes on counting if all pieces are
    /// moved twice.
    std::size_t piece;
    std::size_t bytes;  ///< 0 for kernels
};

/// Both times since the call began.
struct Span {
    Part part;
    Microseconds begin, end;
};

inline namespace SIMT_BACKEND {

/// Records the parts of one call of its thread, by the device's clock and the host's. The two
/// clocks are read one after the other when the call begins, so their zeros may differ by some
/// microseconds.
class [[gnu::visibility("default")]] Timeline : public OfThread<Timeline> {
  public:
    /// Called when a call begins, with no work on the stream; only the first call counts.
    /// @throws simt::Error
    void begin(simt::stream_t stream);

    /// Runs f, which does the part or puts it on the stream. Any thread that works for the call may
    /// use it.
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

    /// Returns the parts after the call, in the order in which they began.
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
    std::mutex mutex_;  // guards the members below while the call runs
    std::vector<Span> by_host_;
    std::vector<OnDevice> by_device_;
};

/// Records f if the thread has a Timeline; otherwise only calls f.
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
