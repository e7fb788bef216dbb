// The parts of the output of stream_compaction_test.
#pragma once

#include "stream_compaction/registry.h"

#include <cstddef>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace stream_compaction {

/// The clock of a printed time.
enum class Clock {
    host,      ///< std::chrono
    cuda,      ///< events on the GPU
    emulated,  ///< none: the CPU's time for a GPU's work says nothing about either
};

/// The clock that times a row on a backend.
Clock clock_of(const Algorithm& algorithm, simt::Backend backend);

/// "1.2345ms"
std::string milliseconds(Microseconds time);

/// "power-of-two" and "non-power-of-two" if these distinguish the sizes of a run, otherwise "n =
/// 5".
std::string size_label(std::size_t n, std::span<const std::size_t> sizes);

/// How the times that follow are measured.
void print_protocol(std::ostream& out, std::size_t most_calls, simt::Backend backend);

/// A heading between two lines of asterisks, with an empty line above.
void print_banner(std::ostream& out, std::string_view heading);

/// "==== naive scan, power-of-two ===="
void print_title(std::ostream& out, const Algorithm& algorithm, std::string_view label);

/// All elements of a short array; the first 13 and the last 2 of a long one.
void print_abridged(std::ostream& out, std::span<const int> values);

/// Prints the elapsed time and its clock; on real hardware also GB/s, for a sort Mkeys/s, and, if
/// `cpu` is known, the speed-up over the cpu row. If there are phases, a second line prints them.
void print_time(std::ostream& out, Operation operation, std::size_t n, const Outcome& outcome,
                Clock clock, std::optional<Microseconds> cpu);

/// Prints the elapsed time of n elements on several GPUs, and its clock; on real hardware also
/// Gkeys/s and, if `one_gpu` is known, the speed-up over one GPU.
void print_time_of_several(std::ostream& out, std::size_t n, Microseconds elapsed, Clock clock,
                           std::optional<Microseconds> one_gpu);

/// How many rows passed, failed and were skipped.
struct Tally {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
};

void print_summary(std::ostream& out, const Tally& tally);

}  // namespace stream_compaction
