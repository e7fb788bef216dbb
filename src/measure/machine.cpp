#include "src/measure/machine.h"

#include "src/program/versions.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>

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

/// What a command of the shell prints, without the last line's end; empty where it fails.
std::string output_of(const char* command) {
    struct Close {
        void operator()(FILE* pipe) const { (void)pclose(pipe); }
    };
    const std::unique_ptr<FILE, Close> pipe(popen(command, "r"));
    if (!pipe) return {};
    std::string text;
    std::array<char, 256> buffer;
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        text.append(buffer.data(), size);
    while (text.ends_with('\n')) text.pop_back();
    return text;
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

std::string current_commit() {
    const std::string hash = output_of("git rev-parse HEAD 2>/dev/null");
    if (hash.empty()) return "unknown";
    const bool is_clean = output_of("git status --porcelain --untracked-files=no 2>&1").empty();
    return is_clean ? hash : hash + "-dirty";
}

}  // namespace stream_compaction
