// Whether other processes use the CPUs while rows on the host are measured.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace stream_compaction {

/// How much of the machine this process does not have.
struct SharedHost {
    unsigned cpus = 0;                 ///< of the machine
    double used_by_others = 0;         ///< CPUs, on average; includes those that a hypervisor took
    std::optional<double> quota = {};  ///< CPUs that the process's cgroups allow, if fewer
};

/// "other processes use 3.2 of 16 CPUs; the cgroup allows 4 CPUs"
std::string describe(const SharedHost& host);

/// Seconds that CPUs were busy, since the machine or the process was started.
struct CpuSeconds {
    double machine = 0, process = 0;
};

/// Reads /proc/stat, or a file like it. Returns nothing if it cannot be read.
std::optional<CpuSeconds> read_cpu_seconds(const std::filesystem::path& stat = "/proc/stat");

/// The smallest quota of a process's cgroups (version 1 or 2), in CPUs. Returns nothing if they
/// have none.
/// @param cgroup the file that names the cgroups
/// @param root   where the cgroups are mounted
std::optional<double> cpu_quota(const std::filesystem::path& cgroup = "/proc/self/cgroup",
                                const std::filesystem::path& root = "/sys/fs/cgroup");

/// The load since the object was made.
class HostLoad {
  public:
    /// @param seconds_now the clock
    HostLoad(std::function<std::optional<CpuSeconds>()> read, std::function<double()> seconds_now,
             unsigned cpus, std::optional<double> quota);

    /// Reads the load, the clock, the CPUs and the quota of this machine.
    HostLoad();

    /// Returns nothing if this process has the machine for itself: no quota below its CPUs, and
    /// others use less than half a CPU and less than 2 % of all. /proc/stat counts hundredths of a
    /// second, so the first half second is not judged.
    std::optional<SharedHost> shared() const;

  private:
    std::function<std::optional<CpuSeconds>()> read_;
    std::function<double()> seconds_now_;
    unsigned cpus_;
    std::optional<double> quota_;
    double start_s_;
    std::optional<CpuSeconds> start_;
};

}  // namespace stream_compaction
