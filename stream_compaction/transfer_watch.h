// Progress of a call that moves arrays between host and device. A plan on host arrays reports to
// the TransferWatch of its thread, if there is one; otherwise it costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace stream_compaction {

/// Observes the calls of its thread while it lives, one after the other. If a thread has two
/// watches, only the younger one observes. The thread that created it destroys it. It has default
/// visibility: if a program hides its symbols, it and a shared library would otherwise each have
/// their own youngest_.
class [[gnu::visibility("default")]] TransferWatch {
  public:
    using Clock = std::chrono::steady_clock;

    /// The progress of the last call.
    struct Progress {
        std::size_t moved = 0;     ///< bytes, in both directions
        std::size_t expected = 0;  ///< bytes moved at its end
        Clock::time_point start = {};
        bool is_running = false;
    };

    TransferWatch() : older_(youngest_) { youngest_ = this; }
    TransferWatch(const TransferWatch&) = delete;
    TransferWatch& operator=(const TransferWatch&) = delete;
    ~TransferWatch() { youngest_ = older_; }

    /// Returns null if the thread has none.
    static TransferWatch* of_this_thread() { return youngest_; }

    /// Any thread may call this.
    Progress progress() const;

    /// Called by any thread that works for the call.
    void add_moved(std::size_t bytes) { moved_.fetch_add(bytes, std::memory_order_relaxed); }

  private:
    friend class Transfer;

    static inline constinit thread_local TransferWatch* youngest_ = nullptr;
    TransferWatch* const older_;

    std::atomic<std::size_t> moved_ = 0;
    mutable std::mutex mutex_;  // guards the members below
    Progress call_;             // except the moved bytes
};

/// A call, as long as this object lives: reports to the TransferWatch of the plan's thread.
class Transfer {
  public:
    /// @param bytes upper bound of the bytes to move, in both directions
    explicit Transfer(std::size_t bytes);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer();

    /// Reduces the expected bytes: these need not be moved.
    void leave_out(std::size_t bytes) const;

  private:
    TransferWatch* const watch_;
};

}  // namespace stream_compaction
