// Runs code in a child of fork().
#pragma once

#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

namespace stream_compaction {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kFindsLeaks = true;
#else
inline constexpr bool kFindsLeaks = false;
#endif

/// Whether a child process that calls f() exits with 0 after f has returned true.
template <class F>
bool succeeds_in_child(F f) {
    std::fflush(nullptr);  // otherwise the child would write the buffered output again
    const pid_t child = fork();
    if (child == 0) {
        constexpr unsigned kSeconds = 600;
        alarm(kSeconds);  // for children that hang
        const int code = f() ? 0 : 1;
        // The memory of the parent's threads would count as leaked.
        if (kFindsLeaks) std::_Exit(code);
        std::exit(code);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// ThreadSanitizer ends a child that starts threads.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kForks = false;
#else
inline constexpr bool kForks = true;
#endif

}  // namespace stream_compaction
