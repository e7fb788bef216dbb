#include "src/measure/progress.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

namespace stream_compaction {

std::string progress_line(std::size_t done, std::size_t all, std::chrono::duration<double> elapsed,
                          const std::string& what) {
    constexpr std::size_t kWidth = 20;
    const double share = all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all);
    const auto full = std::min(kWidth, static_cast<std::size_t>(share * kWidth));
    std::array<char, 16> percent;
    (void)std::snprintf(percent.data(), percent.size(), "%3.0f%%", 100 * share);
    std::string line = '[' + std::string(full, '#') + std::string(kWidth - full, '-') + "] ";
    line.append(percent.data()).append("  ").append(what);
    if (done == 0) return line;  // nothing to judge by
    const auto seconds = static_cast<unsigned long long>(elapsed.count() * (1 / share - 1));
    std::array<char, 48> left;
    (void)std::snprintf(left.data(), left.size(), "  %llu:%02llu left", seconds / 60, seconds % 60);
    return line + left.data();
}

Progress::Progress(std::size_t all) : is_shown_(isatty(STDERR_FILENO) == 1), all_(all) {}

void Progress::show(std::size_t done, const std::string& what) const {
    if (!is_shown_) return;
    clear();
    std::cerr << progress_line(done, all_, std::chrono::steady_clock::now() - start_, what)
              << std::flush;
}

void Progress::clear() const {
    if (is_shown_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace stream_compaction
