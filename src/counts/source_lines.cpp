#include "src/counts/source_lines.h"

#include "src/command_line/shell_word.h"

#include <link.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <ranges>
#include <regex>
#include <string_view>

namespace stream_compaction {
namespace {

/// The address at which the executable was loaded.
std::uintptr_t load_address() {
    std::uintptr_t address = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
            return 1;
        },
        &address);
    return address;
}

/// "a::(anonymous namespace)::f<a::T, 8>(int const*)": "f<T, 8>".
std::string short_name(const std::string& name) {
    static const std::regex kScope(R"((\(anonymous namespace\)|\w+)::)");
    std::string text = std::regex_replace(name, kScope, "");
    text.erase(std::min(text.find('('), text.size()));
    // Only templates have it.
    if (const auto type = text.find("void "); type == 0) text.erase(0, 5);
    return text;
}

SourceLine source_line(const std::string& function, std::string_view place) {
    constexpr std::string_view kProject = PROJECT_IN_DEBUG_INFORMATION;
    SourceLine line;
    line.function = short_name(function);
    place = place.substr(0, place.find(" (discriminator"));
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return line;
    line.file = place.substr(0, colon);
    (void)std::sscanf(place.data() + colon + 1, "%u", &line.line);
    line.in_project = line.file.starts_with(kProject);
    if (line.in_project) line.file.erase(0, kProject.size());
    return line;
}

/// The lines that addr2line prints.
std::vector<std::string> ask(const std::string& command) {
    std::vector<std::string> lines;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return lines;
    std::string line;
    for (int character = 0; (character = std::fgetc(pipe)) != EOF;) {
        if (character != '\n') {
            line += static_cast<char>(character);
        } else {
            lines.push_back(std::move(line));
            line.clear();
        }
    }
    if (pclose(pipe) != 0) lines.clear();
    return lines;
}

}  // namespace

SourceLines::SourceLines(const std::vector<std::uintptr_t>& addresses) {
    constexpr std::size_t kAtOnce = 1000;  // command lines have a maximum length
    const std::uintptr_t base = load_address();
    std::error_code error;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return;
    for (std::size_t first = 0; first < addresses.size(); first += kAtOnce) {
        std::string command = "addr2line --addresses --functions --demangle --inlines --exe=" +
                              shell_word(executable.string());
        for (const std::uintptr_t address :
             addresses | std::views::drop(first) | std::views::take(kAtOnce)) {
            char text[32];
            (void)std::snprintf(text, sizeof text, " %#zx", std::size_t{address - base});
            command += text;
        }
        // For each address: the address, then a function and a location for each level of inlining.
        std::vector<SourceLine>* found = nullptr;
        // Ctrl-C also reaches addr2line, which would then print no lines for a row whose counts are
        // kept.
        const std::vector<std::string> lines =
            ask("trap '' INT TERM HUP; " + command + " 2>/dev/null");
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].starts_with("0x")) {
                found = &lines_[base + std::stoull(lines[i], nullptr, 16)];
            } else if (found != nullptr && i + 1 < lines.size()) {
                found->push_back(source_line(lines[i], lines[i + 1]));
                ++i;
            }
        }
    }
}

const std::vector<SourceLine>& SourceLines::at(std::uintptr_t address) const {
    static const std::vector<SourceLine> kNothing;
    const auto found = lines_.find(address);
    return found == lines_.end() ? kNothing : found->second;
}

SourceLine SourceLines::of_access(const std::vector<std::uintptr_t>& calls) const {
    for (const std::uintptr_t return_address : calls | std::views::reverse)
        for (const SourceLine& line : at(return_address - 1))  // an address within the call itself
            if (line.in_project && !line.file.starts_with("simt/")) return line;
    return {};
}

}  // namespace stream_compaction
