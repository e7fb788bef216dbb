// The only list of algorithms in the project. The programs, the tests and (through `measure_time
// --list`) the scripts read this list, and know no algorithm by name.
#pragma once

#include "simt/backend.h"
#include "simt/device.h"
#include "simt/device_profile.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/stopwatch.h"
#include "stream_compaction/variants.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stream_compaction {

/// A module's plan behind one interface: it owns its memory and can be enqueued any number of
/// times. Arrays are in the memory of Algorithm::arrays_on().
class Plan {
  public:
    virtual ~Plan() = default;

    /// Puts the work on `stream` and returns. A plan for n also accepts every smaller n.
    /// @param out    n elements; a compaction writes the first *count of them
    /// @param count  where a compaction stores the number of kept elements; others do not use it
    /// @param phases marked between map, scan and scatter, if the algorithm has these phases
    /// @throws std::invalid_argument if n exceeds the plan's capacity, simt::Error
    virtual void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                         simt::stream_t stream = nullptr, Stopwatch* phases = nullptr) = 0;
};

/// A row of the registry: one algorithm for one operation.
struct Algorithm {
    Operation operation;
    std::string_view name;         ///< unique in its operation; the first row is the reference
    std::string_view description;  ///< one line for the user
    Place runs_on;

    /// From host array to host array. Both have n elements (the two must not be the same array).
    /// @throws std::invalid_argument, simt::Error, std::system_error if the machine has no threads
    ///         left to copy large arrays
    Outcome (*run)(std::span<const int> in, std::span<int> out, const Tuning& tuning);

    /// @throws std::invalid_argument for a tuning that is not allowed, or an n that the algorithm
    ///         does not accept; simt::Error
    std::unique_ptr<Plan> (*make_plan)(std::size_t n, const Tuning& tuning);

    /// Device memory that a plan needs in addition to input and output; the minimum, if it can use
    /// more.
    /// @throws std::invalid_argument for an n that the algorithm does not accept, simt::OutOfMemory
    ///         if no memory is large enough
    std::size_t (*workspace_bytes)(std::size_t n, const Tuning& tuning);

    Tuning tuned = {};       ///< the defaults, found on an H200
    LegalTuning legal = {};  ///< every value that Tuning accepts

    // See PlanTraits.
    bool in_place = false;
    bool asynchronous = true;
    bool has_phases = false;
    int sort_passes = 0;
    bool host_arrays = false;
    void (*wake_threads)() = nullptr;

    /// The memory that the arrays of a plan are in.
    Place arrays_on() const { return host_arrays ? Place::host : runs_on; }

    std::string_view unavailable = {};  ///< why it cannot run on this backend; then run is null

    const Variant* variant = nullptr;  ///< what it computes instead of Operation; then run is null
};

/// The algorithms of one backend, in the order in which they are shown.
struct Registry {
    simt::Backend backend;
    std::span<const Algorithm> rows;
    std::span<const Algorithm> variants = {};  ///< with plans only; empty if from registry()
    std::optional<std::string> (*unavailable_reason)() noexcept;  ///< of the backend as a whole
    simt::DeviceProperties (*device_properties)();
    simt::MemoryInfo (*memory_info)();
    /// Limits what the process may allocate; see simt/memory.h
    void (*limit_memory)(std::size_t bytes);
    int cub_version = 0;  ///< of `cub` and `thrust`: 300101 is CUB 3.1.1; 0 without CUB
    /// Gives the device the profile of this GPU: see simt/emulated/executor.h. nullptr for real
    /// devices.
    void (*emulate)(const simt::DeviceProfile* gpu) = nullptr;
};

/// nullptr if the library was built without that backend.
const Registry* registry(simt::Backend backend);

/// The same, with the rows of variants. In the library stream_compaction_types.
const Registry* registry_with_variants(simt::Backend backend);

/// nullptr if there is none.
const Algorithm* find(const Registry& registry, Operation operation, std::string_view name);

/// The minimum device memory of a call with n elements, in bytes: the workspace, and input and
/// output if they are on the device.
/// @throws std::invalid_argument if the algorithm does not accept this n, simt::OutOfMemory if no
///         memory is large enough
std::size_t device_bytes(const Algorithm& algorithm, std::size_t n, const Tuning& tuning);

}  // namespace stream_compaction
