// Times calls, a few at a turn, in one of the modes.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "src/bench/sampling/cache_flush.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// Puts a call on a stream.
using Enqueue = std::function<void(simt::stream_t)>;

/// Has called what it times at least once before the first sample is taken, so that code is loaded
/// and memory touched.
class Sampler {
  public:
    static constexpr std::size_t kMostSamples = 64;  ///< of one turn

    virtual ~Sampler() = default;

    /// The microseconds of one call, so many times (at most kMostSamples).
    /// @throws simt::Error
    virtual std::vector<double> take(std::size_t samples) = 0;

    /// How many calls that makes.
    virtual std::size_t calls(std::size_t samples) const = 0;
};

/// How often the L2 must be overwritten before a call so that the device is busy until the host has
/// enqueued all of the call. Else the device waits for launches, and the wait is taken for work.
std::size_t flushes_to_hide(const Enqueue& enqueue, L2Flush& flush, const simt::Stream& stream);

/// Mode::cold on the device. `flush` and `stream` must outlive the sampler, here and below.
/// @param asynchronous whether `enqueue` returns before the device is done
std::unique_ptr<Sampler> cold_sampler(Enqueue enqueue, bool asynchronous, L2Flush& flush,
                                      const simt::Stream& stream);

/// Mode::hot on the device.
std::unique_ptr<Sampler> hot_sampler(Enqueue enqueue, const simt::Stream& stream);

/// Mode::graph.
std::unique_ptr<Sampler> graph_sampler(Enqueue enqueue, const simt::Stream& stream);

/// Calls that are done when they return, each after `flush` has run.
std::unique_ptr<Sampler> cold_host_sampler(std::function<void()> call, HostCacheFlush& flush);

/// Calls that are done when they return, back to back.
std::unique_ptr<Sampler> hot_host_sampler(std::function<void()> call);

}  // namespace stream_compaction::inline SIMT_BACKEND
