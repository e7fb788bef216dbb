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
#include "stream_compaction/thrust.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// A module's plan class behind the registry's interface.
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
std::size_t workspace_bytes(std::size_t n, const Tuning& tuning) {
    return P::workspace_bytes(n, tuning);
}

std::size_t no_workspace(std::size_t, const Tuning&) { return 0; }

constexpr auto kScan = Operation::scan;
constexpr auto kCompact = Operation::compact;
constexpr auto kSort = Operation::sort;

/// A row for a module whose plan is P.
template <class P>
constexpr Algorithm row(Operation operation, std::string_view name, std::string_view description,
                        decltype(Algorithm::run) run, Tuning tuned = {}, LegalTuning legal = {}) {
    return {.operation = operation,
            .name = name,
            .description = description,
            .runs_on = Place::device,
            .run = run,
            .make_plan = make<P>,
            .workspace_bytes = workspace_bytes<P>,
            .tuned = tuned,
            .legal = legal};
}

/// The same for a plan on host arrays, which is done when enqueue returns.
template <class P>
constexpr Algorithm host_row(Operation operation, std::string_view name,
                             std::string_view description, decltype(Algorithm::run) run) {
    return {.operation = operation,
            .name = name,
            .description = description,
            .runs_on = Place::host,
            .run = run,
            .make_plan = make<P>,
            .workspace_bytes = no_workspace,
            .asynchronous = false};
}

/// A row that is shown with the reason why it cannot run.
[[maybe_unused]] constexpr Algorithm missing_row(Operation operation, std::string_view name,
                                                 std::string_view description,
                                                 std::string_view reason) {
    return {.operation = operation,
            .name = name,
            .description = description,
            .runs_on = Place::device,
            .run = nullptr,
            .make_plan = nullptr,
            .workspace_bytes = no_workspace,
            .unavailable = reason};
}

constexpr Algorithm in_place(Algorithm algorithm) {
    algorithm.in_place = true;
    return algorithm;
}
constexpr Algorithm with_phases(Algorithm algorithm) {
    algorithm.has_phases = true;
    return algorithm;
}
constexpr Algorithm with_passes(int passes, Algorithm algorithm) {
    algorithm.sort_passes = passes;
    return algorithm;
}
[[maybe_unused]] constexpr Algorithm synchronous(Algorithm algorithm) {
    algorithm.asynchronous = false;
    return algorithm;
}

// The rows of one library, for each operation: cpu_parallel, thrust, thrust_uncached, cub.

/// CUB sorts 32-bit keys by eight bits at a time, and Thrust calls CUB.
[[maybe_unused]] constexpr int kCubPasses = 4;

constexpr std::string_view kCpuParallelText = "Thrust's OpenMP backend, all cores";
#if defined(STREAM_COMPACTION_HAS_OPENMP)
constexpr Algorithm kCpuParallel[] = {
    in_place(
        host_row<cpu_parallel::Scan>(kScan, "cpu_parallel", kCpuParallelText, cpu_parallel::scan)),
    host_row<cpu_parallel::Compact>(kCompact, "cpu_parallel", kCpuParallelText,
                                    cpu_parallel::compact),
    in_place(
        host_row<cpu_parallel::Sort>(kSort, "cpu_parallel", kCpuParallelText, cpu_parallel::sort)),
};
#else
constexpr std::string_view kNoOpenMP = "built without OpenMP or Thrust";
constexpr Algorithm kCpuParallel[] = {
    missing_row(kScan, "cpu_parallel", kCpuParallelText, kNoOpenMP),
    missing_row(kCompact, "cpu_parallel", kCpuParallelText, kNoOpenMP),
    missing_row(kSort, "cpu_parallel", kCpuParallelText, kNoOpenMP),
};
#endif

constexpr std::string_view kThrustText = "Thrust, with an allocator that keeps its memory";
constexpr std::string_view kUncachedText = "Thrust, as a plain call: allocates every time";
#if defined(STREAM_COMPACTION_HAS_THRUST)
using thrust::Memory;

/// Thrust's host backend knows no streams: it is done when the call returns.
constexpr Algorithm on_stream(Algorithm algorithm) {
    algorithm.asynchronous = simt::kBackend == simt::Backend::cuda;
    return algorithm;
}
constexpr Algorithm kThrust[] = {
    on_stream(in_place(row<thrust::Scan<Memory::cached>>(kScan, "thrust", kThrustText,
                                                         thrust::scan<Memory::cached>))),
    synchronous(row<thrust::Compact<Memory::cached>>(kCompact, "thrust", kThrustText,
                                                     thrust::compact<Memory::cached>)),
    on_stream(in_place(
        with_passes(kCubPasses, row<thrust::Sort<Memory::cached>>(kSort, "thrust", kThrustText,
                                                                  thrust::sort<Memory::cached>)))),
};
constexpr Algorithm kUncached[] = {
    synchronous(in_place(row<thrust::Scan<Memory::uncached>>(
        kScan, "thrust_uncached", kUncachedText, thrust::scan<Memory::uncached>))),
    synchronous(row<thrust::Compact<Memory::uncached>>(kCompact, "thrust_uncached", kUncachedText,
                                                       thrust::compact<Memory::uncached>)),
    synchronous(in_place(with_passes(
        kCubPasses, row<thrust::Sort<Memory::uncached>>(kSort, "thrust_uncached", kUncachedText,
                                                        thrust::sort<Memory::uncached>)))),
};
#else
constexpr std::string_view kNoThrust = "built without Thrust";
constexpr Algorithm kThrust[] = {
    missing_row(kScan, "thrust", kThrustText, kNoThrust),
    missing_row(kCompact, "thrust", kThrustText, kNoThrust),
    missing_row(kSort, "thrust", kThrustText, kNoThrust),
};
constexpr Algorithm kUncached[] = {
    missing_row(kScan, "thrust_uncached", kUncachedText, kNoThrust),
    missing_row(kCompact, "thrust_uncached", kUncachedText, kNoThrust),
    missing_row(kSort, "thrust_uncached", kUncachedText, kNoThrust),
};
#endif

constexpr std::string_view kCubText = "NVIDIA's device-wide algorithms, workspace taken beforehand";
#if defined(SIMT_EMULATED)
constexpr std::string_view kNoHostCub = "needs a GPU: CUB has no host backend";
constexpr Algorithm kCub[] = {
    missing_row(kScan, "cub", kCubText, kNoHostCub),
    missing_row(kCompact, "cub", kCubText, kNoHostCub),
    missing_row(kSort, "cub", kCubText, kNoHostCub),
};
#else
constexpr Algorithm kCub[] = {
    in_place(row<cub::Scan>(kScan, "cub", kCubText, cub::scan)),
    row<cub::Compact>(kCompact, "cub", kCubText, cub::compact),
    with_passes(kCubPasses, row<cub::Sort>(kSort, "cub", kCubText, cub::sort)),
};
#endif

// The rows of single_pass: scan and compaction, as the device does it best, and with plain loads.
using single_pass::Path;
constexpr std::string_view kSinglePassText = "one launch that reads and writes once";
constexpr std::string_view kPlainText = "the same without bulk copies, as on GPUs before 9.0";
constexpr Algorithm kSinglePass[] = {
    in_place(row<single_pass::Scan<>>(kScan, "single_pass", kSinglePassText, single_pass::scan<>)),
    in_place(row<single_pass::Scan<Path::plain>>(kScan, "single_pass_plain", kPlainText,
                                                 single_pass::scan<Path::plain>)),
    in_place(row<single_pass::Compact<>>(kCompact, "single_pass", kSinglePassText,
                                         single_pass::compact<>)),
    in_place(row<single_pass::Compact<Path::plain>>(kCompact, "single_pass_plain", kPlainText,
                                                    single_pass::compact<Path::plain>)),
};

constexpr Algorithm kRows[] = {
    in_place(host_row<cpu::Scan>(kScan, "cpu", "one loop on one core", cpu::scan)),
    kCpuParallel[0],
    in_place(row<naive::Scan>(kScan, "naive", "Hillis-Steele, a launch per level", naive::scan,
                              naive::kTuned, naive::kLegal)),
    in_place(row<efficient::Scan>(kScan, "efficient", "Blelloch's tree in global memory",
                                  efficient::scan, efficient::kTuned, efficient::kLegal)),
    in_place(row<efficient_plus::Scan>(kScan, "efficient_plus", "Blelloch's tree in shared memory",
                                       efficient_plus::scan, efficient_plus::kTuned,
                                       efficient_plus::kLegal)),
    kSinglePass[0],
    kSinglePass[1],
    kThrust[0],
    kUncached[0],
    kCub[0],

    in_place(host_row<cpu::Compact>(kCompact, "cpu", "one loop on one core, without scan",
                                    cpu::compact)),
    with_phases(in_place(host_row<cpu::CompactWithScan>(
        kCompact, "cpu_scan", "map, scan and scatter on one core", cpu::compact_with_scan))),
    kCpuParallel[1],
    with_phases(row<naive::Compact>(kCompact, "naive", "map, naive scan, scatter", naive::compact,
                                    naive::kTuned, naive::kLegal)),
    with_phases(row<efficient::Compact>(kCompact, "efficient", "map, efficient scan, scatter",
                                        efficient::compact, efficient::kTuned, efficient::kLegal)),
    with_phases(row<efficient_plus::Compact>(
        kCompact, "efficient_plus", "map, efficient_plus scan, scatter", efficient_plus::compact,
        efficient_plus::kTuned, efficient_plus::kLegal)),
    kSinglePass[2],
    kSinglePass[3],
    kThrust[1],
    kUncached[1],
    kCub[1],

    in_place(host_row<cpu::Sort>(kSort, "cpu", "std::sort on one core", cpu::sort)),
    kCpuParallel[2],
    in_place(
        with_passes(32, row<radix::Sort>(kSort, "radix", "one bit a pass, on efficient_plus's scan",
                                         radix::sort, radix::kTuned, radix::kLegal))),
    in_place(row<hybrid_radix::Sort<int>>(kSort, "hybrid_radix",
                                          "partitions down to what a block sorts by itself",
                                          hybrid_radix::sort)),
    in_place(with_passes(4, row<onesweep::Sort<int>>(
                                kSort, "onesweep", "eight bits a pass, each key moved once a pass",
                                onesweep::sort))),
    kThrust[2],
    kUncached[2],
    kCub[2],
};

}  // namespace

std::span<const Algorithm> variant_rows();  // of variant_rows.cpp

/// Declared where it is called, in registry.cpp: that file knows both backends.
const Registry& backend_registry();

const Registry& backend_registry() {
    static const Registry kRegistry {
        .backend = simt::kBackend, .rows = kRows, .variants = variant_rows(),
        .unavailable_reason = simt::unavailable_reason,
        .device_properties = simt::device_properties, .memory_info = simt::memory_info,
        .limit_memory = simt::limit_memory,
#if defined(SIMT_EMULATED)
        .emulate = simt::emulate,
#endif
    };
    return kRegistry;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
