// How far a long run is, on a terminal's last line.
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

/// "[######--------------]  31%  1.33 of 4.29 GB, 35.1 GB/s  0:02 left"; nothing where no call
/// runs, or none for `patience`.
std::optional<std::string> progress_line(const TransferWatch::Progress& call,
                                         TransferWatch::Clock::time_point now,
                                         TransferWatch::Clock::duration patience);

/// Shows it on stderr, where that is a terminal; elsewhere it does nothing.
class Progress {
  public:
    explicit Progress(std::size_t all);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::size_t done, const std::string& what) const;

    /// Makes room for other lines.
    void clear() const;

  private:
    bool is_shown_;
    std::size_t all_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// As long as it lives, shows how far this thread's call is whenever one takes longer than a
/// second and moves arrays between host and device: from a thread of its own, which sleeps but for
/// a few times a second. Where stderr is no terminal, there is no such thread.
class CallProgress {
  public:
    using Clock = TransferWatch::Clock;

    struct Pace {
        Clock::duration patience = std::chrono::seconds(1);      ///< calls that get no line
        Clock::duration every = std::chrono::milliseconds(250);  ///< a line
    };

    /// @param before brings back the line that was there before; called by the other thread, and
    ///               while this lives alone
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
