// How far a call is whose work is to move arrays between host and device. Plans on host arrays
// tell it to whoever of their thread wants to know; where nobody does, it costs nothing.
#pragma once

#include "stream_compaction/of_thread.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace stream_compaction {

/// Sees the calls that its thread makes, one after the other.
class [[gnu::visibility("default")]] TransferWatch : public OfThread<TransferWatch> {
  public:
    using Clock = std::chrono::steady_clock;

    /// Of the last call.
    struct Progress {
        std::size_t moved = 0;     ///< bytes, up and down
        std::size_t expected = 0;  ///< at its end
        Clock::time_point start = {};
        bool is_running = false;
    };

    /// Any thread may ask.
    Progress progress() const;

    /// From any thread that works for the call.
    void add_moved(std::size_t bytes) { moved_.fetch_add(bytes, std::memory_order_relaxed); }

  private:
    friend class Transfer;

    std::atomic<std::size_t> moved_ = 0;
    mutable std::mutex mutex_;  // guards what follows
    Progress call_;             // but for what has moved
};

/// A call, as long as this lives: what a plan says to the watch of its thread.
class Transfer {
  public:
    /// @param bytes at most, up and down
    explicit Transfer(std::size_t bytes);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer();

    /// So many of them need not be moved.
    void leave_out(std::size_t bytes) const;

  private:
    TransferWatch* const watch_;
};

}  // namespace stream_compaction
