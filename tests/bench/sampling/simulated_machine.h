// A host and a device whose clocks advance by what their work is said to take, and by nothing else.
// simulated_machine.cpp has the streams, events, graphs, flushes and the clock that
// src/bench/sampling/sampler.cpp is linked with: so a test knows to the nanosecond what a sample
// must be.
#pragma once

#include "simt/backend.h"

#include <cstddef>

namespace stream_compaction {

/// One call's launches on the device, of which each begins when the host has enqueued it.
struct DeviceWork {
    std::size_t launches = 1;
    double enqueue_us = 1;  ///< of one launch, on the host
    double cold_us = 10;    ///< of one launch, on the device, after the L2 has been overwritten
    double warm_us = 10;    ///< of one launch, on the device, else
};

struct SimulatedMachine {
    static constexpr double kFlushUs = 30;        ///< to overwrite the L2
    static constexpr double kFirstGraphUs = 7e3;  ///< for a graph to be moved to the device

    double host_us = 0;    ///< now
    double device_us = 0;  ///< when the device will have done all of its work
    bool l2_is_cold = false;
    bool host_cache_is_cold = false;
    std::size_t l2_flushes = 0;
    bool has_faulted = false;  ///< a kernel did; the next synchronize() throws

    void run(const DeviceWork& work);

    /// Work that is done when the call returns.
    void run_on_host(double cold_us, double warm_us);
};

/// There is only one.
extern SimulatedMachine machine;

}  // namespace stream_compaction
