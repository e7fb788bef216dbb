// Types that every module, the registry and the programs share. Plain data, no CUDA.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stream_compaction {

/// The operations on n 32-bit integers:
///  * scan: out[i] = in[0] + ... + in[i - 1], modulo 2^32; out[0] = 0;
///  * compact: the non-zero elements, in their order; Outcome::count is their number;
///  * sort: the same integers, ascending.
enum class Operation { scan, compact, sort };

std::string_view to_string(Operation operation);

/// Launch parameters of a module's kernels. 0: the module does not have this parameter.
struct Tuning {
    int block_size = 0;        ///< threads per block
    int items_per_thread = 0;  ///< elements per thread
    int padding = 1;  ///< unused words of shared memory after every 32; 1 without this parameter

    bool operator==(const Tuning&) const = default;
};

/// The values that a module's Tuning accepts. Empty: the module does not have this parameter.
struct LegalTuning {
    std::span<const int> block_sizes;
    std::span<const int> items_per_thread;
    std::span<const int> paddings = {};

    bool contains(const Tuning& tuning) const;
};

/// @throws std::invalid_argument, listing the allowed values, if `tuning` has another one
void require(const LegalTuning& legal, const Tuning& tuning);

using Microseconds = std::chrono::duration<double, std::micro>;

/// Where an algorithm runs, and where arrays are.
enum class Place { host, device };

/// The abilities of a plan. A plan class declares them as `static constexpr PlanTraits kTraits`; a
/// class without this member has the defaults.
struct PlanTraits {
    Place runs_on = Place::device;
    bool in_place = false;     ///< enqueue allows out == in; it refuses other overlaps
    bool asynchronous = true;  ///< enqueue returns at once and can be captured in a graph
    bool has_phases = false;   ///< a compaction that is map, scan and scatter
    int sort_passes = 0;       ///< how often a sort reads and writes every key; 0: unknown
    bool host_arrays = false;  ///< runs on the device, on host arrays: copies are part of its work
    /// For measuring programs: to be called right before a timed call. Null: nothing to prepare.
    void (*wake_threads)() = nullptr;
};

/// How long each part of a compaction took.
struct Phases {
    Microseconds map{};      ///< elements to 0 or 1
    Microseconds scan{};     ///< flags to output positions
    Microseconds scatter{};  ///< elements to their positions
};

/// The result of a host function.
struct Outcome {
    std::size_t count = 0;   ///< valid elements of the output
    Microseconds elapsed{};  ///< of the algorithm alone, without allocation and without copies from
                             ///< or to the host (except copies that are part of its work:
                             ///< PlanTraits::host_arrays)
    std::optional<Phases> phases;  ///< if the algorithm has these phases
};

}  // namespace stream_compaction
