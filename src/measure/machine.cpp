#include "src/measure/machine.h"

#include "src/program/versions.h"

#include <array>
#include <ctime>
#include <fstream>

namespace stream_compaction {
namespace {

std::string host_cpu() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "unknown";
}

/// YYYY-MM-DD, in UTC.
std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    (void)gmtime_r(&now, &parts);
    std::array<char, 16> text;
    (void)std::strftime(text.data(), text.size(), "%F", &parts);
    return text.data();
}

}  // namespace

Machine machine_of(const Registry& registry, const std::optional<std::string>& driver,
                   std::string commit) {
    const simt::DeviceProperties device = registry.device_properties();
    return {.gpu = device.name,
            .driver = driver.value_or("for CUDA " + cuda_version(device.driver_version)),
            .cuda = cuda_version(device.runtime_version),
            .cub = cub_version(registry.cub_version),
            .host_cpu = host_cpu(),
            .commit = std::move(commit),
            .date = today()};
}

}  // namespace stream_compaction
