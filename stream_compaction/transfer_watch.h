// How far a call is whose work is to move arrays between host and device. Plans on host arrays
// tell it to whoever of their thread wants to know; where nobody does, it costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace stream_compaction {

/// Sees the calls that its thread makes while it lives, one after the other; of two watches the
/// younger one does. It is destroyed by the thread that has made it. Visible to other binaries: a
/// program and a shared library would have a youngest_ each otherwise, if the program hides its
/// symbols.
class [[gnu::visibility("default")]] TransferWatch {
  public:
    using Clock = std::chrono::steady_clock;

    /// Of the last call.
    struct Progress {
        std::size_t moved = 0;     ///< bytes, up and down
        std::size_t expected = 0;  ///< at its end
        Clock::time_point start = {};
        bool is_running = false;
    };

    TransferWatch() : older_(youngest_) { youngest_ = this; }
    TransferWatch(const TransferWatch&) = delete;
    TransferWatch& operator=(const TransferWatch&) = delete;
    ~TransferWatch() { youngest_ = older_; }

    /// Returns null if the thread has none.
    static TransferWatch* of_this_thread() { return youngest_; }

    /// Any thread may ask.
    Progress progress() const;

    /// From any thread that works for the call.
    void add_moved(std::size_t bytes) { moved_.fetch_add(bytes, std::memory_order_relaxed); }

  private:
    friend class Transfer;

    static inline constinit thread_local TransferWatch* youngest_ = nullptr;
    TransferWatch* const older_;

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
