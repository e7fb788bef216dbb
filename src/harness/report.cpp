#include "src/harness/report.h"

#include "src/bench/bytes_moved.h"
#include "src/program/significant.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <iomanip>

namespace stream_compaction {
namespace {

std::string_view measured_by(Clock clock) {
    switch (clock) {
        case Clock::host:
            return "(std::chrono Measured)";
        case Clock::cuda:
            return "(CUDA Measured)";
        case Clock::emulated:
            return "(emulated on the CPU, not a GPU time)";
    }
    return {};
}

void print_phases(std::ostream& out, const Phases& phases, Clock clock) {
    out << "   map: " << milliseconds(phases.map) << ", scan: " << milliseconds(phases.scan)
        << ", scatter: " << milliseconds(phases.scatter) << "    " << measured_by(clock) << '\n';
}

}  // namespace

std::string milliseconds(Microseconds time) {
    std::array<char, 512> text;  // the largest double has 309 digits
    (void)std::snprintf(text.data(), text.size(), "%.4fms", time.count() / 1e3);
    return text.data();
}

Clock clock_of(const Algorithm& algorithm, simt::Backend backend) {
    if (algorithm.runs_on == Place::host) return Clock::host;
    if (backend == simt::Backend::emulated) return Clock::emulated;
    return algorithm.arrays_on() == Place::host ? Clock::host : Clock::cuda;
}

std::string size_label(std::size_t n, std::span<const std::size_t> sizes) {
    const auto powers =
        std::ranges::count_if(sizes, [](std::size_t size) { return std::has_single_bit(size); });
    if (powers != 1) return "n = " + std::to_string(n);
    return std::has_single_bit(n) ? "power-of-two" : "non-power-of-two";
}

void print_protocol(std::ostream& out, std::size_t most_calls, simt::Backend backend) {
    out << "elapsed time: median of up to " << most_calls << " calls after an untimed one";
    out << (backend == simt::Backend::emulated ? "; of emulated kernels, one call\n"
                                               : ", each on newly copied arrays\n");
}

void print_banner(std::ostream& out, std::string_view heading) {
    const std::string asterisks(heading.size() + 6, '*');
    out << '\n' << asterisks << "\n** " << heading << " **\n" << asterisks << '\n';
}

void print_title(std::ostream& out, const Algorithm& algorithm, std::string_view label) {
    out << "==== " << algorithm.name << ' ' << to_string(algorithm.operation) << ", " << label
        << " ====\n";
}

void print_abridged(std::ostream& out, std::span<const int> values) {
    constexpr std::size_t kWhole = 16, kHead = 13, kTail = 2;
    const auto print = [&](std::span<const int> part) {
        for (const int value : part) out << std::setw(3) << value << ' ';
    };
    out << "    [ ";
    if (values.size() <= kWhole) {
        print(values);
    } else {
        print(values.first(kHead));
        out << "... ";
        print(values.last(kTail));
    }
    out << "]\n";
}

void print_time(std::ostream& out, Operation operation, std::size_t n, const Outcome& outcome,
                Clock clock, std::optional<Microseconds> cpu) {
    const double us = outcome.elapsed.count();
    out << "   elapsed time: " << milliseconds(outcome.elapsed) << "    " << measured_by(clock);
    if (clock != Clock::emulated && us > 0) {
        out << "    " << three_digits(bytes_moved(n, outcome.count) / us / 1e3) << " GB/s";
        if (operation == Operation::sort)
            out << "    " << three_digits(static_cast<double>(n) / us) << " Mkeys/s";
        if (cpu && cpu->count() > 0)
            out << "    " << three_digits(*cpu / outcome.elapsed) << "x cpu";
    }
    out << '\n';
    if (outcome.phases) print_phases(out, *outcome.phases, clock);
}

void print_time_of_several(std::ostream& out, std::size_t n, Microseconds elapsed, Clock clock,
                           std::optional<Microseconds> one_gpu) {
    const double us = elapsed.count();
    out << "   elapsed time: " << milliseconds(elapsed) << "    " << measured_by(clock);
    if (clock != Clock::emulated && us > 0) {
        out << "    " << three_digits(static_cast<double>(n) / us / 1e3) << " Gkeys/s";
        if (one_gpu) out << "    " << three_digits(*one_gpu / elapsed) << "x one GPU";
    }
    out << '\n';
}

void print_summary(std::ostream& out, const Tally& tally) {
    out << "\nsummary: " << tally.passed << " passed, " << tally.failed << " failed, "
        << tally.skipped << " skipped\n";
}

}  // namespace stream_compaction
