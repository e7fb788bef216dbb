// Names what limits the memory of the process on the host.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>

namespace simt {

/// Why the host could not map this many bytes: of the limits that have no room for them, the one
/// with the least room; if there is none, the machine has no memory left.
inline std::string host_limit_met(std::size_t bytes = std::numeric_limits<std::size_t>::max()) {
    // Pages of the process: all, resident, shared, code, 0, data and stack.
    std::array<std::size_t, 6> pages{};
    // Streams would allocate buffers, for which there may be no memory.
    std::array<char, 256> text{};
    if (const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC); statm >= 0) {
        (void)!read(statm, text.data(), text.size() - 1);
        (void)close(statm);
    }
    char* next = text.data();
    for (std::size_t& count : pages) count = std::strtoul(next, &next, 10);
    const struct {
        int resource;
        std::size_t used_pages;
        const char *kind, *option;
    } limits[] = {{RLIMIT_AS, pages[0], "address space", "ulimit -v"},
                  {RLIMIT_DATA, pages[5], "data", "ulimit -d"}};
    std::string met = "the machine has no memory left";
    for (const auto& [resource, used_pages, kind, option] : limits) {
        rlimit limit{};
        if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
        const std::size_t used = used_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t room = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
        if (room >= bytes) continue;
        bytes = room;
        met = "the process has " + std::to_string(used) + " bytes of " + kind + ", at most " +
              std::to_string(limit.rlim_cur) + " (" + option + ")";
    }
    return met;
}

}  // namespace simt
