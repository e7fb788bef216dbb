#include "src/program/progress.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <system_error>
#include <utility>

namespace stream_compaction {
namespace {

bool is_terminal() { return isatty(STDERR_FILENO) == 1; }

void clear_line() { std::cerr << "\r\x1b[K" << std::flush; }

void show_line(const std::string& text) { std::cerr << "\r\x1b[K" + text << std::flush; }

}  // namespace

std::string progress_line(std::size_t done, std::size_t all, std::chrono::duration<double> elapsed,
                          const std::string& what) {
    constexpr std::size_t kWidth = 20;
    const double share = all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all);
    const auto full = std::min(kWidth, static_cast<std::size_t>(share * kWidth));
    std::array<char, 16> percent;
    (void)std::snprintf(percent.data(), percent.size(), "%3.0f%%", 100 * share);
    std::string line = '[' + std::string(full, '#') + std::string(kWidth - full, '-') + "] ";
    line.append(percent.data()).append("  ").append(what);
    if (done == 0) return line;  // nothing to extrapolate from
    const auto seconds = static_cast<unsigned long long>(elapsed.count() * (1 / share - 1));
    std::array<char, 48> left;
    (void)std::snprintf(left.data(), left.size(), "  %llu:%02llu left", seconds / 60, seconds % 60);
    return line + left.data();
}

std::optional<std::string> progress_line(const TransferWatch::Progress& call,
                                         TransferWatch::Clock::time_point now,
                                         TransferWatch::Clock::duration patience) {
    constexpr double kGigabyte = 1e9;
    if (!call.is_running || now - call.start < patience) return std::nullopt;
    const std::chrono::duration<double> elapsed = now - call.start;
    const double moved = static_cast<double>(call.moved) / kGigabyte;
    const double expected = static_cast<double>(call.expected) / kGigabyte;
    std::array<char, 96> what;
    (void)std::snprintf(what.data(), what.size(), "%.2f of %.2f GB, %.3g GB/s", moved, expected,
                        moved / std::max(elapsed.count(), 1e-9));
    return progress_line(call.moved, call.expected, elapsed, what.data());
}

Progress::Progress(std::size_t all) : is_shown_(is_terminal()), all_(all) {}

void Progress::show(std::size_t done, const std::string& what) const {
    if (!is_shown_) return;
    show_line(progress_line(done, all_, std::chrono::steady_clock::now() - start_, what));
}

void Progress::clear() const {
    if (is_shown_) clear_line();
}

CallProgress::CallProgress(std::function<void()> before, Pace pace)
    : before_(std::move(before)), pace_(pace) {
    if (!is_terminal()) return;
    watch_.emplace();
    try {
        thread_ = std::thread([this] { show_until_the_end(); });
    } catch (const std::system_error&) {  // no thread is left; progress is not essential
        watch_.reset();
    }
}

CallProgress::~CallProgress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    end_.notify_one();
    thread_.join();
}

void CallProgress::show_until_the_end() {
    bool is_shown = false;
    const auto erase = [&] {
        if (!std::exchange(is_shown, false)) return;
        clear_line();
        if (before_) before_();
    };
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, pace_.every, [&] { return has_ended_; })) {
        const auto line = progress_line(watch_->progress(), Clock::now(), pace_.patience);
        if (!line) {
            erase();
            continue;
        }
        show_line(*line);
        is_shown = true;
    }
    erase();
}

}  // namespace stream_compaction
