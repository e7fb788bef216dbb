// What is measured, and what comes out: the words that the parts of the measuring tool share.
#pragma once

#include "src/bench/statistics.h"
#include "src/input/input.h"
#include "src/program/contenders.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// What surrounds a call while it is timed. Times of two modes are never compared.
enum class Mode {
    cold,   ///< the caches are overwritten before every call: what a pipeline sees
    hot,    ///< calls back to back on one pair of arrays: what a loop sees
    graph,  ///< the same inside a CUDA graph: without the cost of launching
    host,   ///< the whole call on host arrays: what a newcomer sees
};

inline constexpr Mode kModes[] = {Mode::cold, Mode::hot, Mode::graph, Mode::host};

std::string_view to_string(Mode mode);

/// Whether nothing else runs between two calls: then what is counted of many is theirs alone.
constexpr bool has_calls_back_to_back(Mode mode) {
    return mode == Mode::hot || mode == Mode::graph;
}

/// Nothing where no mode has that name.
std::optional<Mode> find_mode(std::string_view name);

/// What all contenders of one comparison have in common.
struct Setting {
    Operation operation = Operation::scan;
    Mode mode = Mode::cold;
    std::size_t n = 0;
    Distribution distribution = Distribution::uniform;
    std::optional<double> kept = {};  ///< of a compaction
    std::uint64_t seed = 1;
    const Variant* variant = nullptr;  ///< what is done to what instead of the usual

    /// Bytes of an element, with all its parts.
    std::size_t in_bytes() const { return variant != nullptr ? variant->in_bytes : sizeof(int); }
    std::size_t out_bytes() const { return variant != nullptr ? variant->out_bytes : sizeof(int); }

    Input input() const { return {distribution, kept, n, seed}; }

    bool operator==(const Setting&) const = default;

    /// Settings that differ in nothing but the mode share their input and its check.
    bool has_same_input(Setting other) const {
        other.mode = mode;
        return *this == other;
    }
};

/// What was measured of one contender: a line of a results file.
struct Measurement {
    Setting setting;
    std::string algorithm;
    Tuning tuning = {};
    Statistics microseconds = {};
    std::optional<double> copy_us = {};  ///< device to device, of n elements, in the same mode
    std::optional<double> roof_us = {};  ///< what moving the bytes costs that must be moved
    std::optional<std::size_t> moved_bytes = {};  ///< these bytes; nothing where not known
    std::optional<Phases> phases = {};
    std::optional<double> millijoules = {};  ///< of one call, where it was asked for
    std::optional<std::string> wrong = {};   ///< what is wrong with the result
    bool throttled = false;                  ///< the GPU was slowed down by heat, or hid its clock
};

/// What was asked for and not measured.
struct Skipped {
    Setting setting;
    std::string algorithm;
    Tuning tuning = {};
    std::string reason;
    bool failed = false;  ///< an error happened; otherwise it was known that it cannot work
};

/// What one comparison gave.
struct Round {
    std::vector<Measurement> measured;
    std::vector<Skipped> skipped;
    std::optional<std::string> no_energy = {};  ///< why rows lack it that should have it
};

/// How long a row is sampled.
struct Protocol {
    std::optional<std::size_t> samples = {};  ///< exactly so many, unless max_seconds have passed
    std::size_t min_samples = 10;
    double min_seconds = 0.3;
    double max_seconds = 15;
};

}  // namespace stream_compaction
