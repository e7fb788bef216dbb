// A spinning thread lets others run; a kernel in which all threads only spin is aborted.
#include "simt/emulated/multiprocessor/multiprocessor.h"
#include "simt/error.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace simt::inline SIMT_BACKEND::detail {

void Multiprocessor::relax(Location where) {
    // A block is idle if all its threads have spun for some rounds and none did anything else. If
    // threads meet in collectives between two spins, ready_ is rarely empty, so relaxes_ is checked
    // as well.
    const bool only_spins = ready_.empty() && !can_start();
    ++relaxes_;
    if ((only_spins && ++spins_ > kSpinRounds * (spinning_.size() + 1)) ||
        relaxes_ % kRelaxesBetweenChecks == 0) {
        spins_ = 0;
        idle(where);
    }
    running_->steps = 0;
    running_->waits_at = where;
    spinning_.push(running_);
    suspend();
}

void Multiprocessor::after_atomic(bool changed) {
    changed ? got_somewhere() : step();
    if (grid_->options.order != Order::random || random_.below(4) != 0) return;
    ready_.push(running_);
    suspend();
}

void Multiprocessor::idle(Location where) {
    if (grid_->stopped.load(std::memory_order_relaxed)) {
        given_up_ = true;
        throw Abandoned{};
    }
    if (worker_ == 0) grid_->call_helpers();
    count(grid_->progress[worker_].idle_rounds);
    if (!all_stall()) {
        yield();
        return;
    }
    if (grid_->missing_helpers > 0)
        throw OutOfThreads(
            "the kernel's blocks wait for each other, and the machine has started only " +
                std::to_string(grid_->progress.size() - grid_->missing_helpers) + " of " +
                std::to_string(grid_->progress.size()) +
                " threads that execute blocks (limits: ulimit -u, -d and -v, pids.max of the "
                "cgroup)",
            grid_->config.where);
    fail("no block makes progress: the thread spins on a value that no block provides" +
             describe_waiting(),
         where);
}

void Multiprocessor::yield() {
    if (grid_->progress.size() == 1) return;
    const std::uint64_t rounds = grid_->progress[worker_].idle_rounds - rounds_before_[worker_];
    if (rounds > kRoundsWithYield && relaxes_ - yielded_at_ < kRelaxesBetweenChecks) return;
    yielded_at_ = relaxes_;
    std::this_thread::yield();
}

bool Multiprocessor::all_stall() {
    bool all = true;
    for (std::size_t i = 0; i < rounds_before_.size(); ++i) {
        const std::uint64_t rounds = grid_->progress[i].idle_rounds.load(std::memory_order_acquire);
        all = all && (rounds == Grid::Progress::kLeft ||
                      rounds - rounds_before_[i] >= grid_->options.stall_rounds);
    }
    // The events are read after the rounds, and the rounds are read again after the events. Hence
    // all counted rounds were made after the last event, and no event came after them.
    std::uint64_t events = 0;
    for (const Grid::Progress& worker : grid_->progress)
        events += worker.events.load(std::memory_order_acquire);
    if (events == seen_events_) return all;
    seen_events_ = events;
    for (std::size_t i = 0; i < rounds_before_.size(); ++i)
        rounds_before_[i] = grid_->progress[i].idle_rounds.load(std::memory_order_acquire);
    return false;
}

std::string Multiprocessor::describe_waiting() {
    std::vector<const Fiber*> examples;
    unsigned waiting = 0;
    for (const auto& fiber : fibers_) {
        if (!fiber->waiting) continue;
        ++waiting;
        const auto waits_here = [&](const Fiber* other) {
            return same_location(other->waits_at, fiber->waits_at);
        };
        if (std::ranges::none_of(examples, waits_here)) examples.push_back(fiber.get());
    }
    std::string text = "; " + std::to_string(waiting) + " threads wait";
    for (const Fiber* fiber : examples)
        text += (fiber == examples.front() ? ": " : ", ") + describe(fiber->index) + " at " +
                describe(fiber->waits_at);
    return text;
}

}  // namespace simt::inline SIMT_BACKEND::detail
