// The only list of algorithms in the project. The programs, the tests and, through
// `measure_time --list`, the scripts walk it, and know no algorithm by name.
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

/// A module's plan behind one interface: its memory is taken, and it can be enqueued as often as
/// one likes. Arrays are in the memory of Algorithm::arrays_on().
class Plan {
  public:
    virtual ~Plan() = default;

    /// Puts the work on `stream` and returns. A plan for n serves every smaller n.
    /// @param out    n elements; of a compaction the first *count are written
    /// @param count  where a compaction stores how many it kept; others leave it alone
    /// @param phases marked between map, scan and scatter, where the algorithm has these phases
    /// @throws std::invalid_argument for an n beyond the plan's, simt::Error
    virtual void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                         simt::stream_t stream = nullptr, Stopwatch* phases = nullptr) = 0;
};

/// A row of the registry.
struct Algorithm {
    Operation operation;
    std::string_view name;         ///< unique in its operation; the first row is the reference
    std::string_view description;  ///< one line for people
    Place runs_on;

    /// From host array to host array. Both have n elements (an in-place call is not promised).
    /// @throws std::invalid_argument, simt::Error, std::system_error where the machine has no
    ///         threads left to copy large arrays
    Outcome (*run)(std::span<const int> in, std::span<int> out, const Tuning& tuning);

    /// @throws std::invalid_argument for a tuning that is not legal, or an n that the row does not
    /// take; simt::Error
    std::unique_ptr<Plan> (*make_plan)(std::size_t n, const Tuning& tuning);

    /// Device memory that a plan takes, without input and output; the least, where it has a choice.
    /// @throws std::invalid_argument for an n that the row does not take, simt::OutOfMemory for one
    ///         that no memory is large enough for
    std::size_t (*workspace_bytes)(std::size_t n, const Tuning& tuning);

    Tuning tuned = {};       ///< the defaults, found on an H200
    LegalTuning legal = {};  ///< every value that a Tuning may have

    // As PlanTraits has them.
    bool in_place = false;
    bool asynchronous = true;
    bool has_phases = false;
    int sort_passes = 0;
    bool host_arrays = false;

    /// Where a plan's arrays are.
    Place arrays_on() const { return host_arrays ? Place::host : runs_on; }

    std::string_view unavailable =
        {};  ///< why the row cannot run on this backend; then run is null

    const Variant* variant = nullptr;  ///< what is done instead of the usual; then run is null
};

/// One backend's algorithms, in the order in which they are shown.
struct Registry {
    simt::Backend backend;
    std::span<const Algorithm> rows;
    std::span<const Algorithm> variants = {};  ///< plans alone; empty if from registry()
    std::optional<std::string> (*unavailable_reason)() noexcept;  ///< of the backend as a whole
    simt::DeviceProperties (*device_properties)();
    simt::MemoryInfo (*memory_info)();
    void (*limit_memory)(std::size_t bytes);  ///< what the process may hold; see simt/memory.h
    int cub_version = 0;  ///< what `cub` and `thrust` are: 300101 is CUB 3.1.1; 0 without CUB
    /// Gives the device this GPU's shape: see simt/emulated/executor.h. nullptr for real devices.
    void (*emulate)(const simt::DeviceProfile* gpu) = nullptr;
};

/// nullptr where the library was built without that backend.
const Registry* registry(simt::Backend backend);

/// The same with the rows of variants. Part of the library stream_compaction_types.
const Registry* registry_with_variants(simt::Backend backend);

/// nullptr where there is none.
const Algorithm* find(const Registry& registry, Operation operation, std::string_view name);

/// Bytes of device memory that a call at n needs at least: input and output, where they are there,
/// and workspace.
/// @throws std::invalid_argument where the row does not take so many, simt::OutOfMemory where no
///         memory is large enough
std::size_t device_bytes(const Algorithm& algorithm, std::size_t n, const Tuning& tuning);

}  // namespace stream_compaction
