// The message for a thread that cannot be started.
#pragma once

#include <string>
#include <system_error>

namespace stream_compaction {

/// The message for an error that std::thread, or a row, has thrown.
inline std::string in_words(const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again &&
        error.code() != std::errc::invalid_argument)
        return error.what();
    return "a thread cannot be started (limits: ulimit -u, -d, -s and -v, pids.max of the cgroup, "
           "OMP_STACKSIZE)";
}

}  // namespace stream_compaction
