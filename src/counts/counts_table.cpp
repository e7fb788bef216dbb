// Prints the table of counted_row.h.
#include "src/counts/counted_row.h"
#include "src/measure/results_table.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>

namespace stream_compaction {
namespace {

struct Column {
    std::string_view group, name;
    std::function<std::string(const LaunchCounts&)> text;
    /// Whether the column is useful for these counts.
    std::function<bool(const LaunchCounts&)> matters;
};

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string decimal(const char* pattern, double value) {
    char text[32];
    (void)std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    return decimal("%.1f", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string lanes_per_request(const LaunchCounts& counts) {
    const std::uint64_t requests = counts.accesses.requests();
    if (requests == 0) return "-";
    return decimal("%.1f",
                   static_cast<double>(counts.accesses.lanes()) / static_cast<double>(requests));
}

using Counts = const LaunchCounts&;

std::vector<Column> columns() {
    std::vector<Column> all;
    const auto always = [](Counts) { return true; };
    all.push_back({"threads", "launched", [](Counts c) { return number(c.threads); },
                   [](Counts c) { return c.threads > 0; }});
    all.push_back({"", "active", [](Counts c) { return number(c.active_threads); },
                   [](Counts c) { return c.threads > 0; }});
    all.push_back({"lanes per", "request", lanes_per_request, always});
    const auto add_global = [&](std::string_view group, GlobalCounts AccessCounts::*kind) {
        const auto matters = [=](Counts c) { return (c.accesses.*kind).requests > 0; };
        const auto add = [&](std::string_view title, std::string_view name, auto value) {
            all.push_back(
                {title, name, [=](Counts c) { return value(c.accesses.*kind); }, matters});
        };
        add(group, "requests", [](const GlobalCounts& c) { return number(c.requests); });
        add("", "sectors", [](const GlobalCounts& c) { return number(c.sectors); });
        add("", "bytes asked", [](const GlobalCounts& c) { return number(c.bytes_asked); });
        add("", "moved", [](const GlobalCounts& c) { return number(c.bytes_moved()); });
        add("", "used %",
            [](const GlobalCounts& c) { return share(c.bytes_asked, c.bytes_moved()); });
    };
    add_global("loads", &AccessCounts::loads);
    add_global("stores", &AccessCounts::stores);
    const auto shared = [](Counts c) { return c.accesses.shared.requests > 0; };
    all.push_back({"shared", "requests",
                   [](Counts c) { return number(c.accesses.shared.requests); }, shared});
    all.push_back(
        {"", "conflicts", [](Counts c) { return number(c.accesses.shared.conflicts); }, shared});
    const auto add_atomics = [&](std::string_view group, AtomicCounts AccessCounts::*kind) {
        const auto matters = [=](Counts c) { return (c.accesses.*kind).requests > 0; };
        all.push_back({group, "requests",
                       [=](Counts c) { return number((c.accesses.*kind).requests); }, matters});
        all.push_back({"", "operations",
                       [=](Counts c) { return number((c.accesses.*kind).operations); }, matters});
        all.push_back({"", "met",
                       [=](Counts c) { return number((c.accesses.*kind).most_in_request); },
                       matters});
    };
    add_atomics("atomics", &AccessCounts::global_atomics);
    all.push_back({"", "at one address", [](Counts c) { return number(c.most_atomics); },
                   [](Counts c) { return c.most_atomics > 0; }});
    add_atomics("shared atomics", &AccessCounts::shared_atomics);
    const auto has_bulk_loads = [](Counts c) { return c.bulk_loads.copies > 0; };
    all.push_back({"bulk loads", "copies", [](Counts c) { return number(c.bulk_loads.copies); },
                   has_bulk_loads});
    all.push_back(
        {"", "bytes", [](Counts c) { return number(c.bulk_loads.bytes); }, has_bulk_loads});
    all.push_back({"block", "barriers", [](Counts c) { return number(c.barriers); },
                   [](Counts c) { return c.barriers > 0; }});
    all.push_back({"warp", "collectives", [](Counts c) { return number(c.collectives); },
                   [](Counts c) { return c.collectives > 0; }});
    return all;
}

struct Line {
    std::string name;
    LaunchCounts counts;
};

/// Omits columns in which every line is empty.
std::string table(const std::vector<Line>& lines) {
    std::size_t width = 0;
    for (const Line& line : lines) width = std::max(width, line.name.size());
    std::string groups(width, ' '), names(width, ' ');
    std::vector<std::string> texts;
    for (const Line& line : lines)
        texts.push_back(line.name + std::string(width - line.name.size(), ' '));
    const auto append = [](std::string& line, std::string_view cell, std::size_t wide) {
        line.append(wide - cell.size(), ' ').append(cell);
    };
    for (const Column& column : columns()) {
        if (std::ranges::none_of(lines, column.matters, &Line::counts)) continue;
        std::vector<std::string> cells;
        std::size_t wide = std::max(column.name.size(), column.group.size());
        for (const Line& line : lines) {
            cells.push_back(column.text(line.counts));
            wide = std::max(wide, cells.back().size());
        }
        wide += 2;
        append(groups, column.group, wide);
        append(names, column.name, wide);
        for (std::size_t i = 0; i < lines.size(); ++i) append(texts[i], cells[i], wide);
    }
    std::string all = groups + '\n' + names + '\n';
    for (const std::string& text : texts) all.append(text).append("\n");
    return all;
}

std::string extent(const std::array<unsigned, 3>& size) {
    std::string text = number(size[0]);
    if (size[1] * size[2] > 1) text.append(",").append(number(size[1]));
    if (size[2] > 1) text.append(",").append(number(size[2]));
    return text;
}

}  // namespace

std::string name_of(const Contender& contender) {
    return describe(contender.algorithm->name, contender.tuning);
}

std::string to_table(const CountedRow& row, bool by_line) {
    std::string text(to_string(row.contender.algorithm->operation));
    text += ' ' + name_of(row.contender) + ", n = " + std::to_string(row.input.n) + '\n';
    if (row.launches.empty()) return text + "  launches no kernel\n";
    std::vector<Line> lines;
    for (const auto& [kernel, launch, its_lines] : row.launches)
        lines.push_back(
            {"  " + kernel + " <<<" + extent(launch.grid) + " x " + extent(launch.block) + ">>>",
             launch.counts});
    lines.push_back({"  all", row.total()});
    text += table(lines);
    if (!by_line) return text;
    std::vector<Line> of_source;
    for (const CountedLine& line : row.lines())
        of_source.push_back(
            {"  " + (line.file.empty() ? "elsewhere" : line.file + ':' + number(line.line)),
             {.accesses = line.counts, .bulk_loads = {}}});
    return text + (of_source.empty() ? "  no source lines: addr2line (binutils) cannot be started\n"
                                     : table(of_source));
}

}  // namespace stream_compaction
