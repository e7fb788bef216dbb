// Times calls in one of the modes, a few calls per turn.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "src/bench/sampling/cache_flush.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// Enqueues a call on a stream.
using Enqueue = std::function<void(simt::stream_t)>;

/// A sampler makes at least one call before the first sample, so that code is loaded and memory has
/// been touched.
class Sampler {
  public:
    static constexpr std::size_t kMostSamples = 64;  ///< per turn

    virtual ~Sampler() = default;

    /// Returns this many samples (at most kMostSamples): the microseconds of one call each.
    /// @throws simt::Error
    virtual std::vector<double> take(std::size_t samples) = 0;

    /// How many calls this number of samples takes.
    virtual std::size_t calls(std::size_t samples) const = 0;
};

/// How often the L2 must be overwritten before a call, so that the device is busy until the host
/// has enqueued the complete call. Otherwise the device would wait for launches, and the wait would
/// be measured as work.
std::size_t flushes_to_hide(const Enqueue& enqueue, L2Flush& flush, const simt::Stream& stream);

/// Mode::cold on the device. `flush` and `stream` must outlive the sampler, here and below.
/// @param asynchronous whether `enqueue` returns before the device has finished
std::unique_ptr<Sampler> cold_sampler(Enqueue enqueue, bool asynchronous, L2Flush& flush,
                                      const simt::Stream& stream);

/// Mode::hot on the device.
std::unique_ptr<Sampler> hot_sampler(Enqueue enqueue, const simt::Stream& stream);

/// Mode::graph.
std::unique_ptr<Sampler> graph_sampler(Enqueue enqueue, const simt::Stream& stream);

/// Runs untimed, right before each sample. May be empty.
using Wake = std::function<void()>;

/// Calls that have finished when they return, each after a run of `flush`.
std::unique_ptr<Sampler> cold_host_sampler(std::function<void()> call, HostCacheFlush& flush,
                                           Wake wake = {});

/// Calls that have finished when they return, back to back.
std::unique_ptr<Sampler> hot_host_sampler(std::function<void()> call, Wake wake = {});

}  // namespace stream_compaction::inline SIMT_BACKEND
