// What stream_compaction_test prints, piece by piece.
#pragma once

#include "stream_compaction/registry.h"

#include <cstddef>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace stream_compaction {

/// Whose time is printed.
enum class Clock {
    host,      ///< std::chrono
    cuda,      ///< events on the GPU
    emulated,  ///< none: what the CPU took for a GPU's work says nothing about either
};

/// The clock that times a row on a backend.
Clock clock_of(const Algorithm& algorithm, simt::Backend backend);

/// "power-of-two" and "non-power-of-two" where these tell the sizes of a run apart, else "n = 5".
std::string size_label(std::size_t n, std::span<const std::size_t> sizes);

/// A heading between two lines of asterisks, with an empty line above.
void print_banner(std::ostream& out, std::string_view heading);

/// "==== naive scan, power-of-two ===="
void print_title(std::ostream& out, const Algorithm& algorithm, std::string_view label);

/// All of a short array; of a long one the first 13 and the last 2 elements.
void print_abridged(std::ostream& out, std::span<const int> values);

/// The elapsed time and who measured it; on real hardware also GB/s, for a sort Mkeys/s, and, where
/// `cpu` is known, how many times as fast as the cpu row that is. A second line has the phases,
/// where there are any.
void print_time(std::ostream& out, Operation operation, std::size_t n, const Outcome& outcome,
                Clock clock, std::optional<Microseconds> cpu);

/// The elapsed time of n elements on several GPUs and who measured it; on real hardware also
/// Gkeys/s and, where `one_gpu` is known, how many times as fast as one GPU that is.
void print_time_of_several(std::ostream& out, std::size_t n, Microseconds elapsed, Clock clock,
                           std::optional<Microseconds> one_gpu);

/// How many rows had which end.
struct Tally {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
};

void print_summary(std::ostream& out, const Tally& tally);

}  // namespace stream_compaction
