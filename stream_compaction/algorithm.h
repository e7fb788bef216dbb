// The words that every module, the registry and the programs share. Plain data, no CUDA.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stream_compaction {

/// What an algorithm computes from n 32-bit integers:
///  * scan: out[i] = in[0] + ... + in[i - 1], modulo 2^32; out[0] = 0;
///  * compact: the non-zero elements, in their order; Outcome::count says how many;
///  * sort: the same integers, ascending.
enum class Operation { scan, compact, sort };

std::string_view to_string(Operation operation);

/// How a module's kernels are launched. 0: the module has no such parameter.
struct Tuning {
    int block_size = 0;        ///< threads per block
    int items_per_thread = 0;  ///< elements per thread

    bool operator==(const Tuning&) const = default;
};

/// The values a module's Tuning may have. Empty: the module has no such parameter.
struct LegalTuning {
    std::span<const int> block_sizes;
    std::span<const int> items_per_thread;

    bool contains(const Tuning& tuning) const;
};

/// @throws std::invalid_argument, saying what is legal, where `tuning` is not
void require(const LegalTuning& legal, const Tuning& tuning);

using Microseconds = std::chrono::duration<double, std::micro>;

/// Where an algorithm computes, and where arrays are.
enum class Place { host, device };

/// What a plan can do, as its class says: `static constexpr PlanTraits kTraits`. One that says
/// nothing has these.
struct PlanTraits {
    Place runs_on = Place::device;
    bool in_place = false;     ///< enqueue allows out == in; it refuses other overlaps
    bool asynchronous = true;  ///< enqueue returns at once, and can be captured in a graph
    bool has_phases = false;   ///< a compaction that is map, scan and scatter
    int sort_passes = 0;       ///< how often a sort reads and writes every key; 0: not known
    bool host_arrays = false;  ///< runs on the device, on arrays of the host: copies are its work
};

/// The parts of a compaction's time.
struct Phases {
    Microseconds map{};      ///< elements to 0 or 1
    Microseconds scan{};     ///< flags to output positions
    Microseconds scatter{};  ///< elements to their positions
};

/// What a host function answers.
struct Outcome {
    std::size_t count = 0;   ///< elements of the output that are valid
    Microseconds elapsed{};  ///< of the algorithm alone: no allocation, no copy from or to the host
                             ///< (but those that are its work: PlanTraits::host_arrays)
    std::optional<Phases> phases;  ///< where the algorithm has these phases
};

}  // namespace stream_compaction
