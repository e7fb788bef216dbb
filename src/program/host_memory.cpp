#include "src/program/host_memory.h"

#include "src/command_line/usage_error.h"

#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

namespace stream_compaction {

std::string with_unit(std::size_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    double value = static_cast<double>(bytes) / 1024;
    const char* unit = "KiB";
    for (const char* const next : {"MiB", "GiB"}) {
        if (value < 1024) break;
        value /= 1024;
        unit = next;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %s", value, unit);
    return text;
}

std::size_t available_host_bytes(const std::string& file) {
    std::ifstream lines(file);
    std::string name, unit;
    for (std::size_t kibibytes = 0; lines >> name >> kibibytes; std::getline(lines, unit))
        if (name == "MemAvailable:") return kibibytes * 1024;
    return std::numeric_limits<std::size_t>::max();
}

void require_host_memory(std::size_t n, std::size_t bytes_per_element, std::string_view option,
                         std::string_view given) {
    const std::size_t available = available_host_bytes();
    if (n <= available / bytes_per_element) return;
    const std::string most = "at most " + std::to_string(available / bytes_per_element) +
                             " here: the host has " + with_unit(available) +
                             " free, and each element needs " + std::to_string(bytes_per_element) +
                             " bytes";
    if (!option.empty())
        throw UsageError(option, given.empty() ? std::to_string(n) : std::string(given), most);
    throw UsageError(std::to_string(n) + " elements, expected " + most);
}

}  // namespace stream_compaction
