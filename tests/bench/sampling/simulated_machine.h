// A host and a device whose clocks advance only by the specified durations of their work.
// simulated_machine.cpp replaces the streams, events, graphs, flushes and the clock that
// src/bench/sampling/sampler.cpp is linked with, so a test knows to the nanosecond what each sample
// must be.
#pragma once

#include "simt/backend.h"

#include <cstddef>

namespace stream_compaction {

/// The device launches of one call. Each begins when the host has enqueued it.
struct DeviceWork {
    std::size_t launches = 1;
    double enqueue_us = 1;  ///< of one launch, on the host
    double cold_us = 10;    ///< of one launch, on the device, after the L2 has been overwritten
    double warm_us = 10;    ///< of one launch, on the device, otherwise
};

struct SimulatedMachine {
    static constexpr double kFlushUs = 30;        ///< to overwrite the L2
    static constexpr double kFirstGraphUs = 7e3;  ///< to upload a graph to the device

    double host_us = 0;    ///< now
    double device_us = 0;  ///< when the device will have finished all of its work
    bool l2_is_cold = false;
    bool host_cache_is_cold = false;
    std::size_t l2_flushes = 0;
    bool has_faulted = false;  ///< a kernel has faulted; the next synchronize() throws

    void run(const DeviceWork& work);

    /// Work that has finished when the call returns.
    void run_on_host(double cold_us, double warm_us);
};

/// The only instance.
extern SimulatedMachine machine;

}  // namespace stream_compaction
