// What a call lacks on this machine: memory or threads.
#pragma once

#include "simt/error.h"
#include "simt/host_limit.h"

#include <new>
#include <optional>
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

/// Calls f. Returns the memory or the threads that it lacked; nothing if it has ended.
/// @throws other exceptions of f
template <class F>
std::optional<std::string> shortage_in(F f) {
    try {
        f();
        return std::nullopt;
    } catch (const simt::OutOfMemory& error) {
        return error.what();
    } catch (const simt::OutOfThreads& error) {
        return error.what();
    } catch (const std::bad_alloc&) {
        return "out of memory: " + simt::host_limit_met();
    } catch (const std::system_error& error) {
        return in_words(error);
    }
}

}  // namespace stream_compaction
