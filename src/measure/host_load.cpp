#include "src/measure/host_load.h"

#include "src/bench/sampling/host_clock.h"
#include "src/program/significant.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void lower(std::optional<double>& lowest, double quota) {
    lowest = std::min(lowest.value_or(quota), quota);
}

/// Version 2: "max 100000" or "400000 100000", in microseconds per period.
void read_version_2(const fs::path& folder, std::optional<double>& lowest) {
    std::ifstream file(folder / "cpu.max");
    double quota = 0, period = 0;
    if (file >> quota >> period && period > 0) lower(lowest, quota / period);
}

/// Version 1: -1 without a quota.
void read_version_1(const fs::path& folder, std::optional<double>& lowest) {
    double quota = 0, period = 0;
    if (std::ifstream(folder / "cpu.cfs_quota_us") >> quota &&
        std::ifstream(folder / "cpu.cfs_period_us") >> period && quota > 0 && period > 0)
        lower(lowest, quota / period);
}

/// A comma-separated list of controllers, such as "cpu,cpuacct".
bool has_cpu(const std::string& controllers) {
    return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::string describe(const SharedHost& host) {
    std::string text = "other processes use " + three_digits(host.used_by_others) + " of " +
                       std::to_string(host.cpus) + " CPUs";
    if (host.quota) text += "; the cgroup allows " + three_digits(*host.quota) + " CPUs";
    return text;
}

std::optional<CpuSeconds> read_cpu_seconds(const fs::path& stat) {
    std::ifstream file(stat);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, steal = 0;
    rusage own{};
    if (!(file >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq >> steal) ||
        name != "cpu" || getrusage(RUSAGE_SELF, &own) != 0)
        return std::nullopt;
    const double ticks = user + nice + system + irq + softirq + steal;
    return CpuSeconds{.machine = ticks / static_cast<double>(sysconf(_SC_CLK_TCK)),
                      .process = seconds(own.ru_utime) + seconds(own.ru_stime)};
}

std::optional<double> cpu_quota(const fs::path& cgroup, const fs::path& root) {
    std::optional<double> lowest;
    std::ifstream lines(cgroup);
    for (std::string line; std::getline(lines, line);) {  // "0::/path" or "4:cpu,cpuacct:/path"
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool is_version_2 = controllers.empty();
        if (!is_version_2 && !has_cpu(controllers)) continue;
        const fs::path top = is_version_2 ? root : root / "cpu";
        // A container may see its own cgroup at the top, under a path of the host.
        for (fs::path path = fs::path(line.substr(second + 1)).relative_path();;
             path = path.parent_path()) {
            (is_version_2 ? read_version_2 : read_version_1)(top / path, lowest);
            if (path.empty()) break;
        }
    }
    return lowest;
}

HostLoad::HostLoad(std::function<std::optional<CpuSeconds>()> read,
                   std::function<double()> seconds_now, unsigned cpus, std::optional<double> quota)
    : read_(std::move(read)),
      seconds_now_(std::move(seconds_now)),
      cpus_(cpus),
      quota_(quota),
      start_s_(seconds_now_()),
      start_(read_()) {
    if (quota_ >= cpus_) quota_.reset();
}

HostLoad::HostLoad()
    : HostLoad([] { return read_cpu_seconds(); }, [] { return host_clock_us() / 1e6; },
               static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))), cpu_quota()) {}

std::optional<SharedHost> HostLoad::shared() const {
    constexpr double kFewCpus = 0.5, kSmallShare = 0.02, kLeastSeconds = 0.5;
    double used_by_others = 0;
    const double elapsed_s = seconds_now_() - start_s_;
    const std::optional<CpuSeconds> now = read_();
    if (start_ && now && elapsed_s >= kLeastSeconds)
        used_by_others = std::clamp(
            (now->machine - start_->machine - (now->process - start_->process)) / elapsed_s, 0.,
            static_cast<double>(cpus_));
    const bool is_used = used_by_others >= kFewCpus && used_by_others >= kSmallShare * cpus_;
    if (!is_used && !quota_) return std::nullopt;
    return SharedHost{.cpus = cpus_, .used_by_others = used_by_others, .quota = quota_};
}

}  // namespace stream_compaction
