// A call of a row, or of a variant's, with everything about it drawn at random, from a seed that
// repeats it.
#pragma once

#include "simt/backend.h"
#include "src/input/input.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// Which way the row is called.
enum class Way {
    host_function,
    plan,    ///< on the default stream
    stream,  ///< on a stream of its own
    graph,   ///< captured, then launched
};

/// All but n is independent of n, so that a smaller n is the same case.
struct Case {
    const Algorithm* row;
    std::uint64_t seed;

    std::size_t n = 0;
    Distribution distribution = {};
    std::optional<double> kept = {};
    bool has_extremes = false;  ///< INT_MIN and INT_MAX are among the elements

    Way way = {};
    Tuning tuning = {};
    std::size_t capacity_beyond_n = 0;  ///< of the plan
    /// Words from a 16-byte boundary, as far as elements may lie there.
    std::size_t in_offset = 0, out_offset = 0;
    bool in_place = false;
    int calls = 1;  ///< of the same plan, each checked

    // How the emulated backend executes it; see simt/emulated/executor.h.
    unsigned workers = 0;
    int order = 0;
};

/// @param largest the most elements
Case draw_case(const Algorithm& row, std::uint64_t seed, std::size_t largest);

/// "scan naive, n = 1025, zipf, ...", "sort onesweep, pairs, n = ..."
std::string describe(const Case& drawn);

/// Makes the call, and compares everything that it may have written with what it must have.
/// Nothing: all is right.
/// @throws simt::OutOfMemory, std::bad_alloc, std::system_error if a thread cannot be started
std::optional<std::string> what_is_wrong(const Case& drawn);

/// The same case with a smaller n that is wrong too, as small as can be found by taking elements
/// away in ever smaller numbers.
/// @param drawn a case that is wrong
Case shrink(Case drawn);

}  // namespace stream_compaction::inline SIMT_BACKEND
