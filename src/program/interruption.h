// SIGINT (Ctrl-C), SIGTERM and SIGHUP (a closed terminal) end a program with one line and
// ExitCode::interrupted. SIGHUP stays ignored if it was ignored at the start, as under nohup.
#pragma once

#include <atomic>
#include <string>

namespace stream_compaction {

/// Whether a program that is measuring or counting should stop at the next opportunity. Set by the
/// first signal while a StopOnSignals lives; a program may also set it.
extern std::atomic<bool> stop_asked;

/// From now on these signals end the process at once.
/// @param line written to stderr; empty: none
void end_on_signals(std::string line);

/// While it lives, the first of these signals sets stop_asked, and the second one ends the process.
/// For programs that keep or print their results when they are interrupted.
class StopOnSignals {
  public:
    StopOnSignals();
    StopOnSignals(const StopOnSignals&) = delete;
    StopOnSignals& operator=(const StopOnSignals&) = delete;
    ~StopOnSignals();
};

}  // namespace stream_compaction
