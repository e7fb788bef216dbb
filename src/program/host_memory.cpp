#include "src/program/host_memory.h"

#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

namespace stream_compaction {

std::string gibibytes(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / 0x1p30);
    return text;
}

std::size_t available_host_bytes(const std::string& file) {
    std::ifstream lines(file);
    std::string name, unit;
    for (std::size_t kibibytes = 0; lines >> name >> kibibytes; std::getline(lines, unit))
        if (name == "MemAvailable:") return kibibytes * 1024;
    return std::numeric_limits<std::size_t>::max();
}

}  // namespace stream_compaction
