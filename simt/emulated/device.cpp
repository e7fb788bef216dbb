#include "simt/device.h"

#include "simt/emulated/block.h"
#include "simt/emulated/executor.h"
#include "simt/memory_budget.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace simt::inline SIMT_BACKEND {
namespace {

/// Returns the text after the colon of the first line of a /proc file that starts with `name`.
std::string read_field(const char* file, const std::string& name) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(name)) continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::size_t text = line.find_first_not_of(" \t", colon + 1);
        if (text != std::string::npos) return line.substr(text);
    }
    return {};
}

std::size_t read_kibibytes(const char* name) {
    const std::string text = read_field("/proc/meminfo", name);
    return text.empty() ? 0 : std::stoull(text) * 1024;
}

}  // namespace

std::optional<std::string> unavailable_reason() noexcept { return std::nullopt; }

unsigned device_count() { return 1; }

void use_device(unsigned) {}

unsigned current_device() { return 0; }

bool enable_access_to(unsigned) { return true; }

DeviceProperties device_properties() {
    std::string name = read_field("/proc/cpuinfo", "model name");
    if (name.empty()) name = "CPU";
    const DeviceProfile profile = detail::current_profile();
    if (!profile.gpu.empty()) name.append(" emulating ").append(profile.gpu);
    const long cache = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return {
        .name = name,
        .compute_capability = profile.compute_capability,
        .multiprocessors = profile.multiprocessors,
        .shared_bytes_per_block = profile.shared_bytes_per_block,
        .shared_bytes_per_multiprocessor = profile.shared_bytes_per_multiprocessor,
        .reserved_shared_bytes = profile.reserved_shared_bytes,
        .l2_bytes =
            profile.l2_bytes > 0 ? profile.l2_bytes : static_cast<std::size_t>(std::max(cache, 0L)),
    };
}

MemoryInfo memory_info() {
    return detail::memory_budget.within_limit(
        {.free = read_kibibytes("MemAvailable"), .total = read_kibibytes("MemTotal")});
}

}  // namespace simt::inline SIMT_BACKEND
