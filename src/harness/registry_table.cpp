#include "src/harness/registry_table.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

using Line = std::array<std::string, 7>;

/// "64 [128] 256", or "-" if a row does not have the parameter.
std::string choices(std::span<const int> legal, int tuned) {
    if (legal.empty()) return "-";
    std::string text;
    for (const int value : legal) {
        if (!text.empty()) text += ' ';
        const std::string number = std::to_string(value);
        text += value == tuned ? '[' + number + ']' : number;
    }
    return text;
}

Line line_of(const Algorithm& row) {
    std::string description(row.description);
    if (row.run == nullptr) description.append(" (unavailable: ").append(row.unavailable) += ')';
    return {std::string(to_string(row.operation)),
            std::string(row.name),
            row.runs_on == Place::host ? "host" : "device",
            choices(row.legal.block_sizes, row.tuned.block_size),
            choices(row.legal.items_per_thread, row.tuned.items_per_thread),
            choices(row.legal.paddings, row.tuned.padding),
            description};
}

}  // namespace

void print_rows(std::ostream& out, const Registry& registry) {
    std::vector<Line> lines = {{"operation", "algorithm", "runs on", "block size [default]",
                                "items per thread [default]", "padding [default]", "what it is"}};
    for (const Algorithm& row : registry.rows) lines.push_back(line_of(row));

    std::array<std::size_t, std::tuple_size_v<Line>> widths{};
    for (const Line& line : lines)
        for (std::size_t column = 0; column < line.size(); ++column)
            widths[column] = std::max(widths[column], line[column].size());
    for (const Line& line : lines) {
        for (std::size_t column = 0; column + 1 < line.size(); ++column)
            out << line[column] << std::string(widths[column] - line[column].size() + 2, ' ');
        out << line.back() << '\n';
    }
}

}  // namespace stream_compaction
