#include "src/bench/measurement.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace stream_compaction {

std::string_view to_string(Mode mode) {
    switch (mode) {
        case Mode::cold:
            return "cold";
        case Mode::hot:
            return "hot";
        case Mode::graph:
            return "graph";
        case Mode::host:
            return "host";
    }
    throw std::invalid_argument("a mode that does not exist");
}

std::optional<Mode> find_mode(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        kModes, [name](Mode candidate) { return to_string(candidate) == name; });
    if (found == std::end(kModes)) return std::nullopt;
    return *found;
}

}  // namespace stream_compaction
