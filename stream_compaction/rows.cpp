// The rows of the registry, compiled once for each backend.
#include "simt/emulated/executor.h"
#include "simt/memory.h"
#include "stream_compaction/cpu.h"
#include "stream_compaction/cpu_parallel.h"
#include "stream_compaction/cub.h"
#include "stream_compaction/efficient.h"
#include "stream_compaction/efficient_plus.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/naive.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/radix.h"
#include "stream_compaction/registry.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/streamed.h"
#include "stream_compaction/thrust.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// A module's plan class, wrapped in the registry's interface.
template <class P>
class AnyPlan final : public Plan {
  public:
    AnyPlan(std::size_t n, const Tuning& tuning) : plan_(n, tuning) {}

    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t stream,
                 Stopwatch* phases) override {
        if constexpr (Compaction<P>)
            plan_.enqueue(in, out, count, n, stream, phases);
        else
            plan_.enqueue(in, out, n, stream);
    }

  private:
    P plan_;
};

template <class P>
std::unique_ptr<Plan> make(std::size_t n, const Tuning& tuning) {
    return std::make_unique<AnyPlan<P>>(n, tuning);
}

template <class P>
constexpr PlanTraits traits_of() {
    if constexpr (requires { P::kTraits; })
        return P::kTraits;
    else
        return {};
}

template <class P>
std::size_t workspace_bytes(std::size_t n, const Tuning& tuning) {
    require_size(n);
    if constexpr (traits_of<P>().runs_on == Place::host)
        return 0;
    else
        return P::workspace_bytes(n, tuning);
}

// Why the rows of a library cannot run; empty if they can.

constexpr std::string_view kNothingMissing;

#if defined(STREAM_COMPACTION_HAS_OPENMP)
constexpr std::string_view kNoOpenMP;
#else
constexpr std::string_view kNoOpenMP = "built without OpenMP or Thrust";
#endif

#if defined(STREAM_COMPACTION_HAS_THRUST)
constexpr std::string_view kNoThrust;
#else
constexpr std::string_view kNoThrust = "built without Thrust";
#endif

constexpr std::string_view kNoCub =
    simt::kBackend == simt::Backend::cuda ? "" : "needs a GPU: CUB has no host backend";

/// A row for a module whose plan is P. If `kMissing` is a reason, P and `run` need only be
/// declared.
template <class P, const std::string_view& kMissing = kNothingMissing>
constexpr Algorithm row(Operation operation, std::string_view name, std::string_view description,
                        [[maybe_unused]] decltype(Algorithm::run) run,
                        [[maybe_unused]] Tuning tuned = {},
                        [[maybe_unused]] LegalTuning legal = {}) {
    if constexpr (!kMissing.empty()) {
        return {.operation = operation,
                .name = name,
                .description = description,
                .runs_on = Place::device,
                .run = nullptr,
                .make_plan = nullptr,
                .workspace_bytes = [](std::size_t, const Tuning&) { return std::size_t{0}; },
                .unavailable = kMissing};
    } else {
        constexpr PlanTraits traits = traits_of<P>();
        return {.operation = operation,
                .name = name,
                .description = description,
                .runs_on = traits.runs_on,
                .run = run,
                .make_plan = make<P>,
                .workspace_bytes = workspace_bytes<P>,
                .tuned = tuned,
                .legal = legal,
                .in_place = traits.in_place,
                .asynchronous = traits.asynchronous,
                .has_phases = traits.has_phases,
                .sort_passes = traits.sort_passes,
                .host_arrays = traits.host_arrays,
                .wake_threads = traits.wake_threads};
    }
}

constexpr auto kScan = Operation::scan;
constexpr auto kCompact = Operation::compact;
constexpr auto kSort = Operation::sort;

using single_pass::Path;
using thrust::Memory;

// Descriptions that several rows share.
constexpr std::string_view kOpenMPText = "Thrust's OpenMP backend, all cores";
constexpr std::string_view kSinglePassText = "one launch that reads and writes once";
constexpr std::string_view kStreamedText = "single_pass on host arrays, piece by piece";
constexpr std::string_view kPlainText = "single_pass without bulk copies, as before 9.0";
constexpr std::string_view kCachedText = "Thrust, with an allocator that keeps its memory";
constexpr std::string_view kUncachedText = "Thrust, as a plain call: allocates every time";
constexpr std::string_view kCubText =
    "NVIDIA's device-wide algorithms, workspace allocated in advance";

constexpr Algorithm kRows[] = {
    row<cpu::Scan>(kScan, "cpu", "one loop on one core", cpu::scan),
    row<cpu_parallel::Scan, kNoOpenMP>(kScan, "cpu_parallel", kOpenMPText, cpu_parallel::scan),
    row<naive::Scan>(kScan, "naive", "Hillis-Steele, a launch per level", naive::scan,
                     naive::kTuned, naive::kLegal),
    row<efficient::Scan>(kScan, "efficient", "Blelloch's tree in global memory", efficient::scan,
                         efficient::kTuned, efficient::kLegal),
    row<efficient_plus::Scan>(kScan, "efficient_plus", "Blelloch's tree in shared memory",
                              efficient_plus::scan, efficient_plus::kTuned, efficient_plus::kLegal),
    row<single_pass::Scan<>>(kScan, "single_pass", kSinglePassText, single_pass::scan<>),
    row<single_pass::Scan<Path::plain>>(kScan, "single_pass_plain", kPlainText,
                                        single_pass::scan<Path::plain>),
    row<streamed::Scan>(kScan, "streamed", kStreamedText, streamed::scan),
    row<thrust::Scan<Memory::cached>, kNoThrust>(kScan, "thrust", kCachedText,
                                                 thrust::scan<Memory::cached>),
    row<thrust::Scan<Memory::uncached>, kNoThrust>(kScan, "thrust_uncached", kUncachedText,
                                                   thrust::scan<Memory::uncached>),
    row<cub::Scan, kNoCub>(kScan, "cub", kCubText, cub::scan),

    row<cpu::Compact>(kCompact, "cpu", "one loop on one core, without scan", cpu::compact),
    row<cpu::CompactWithScan>(kCompact, "cpu_scan", "map, scan and scatter on one core",
                              cpu::compact_with_scan),
    row<cpu_parallel::Compact, kNoOpenMP>(kCompact, "cpu_parallel", kOpenMPText,
                                          cpu_parallel::compact),
    row<naive::Compact>(kCompact, "naive", "map, naive scan, scatter", naive::compact,
                        naive::kTuned, naive::kLegal),
    row<efficient::Compact>(kCompact, "efficient", "map, efficient scan, scatter",
                            efficient::compact, efficient::kTuned, efficient::kLegal),
    row<efficient_plus::Compact>(kCompact, "efficient_plus", "map, efficient_plus scan, scatter",
                                 efficient_plus::compact, efficient_plus::kTuned,
                                 efficient_plus::kLegal),
    row<single_pass::Compact<>>(kCompact, "single_pass", kSinglePassText, single_pass::compact<>),
    row<single_pass::Compact<Path::plain>>(kCompact, "single_pass_plain", kPlainText,
                                           single_pass::compact<Path::plain>),
    row<streamed::Compact>(kCompact, "streamed", kStreamedText, streamed::compact),
    row<thrust::Compact<Memory::cached>, kNoThrust>(kCompact, "thrust", kCachedText,
                                                    thrust::compact<Memory::cached>),
    row<thrust::Compact<Memory::uncached>, kNoThrust>(kCompact, "thrust_uncached", kUncachedText,
                                                      thrust::compact<Memory::uncached>),
    row<cub::Compact, kNoCub>(kCompact, "cub", kCubText, cub::compact),

    row<cpu::Sort>(kSort, "cpu", "std::sort on one core", cpu::sort),
    row<cpu_parallel::Sort, kNoOpenMP>(kSort, "cpu_parallel", kOpenMPText, cpu_parallel::sort),
    row<radix::Sort>(kSort, "radix", "one bit per pass, with efficient_plus's scan", radix::sort,
                     radix::kTuned, radix::kLegal),
    row<hybrid_radix::Sort<int>>(kSort, "hybrid_radix",
                                 "partitions keys until a single block can sort each bucket",
                                 hybrid_radix::sort),
    row<onesweep::Sort<int>>(kSort, "onesweep", "eight bits per pass, each key moved once per pass",
                             onesweep::sort),
    row<streamed::Sort>(kSort, "streamed", "hybrid_radix on host arrays of any size",
                        streamed::sort),
    row<thrust::Sort<Memory::cached>, kNoThrust>(kSort, "thrust", kCachedText,
                                                 thrust::sort<Memory::cached>),
    row<thrust::Sort<Memory::uncached>, kNoThrust>(kSort, "thrust_uncached", kUncachedText,
                                                   thrust::sort<Memory::uncached>),
    row<cub::Sort, kNoCub>(kSort, "cub", kCubText, cub::sort),
};

}  // namespace

/// Declared where it is called, in registry.cpp: that file knows both backends.
const Registry& backend_registry();

const Registry& backend_registry() {
    static const Registry kRegistry {
        .backend = simt::kBackend, .rows = kRows, .unavailable_reason = simt::unavailable_reason,
        .device_properties = simt::device_properties, .memory_info = simt::memory_info,
        .limit_memory = simt::limit_memory,
#if defined(SIMT_EMULATED)
        .emulate = simt::emulate,
#else
        .cub_version = cub::version(),
#endif
    };
    return kRegistry;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
