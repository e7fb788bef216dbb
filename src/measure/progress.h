// How far a long run is, on a terminal's last line.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace stream_compaction {

/// "[######--------------]  31%  scan, n = 1024, cold  2:05 left"
std::string progress_line(std::size_t done, std::size_t all, std::chrono::duration<double> elapsed,
                          const std::string& what);

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

}  // namespace stream_compaction
