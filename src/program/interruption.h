// SIGINT (Ctrl-C), SIGTERM and SIGHUP (a terminal that is closed): they end a program with one line
// and ExitCode::interrupted. SIGHUP is ignored if it was when the program started, as nohup has it.
#pragma once

#include <atomic>
#include <string>

namespace stream_compaction {

/// Whether a program that is measuring or counting should stop at the next opportunity. Set by the
/// first signal while a StopOnSignals lives; a program may also set it.
extern std::atomic<bool> stop_asked;

/// From now on these signals end the process at once.
/// @param line that is written to stderr; empty: none
void end_on_signals(std::string line);

/// As long as it lives, the first of these signals sets stop_asked, and the second one ends the
/// process. For programs that keep or print what they have when they are interrupted.
class StopOnSignals {
  public:
    StopOnSignals();
    StopOnSignals(const StopOnSignals&) = delete;
    StopOnSignals& operator=(const StopOnSignals&) = delete;
    ~StopOnSignals();
};

}  // namespace stream_compaction
