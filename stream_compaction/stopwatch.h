// Time, measured where the work happens: by the host's clock, or by events on the work's stream.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "stream_compaction/algorithm.h"

#include <chrono>
#include <span>
#include <vector>

namespace stream_compaction {

/// Reads its clock at each mark; n marks make n - 1 laps.
class Stopwatch {
  public:
    virtual ~Stopwatch() = default;
    virtual void mark() = 0;
    /// Waits until all marks have been reached, then returns the times between them.
    virtual std::vector<Microseconds> laps() const = 0;
};

/// For work that has finished when the call returns: std::chrono::steady_clock.
class HostStopwatch final : public Stopwatch {
  public:
    void mark() override { marks_.push_back(std::chrono::steady_clock::now()); }
    std::vector<Microseconds> laps() const override;

  private:
    std::vector<std::chrono::steady_clock::time_point> marks_;
};

/// One lap is the total time; three laps are the phases of a compaction, or 3 k laps those of k
/// slices.
Outcome outcome(std::size_t count, std::span<const Microseconds> laps);

inline namespace SIMT_BACKEND {

/// For work on a stream: the device reads its clock when it reaches the mark (CUDA events).
class DeviceStopwatch final : public Stopwatch {
  public:
    explicit DeviceStopwatch(simt::stream_t stream = nullptr) : stream_(stream) {}
    void mark() override;
    std::vector<Microseconds> laps() const override;

  private:
    simt::stream_t stream_;
    std::vector<simt::Event> marks_;
};

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
