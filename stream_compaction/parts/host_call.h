// The host function of every module: copies the input in, times the plan alone, copies the output
// out.
#pragma once

#include "simt/error.h"
#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/parts/host_copies.h"
#include "stream_compaction/stopwatch.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace stream_compaction {

/// A plan that determines the length of its result.
template <class Plan>
concept Compaction = requires(Plan plan, const int* in, int* out, std::size_t* count,
                              simt::stream_t stream, Stopwatch* phases) {
    plan.enqueue(in, out, count, std::size_t{}, stream, phases);
};

inline constexpr unsigned char kNoResult = 0xA5;  ///< each byte of the output before the call

inline void require_room(std::span<const int> input, std::span<int> output) {
    if (output.size() < input.size())
        throw std::invalid_argument("the output has " + std::to_string(output.size()) +
                                    " elements, the input " + std::to_string(input.size()));
}

/// A broken kernel must not make the host write past its output.
/// @throws simt::Error if more elements were kept than there are
inline void require_possible(std::size_t kept, std::size_t n) {
    if (kept > n)
        throw simt::Error("the kernels kept " + std::to_string(kept) + " of " + std::to_string(n) +
                          " elements");
}

/// For plans that work on host arrays.
template <class Plan>
Outcome call_on_host(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    require_room(input, output);
    const std::size_t n = input.size();
    std::size_t count = n;
    Plan plan(n, tuning);

    HostStopwatch watch;
    watch.mark();
    if constexpr (Compaction<Plan>)
        plan.enqueue(input.data(), output.data(), &count, n, nullptr, &watch);
    else
        plan.enqueue(input.data(), output.data(), n);
    watch.mark();

    return outcome(count, watch.laps());
}

inline namespace SIMT_BACKEND {

/// For plans that work on device arrays.
template <class Plan>
Outcome call_on_device(std::span<const int> input, std::span<int> output, const Tuning& tuning,
                       const StagingOptions& staging = {}) {
    require_room(input, output);
    const std::size_t n = input.size();
    simt::DeviceArray<int> in(n), out(n);
    simt::DeviceArray<std::size_t> kept(1);
    Plan plan(n, tuning);
    HostCopies copies(staging);
    copies.up(input, in);
    // Keeps the device busy while the host enqueues the plan. On an idle device, the plan's time
    // would include the latency of its first launch. The plan overwrites the result.
    for (int fill = 0; fill < 2; ++fill) simt::fill_async(out.data(), kNoResult, n * sizeof(int));

    DeviceStopwatch watch;
    watch.mark();
    if constexpr (Compaction<Plan>)
        plan.enqueue(in.data(), out.data(), kept.data(), n, nullptr, &watch);
    else
        plan.enqueue(in.data(), out.data(), n);
    watch.mark();

    std::size_t count = n;
    if constexpr (Compaction<Plan>) kept.copy_to(std::span(&count, 1));
    require_possible(count, n);
    copies.down(out, output.first(count));
    return outcome(count, watch.laps());
}

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
