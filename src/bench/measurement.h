// Settings and results of measurements: types that the parts of measure_time share.
#pragma once

#include "src/bench/statistics.h"
#include "src/input/input.h"
#include "src/program/contenders.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stream_compaction {

/// What happens before and between timed calls. Never compare times of two modes.
enum class Mode {
    cold,   ///< the caches are overwritten before every call, as between steps of a pipeline
    hot,    ///< calls back to back on the same arrays, as in a loop
    graph,  ///< the same inside a CUDA graph: without the launch overhead
    host,   ///< complete calls on host arrays, including allocation and copies
};

inline constexpr Mode kModes[] = {Mode::cold, Mode::hot, Mode::graph, Mode::host};

std::string_view to_string(Mode mode);

/// Whether nothing else runs between two calls, so that a counter over many calls counts only them.
constexpr bool has_calls_back_to_back(Mode mode) {
    return mode == Mode::hot || mode == Mode::graph;
}

/// Returns nothing if no mode has that name.
std::optional<Mode> find_mode(std::string_view name);

/// The properties that all contenders of one comparison share.
struct Setting {
    Operation operation = Operation::scan;
    Mode mode = Mode::cold;
    std::size_t n = 0;
    Distribution distribution = Distribution::uniform;
    std::optional<double> kept = {};  ///< share that a compaction keeps
    std::uint64_t seed = 1;
    const Variant* variant = nullptr;  ///< the variant to run instead of the operation on ints

    /// Bytes of an element, with all its parts.
    std::size_t in_bytes() const { return variant != nullptr ? variant->in_bytes : sizeof(int); }
    std::size_t out_bytes() const { return variant != nullptr ? variant->out_bytes : sizeof(int); }

    Input input() const { return {distribution, kept, n, seed}; }

    bool operator==(const Setting&) const = default;

    /// Settings that differ only in the mode share their input and its check.
    bool has_same_input(Setting other) const {
        other.mode = mode;
        return *this == other;
    }
};

/// The measurement of one contender: a row of a results file.
struct Measurement {
    Setting setting;
    std::string algorithm;
    Tuning tuning = {};
    bool is_on_host = false;
    Statistics microseconds = {};
    std::vector<double> samples = {};    ///< not discarded, in their order; microseconds
    std::optional<double> copy_us = {};  ///< device to device, of n elements, in the same mode
    std::string_view copy = {};          ///< the name of that copy; empty in mode host
    /// Time of a copy of as many bytes as the operation must move.
    std::optional<double> roof_us = {};
    std::optional<std::size_t> moved_bytes = {};  ///< these bytes; empty if unknown
    std::optional<Phases> phases = {};
    std::optional<double> millijoules = {};  ///< of one call, if it was requested
    std::optional<std::string> wrong = {};   ///< why the result is wrong
    /// The GPU was throttled by heat, or did not report its clock.
    bool throttled = false;
    std::size_t discarded = 0;  ///< samples taken while the GPU's clock was too low
    /// Too many samples were discarded: time ran out before the protocol had its samples.
    bool unsteady_clock = false;
};

/// The name of the fastest copy, by mode and number of bytes.
using FastestCopies = std::map<std::pair<Mode, std::size_t>, std::string_view>;

/// A contender that was requested and not measured.
struct Skipped {
    Setting setting;
    std::string algorithm;
    Tuning tuning = {};
    std::string reason;
    /// An error occurred; otherwise it was known in advance that it cannot work.
    bool failed = false;
};

/// The results of one comparison.
struct Round {
    std::vector<Measurement> measured;
    std::vector<Skipped> skipped;
    /// Why rows have no energy figure although they should.
    std::optional<std::string> no_energy = {};
    /// The error after which no call of the device can work. The rows of the round are lost, except
    /// those whose result was found to be wrong before.
    std::optional<std::string> fault = {};
};

/// How long a row is sampled.
struct Protocol {
    std::optional<std::size_t> samples = {};  ///< exactly this many, unless max_seconds have passed
    std::size_t min_samples = 10;
    double min_seconds = 0.3;
    double max_seconds = 15;
    double least_clock = 0.75;  ///< share of a row's usual clock below which samples are discarded
};

}  // namespace stream_compaction
