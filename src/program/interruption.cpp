#include "src/program/interruption.h"

#include "src/program/exit_code.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace stream_compaction {

std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::string last_line;
std::array<struct sigaction, NSIG> former_actions;

void restore_former_actions() {
    for (const int signal : kSignals) (void)sigaction(signal, &former_actions[signal], nullptr);
}

/// Saves the former actions. An ignored SIGHUP stays ignored.
void handle_with(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (const int signal : kSignals) {
        struct sigaction& former = former_actions[signal];
        (void)sigaction(signal, nullptr, &former);
        if (signal != SIGHUP || former.sa_handler != SIG_IGN)
            (void)sigaction(signal, &action, nullptr);
    }
}

}  // namespace

void end_on_signals(std::string line) {
    last_line = std::move(line);
    handle_with([](int) {
        (void)!write(STDERR_FILENO, last_line.data(), last_line.size());
        std::_Exit(static_cast<int>(ExitCode::interrupted));
    });
}

StopOnSignals::StopOnSignals() {
    handle_with([](int) {
        stop_asked = true;
        restore_former_actions();
    });
}

StopOnSignals::~StopOnSignals() { restore_former_actions(); }

}  // namespace stream_compaction
