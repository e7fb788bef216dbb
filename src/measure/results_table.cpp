#include "src/measure/results_table.h"

#include "src/program/significant.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <vector>

namespace stream_compaction {
namespace {

/// Below this size the L2 and launch overhead dominate, not the memory bandwidth.
constexpr std::size_t kRoofFrom = std::size_t{1} << 24;

std::string format(const char* pattern, double value) {
    std::array<char, 64> text;
    (void)std::snprintf(text.data(), text.size(), pattern, value);
    return text.data();
}

std::string four_digits(double value) { return significant(value, 4); }

std::string to_the_right(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ').append(text);
}

std::string to_the_left(std::string_view text, std::size_t width) {
    return std::string(text).append(width - std::min(width, text.size()), ' ');
}

/// GB/s for the bytes that the operation must move; Gkeys/s for a sort.
std::string rate(const Measurement& measurement) {
    const double us = measurement.microseconds.median;
    if (us <= 0) return "-";
    if (measurement.setting.operation == Operation::sort)
        return three_digits(static_cast<double>(measurement.setting.n) / us / 1e3);
    if (!measurement.moved_bytes) return "-";
    return three_digits(static_cast<double>(*measurement.moved_bytes) / us / 1e3);
}

std::string share_of_roof(const Measurement& measurement) {
    if (!measurement.roof_us || measurement.setting.n < kRoofFrom ||
        measurement.microseconds.median <= 0)
        return "-";
    return three_digits(100 * *measurement.roof_us / measurement.microseconds.median);
}

std::string ratio(const Measurement& measurement, const Measurement* other) {
    if (other == nullptr || measurement.microseconds.median <= 0) return "-";
    return three_digits(other->microseconds.median / measurement.microseconds.median);
}

const Measurement* find_row(const Round& round, std::string_view algorithm) {
    const auto measurement = std::ranges::find(round.measured, algorithm, &Measurement::algorithm);
    return measurement == round.measured.end() ? nullptr : &*measurement;
}

/// Why the times may not be trusted.
std::vector<std::string> marks(const Measurement& measurement) {
    constexpr std::size_t kFew = 5;
    std::vector<std::string> marks;
    if (measurement.throttled) marks.emplace_back("throttled");
    if (measurement.discarded > 0)
        marks.push_back(std::to_string(measurement.discarded) + " discarded");
    if (measurement.unsteady_clock) marks.emplace_back("unsteady clock");
    if (is_unstable(measurement.microseconds)) marks.emplace_back("unstable");
    if (measurement.microseconds.samples < kFew) marks.emplace_back("few samples");
    return marks;
}

std::string line(const std::string& name, const std::vector<std::string>& cells) {
    std::string text = "  " + to_the_left(name, 26);
    for (const std::string& cell : cells) text += to_the_right(cell, 11);
    return text;
}

std::string line(const Measurement& measurement, const Measurement* cub, const Measurement* cpu,
                 bool has_energy) {
    const Statistics& us = measurement.microseconds;
    std::vector<std::string> cells = {four_digits(us.median),  four_digits(us.q1),
                                      four_digits(us.q3),      std::to_string(us.samples),
                                      rate(measurement),       share_of_roof(measurement),
                                      ratio(measurement, cub), ratio(measurement, cpu)};
    if (has_energy)
        cells.push_back(measurement.millijoules ? four_digits(*measurement.millijoules) : "-");
    std::string text = line(describe(measurement.algorithm, measurement.tuning), cells);
    for (const std::string& mark : marks(measurement)) text += "  " + mark;
    if (measurement.wrong) text += "  WRONG: " + *measurement.wrong;
    return text + '\n';
}

}  // namespace

std::string describe(const Setting& setting) {
    return describe(setting, describe(setting.distribution, setting.n));
}

std::string describe(const Setting& setting, std::string_view elements) {
    std::string text(to_string(setting.operation));
    text += ", n = " + std::to_string(setting.n);
    if (std::has_single_bit(setting.n))
        text += " (2^" + std::to_string(std::countr_zero(setting.n)) + ')';
    if (setting.variant != nullptr) text.append(", ").append(setting.variant->name);
    text.append(", ").append(elements);
    if (setting.kept) text += ", kept " + format("%g", *setting.kept);
    return text.append(", ").append(to_string(setting.mode));
}

std::string describe(std::string_view algorithm, const Tuning& tuning) {
    std::string text(algorithm);
    if (tuning.block_size != 0) text += ' ' + std::to_string(tuning.block_size);
    if (tuning.items_per_thread != 0) text += " x " + std::to_string(tuning.items_per_thread);
    if (tuning.padding == 0) text += " unpadded";
    return text;
}

std::string table(const Setting& setting, const Round& round, const std::optional<SharedHost>& host,
                  std::optional<unsigned> gpu_use_by_others) {
    const bool sorts = setting.operation == Operation::sort;
    std::string text = describe(setting);
    const auto measured = std::ranges::find_if(round.measured, [](const Measurement& measurement) {
        return measurement.copy_us.has_value();
    });
    if (measured != round.measured.end()) {
        const double us = *measured->copy_us;
        text += "; a copy takes " + four_digits(us) + " us";
        if (us > 0)
            text +=
                ", " +
                three_digits(2 * static_cast<double>(setting.n * setting.in_bytes()) / us / 1e3) +
                " GB/s";
        if (!measured->copy.empty()) text.append(" (").append(measured->copy).append(")");
    }
    if (host && std::ranges::any_of(round.measured, &Measurement::is_on_host))
        text += "; shared host: " + describe(*host);
    if (gpu_use_by_others && !std::ranges::all_of(round.measured, &Measurement::is_on_host))
        text += "; shared GPU: other programs use it " + std::to_string(*gpu_use_by_others) +
                " % of the time";
    const bool has_energy = std::ranges::any_of(
        round.measured, [](const Measurement& row) { return row.millijoules.has_value(); });
    std::vector<std::string> columns = {
        "median us", "q1 us", "q3 us", "samples", sorts ? "Gkeys/s" : "GB/s",
        "% of roof", "x cub", "x cpu"};
    if (has_energy) columns.emplace_back("mJ a call");
    text += '\n' + line("", columns) + '\n';
    for (const Measurement& measurement : round.measured)
        text += line(measurement, find_row(round, "cub"), find_row(round, "cpu"), has_energy);
    for (const Skipped& skipped : round.skipped)
        text += "  " + to_the_left(describe(skipped.algorithm, skipped.tuning), 26) + "  " +
                skipped.reason + '\n';
    return text + '\n';
}

}  // namespace stream_compaction
