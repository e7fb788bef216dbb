// Shows the progress of a long run on the last line of a terminal.
#pragma once

#include "stream_compaction/transfer_watch.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace stream_compaction {

/// "[######--------------]  31%  scan, n = 1024, cold  2:05 left"
std::string progress_line(std::size_t done, std::size_t all, std::chrono::duration<double> elapsed,
                          const std::string& what);

/// "[######--------------]  31%  1.33 of 4.29 GB, 35.1 GB/s  0:02 left"; nothing if no call runs,
/// or if it has been running for less than `patience`.
std::optional<std::string> progress_line(const TransferWatch::Progress& call,
                                         TransferWatch::Clock::time_point now,
                                         TransferWatch::Clock::duration patience);

/// Prints to stderr if it is a terminal; otherwise does nothing.
class Progress {
  public:
    explicit Progress(std::size_t all);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::size_t done, const std::string& what) const;

    /// Clears the line for other output.
    void clear() const;

  private:
    bool is_shown_;
    std::size_t all_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// While it lives, shows the progress of this thread's call if the call takes longer than a second
/// and moves arrays between host and device. A separate thread prints it a few times per second. If
/// stderr is not a terminal, there is no such thread.
class CallProgress {
  public:
    using Clock = TransferWatch::Clock;

    struct Pace {
        Clock::duration patience = std::chrono::seconds(1);      ///< shorter calls get no line
        Clock::duration every = std::chrono::milliseconds(250);  ///< interval between lines
    };

    /// @param before restores the previous line; called only by the other thread, while this object
    ///               lives
    explicit CallProgress(std::function<void()> before = {})
        : CallProgress(std::move(before), {}) {}
    CallProgress(std::function<void()> before, Pace pace);
    CallProgress(const CallProgress&) = delete;
    CallProgress& operator=(const CallProgress&) = delete;
    ~CallProgress();

  private:
    void show_until_the_end();

    std::function<void()> before_;
    Pace pace_;
    std::optional<TransferWatch> watch_;
    std::mutex mutex_;
    std::condition_variable end_;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace stream_compaction
