#include "src/results_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

namespace stream_compaction {
namespace {

/// Below this size the L2 and the launch rule, not the memory's bandwidth.
constexpr std::size_t kRoofFrom = std::size_t{1} << 24;

std::string format(const char* pattern, double value) {
    std::array<char, 64> text;
    (void)std::snprintf(text.data(), text.size(), pattern, value);
    return text.data();
}

std::string to_the_right(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ').append(text);
}

std::string to_the_left(std::string_view text, std::size_t width) {
    return std::string(text).append(width - std::min(width, text.size()), ' ');
}

/// Four digits that count.
std::string microseconds(double us) {
    return format(us < 10 ? "%.3f" : us < 100 ? "%.2f" : us < 1000 ? "%.1f" : "%.0f", us);
}

/// GB/s of what the operation must move; of a sort Gkeys/s.
std::string rate(const Row& row) {
    const double us = row.microseconds.median;
    if (us <= 0) return "-";
    if (row.setting.operation == Operation::sort)
        return format("%.3f", static_cast<double>(row.setting.n) / us / 1e3);
    if (!row.moved_bytes) return "-";
    return format("%.1f", static_cast<double>(*row.moved_bytes) / us / 1e3);
}

std::string share_of_roof(const Row& row) {
    if (!row.roof_us || row.setting.n < kRoofFrom || row.microseconds.median <= 0) return "-";
    return format("%.1f", 100 * *row.roof_us / row.microseconds.median);
}

std::string ratio(const Row& row, const Row* other) {
    if (other == nullptr || row.microseconds.median <= 0) return "-";
    return format("%.2f", other->microseconds.median / row.microseconds.median);
}

const Row* find_row(const Round& round, std::string_view algorithm) {
    const auto row = std::ranges::find(round.rows, algorithm, &Row::algorithm);
    return row == round.rows.end() ? nullptr : &*row;
}

std::string line(const std::string& name, const std::array<std::string, 8>& cells) {
    std::string text = "  " + to_the_left(name, 26);
    for (const std::string& cell : cells) text += to_the_right(cell, 11);
    return text;
}

std::string line(const Row& row, const Row* cub, const Row* cpu) {
    const Statistics& us = row.microseconds;
    std::string text = line(describe(row.algorithm, row.tuning),
                            {microseconds(us.median), microseconds(us.q1), microseconds(us.q3),
                             std::to_string(us.samples), rate(row), share_of_roof(row),
                             ratio(row, cub), ratio(row, cpu)});
    if (row.throttled) text += "  throttled";
    if (row.wrong) text += "  WRONG: " + *row.wrong;
    return text + '\n';
}

}  // namespace

std::string describe(const Setting& setting) {
    std::string text(to_string(setting.operation));
    text += ", n = " + std::to_string(setting.n);
    if (std::has_single_bit(setting.n))
        text += " (2^" + std::to_string(std::countr_zero(setting.n)) + ')';
    if (setting.variant != nullptr) text.append(", ").append(setting.variant->name);
    text.append(", ").append(to_string(setting.distribution));
    if (setting.kept) text += ", kept " + format("%g", *setting.kept);
    return text.append(", ").append(to_string(setting.mode));
}

std::string describe(std::string_view algorithm, const Tuning& tuning) {
    std::string text(algorithm);
    if (tuning.block_size != 0) text += ' ' + std::to_string(tuning.block_size);
    if (tuning.items_per_thread != 0) text += " x " + std::to_string(tuning.items_per_thread);
    return text;
}

std::string table(const Setting& setting, const Round& round) {
    const bool sorts = setting.operation == Operation::sort;
    std::string text = describe(setting);
    const auto measured =
        std::ranges::find_if(round.rows, [](const Row& row) { return row.copy_us.has_value(); });
    if (measured != round.rows.end()) {
        const double us = *measured->copy_us;
        text += "; a copy takes " + microseconds(us) + " us";
        if (us > 0)
            text +=
                ", " +
                format("%.1f", 2 * static_cast<double>(setting.n * setting.in_bytes()) / us / 1e3) +
                " GB/s";
    }
    text += '\n' +
            line("", {"median us", "q1 us", "q3 us", "samples", sorts ? "Gkeys/s" : "GB/s",
                      "% of roof", "x cub", "x cpu"}) +
            '\n';
    for (const Row& row : round.rows)
        text += line(row, find_row(round, "cub"), find_row(round, "cpu"));
    for (const Skipped& skipped : round.skipped)
        text += "  " + to_the_left(describe(skipped.algorithm, skipped.tuning), 26) + "  " +
                skipped.reason + '\n';
    return text + '\n';
}

}  // namespace stream_compaction
