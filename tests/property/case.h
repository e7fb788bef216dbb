// A random call of a row, or of a variant's row, in every detail. A seed reproduces it.
#pragma once

#include "simt/backend.h"
#include "src/input/input.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// How the row is called.
enum class Way {
    host_function,
    plan,    ///< on the default stream
    stream,  ///< on its own stream
    graph,   ///< captured, then launched
};

/// All fields except n are independent of n, so the same case can be repeated with a smaller n.
struct Case {
    const Algorithm* row;
    std::uint64_t seed;

    std::size_t n = 0;
    Distribution distribution = {};
    std::optional<double> kept = {};
    bool has_extremes = false;  ///< INT_MIN and INT_MAX are among the elements

    Way way = {};
    Tuning tuning = {};
    std::size_t capacity_beyond_n = 0;  ///< larger capacity of the plan
    /// Words from a 16-byte boundary, as far as the alignment of elements allows.
    std::size_t in_offset = 0, out_offset = 0;
    bool in_place = false;
    int calls = 1;  ///< of the same plan, each checked

    // The executor's options on the emulated backend; see simt/emulated/executor.h.
    unsigned workers = 0;
    int order = 0;
};

/// @param largest maximum number of elements
Case draw_case(const Algorithm& row, std::uint64_t seed, std::size_t largest);

/// "scan naive, n = 1025, zipf, ...", "sort onesweep, pairs, n = ..."
std::string describe(const Case& drawn);

/// Makes the call, and checks all memory that it may have written. Returns nothing if it is
/// correct.
/// @throws simt::OutOfMemory, std::bad_alloc, std::system_error if a thread cannot be started
std::optional<std::string> what_is_wrong(const Case& drawn);

/// The same case with a smaller n that is also wrong: removes elements in decreasing steps as long
/// as the result stays wrong.
/// @param drawn a case whose result is wrong
Case shrink(Case drawn);

}  // namespace stream_compaction::inline SIMT_BACKEND
