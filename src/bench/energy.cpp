#include "src/bench/energy.h"

#include "src/bench/sampling/host_clock.h"

#include <optional>

namespace stream_compaction::inline SIMT_BACKEND {

double millijoules_of_a_call(Sampler& sampler, std::size_t samples, const EnergyCounter& counter) {
    constexpr double kLeastUs = 5e5, kMostUs = 5e6;
    struct Reading {
        double us, millijoules;
        std::size_t calls;
    };
    std::optional<Reading> first;
    std::size_t calls = 0;
    double last = counter();
    for (const double start = host_clock_us(); host_clock_us() - start < kMostUs;) {
        (void)sampler.take(samples);
        calls += sampler.calls(samples);
        const Reading now{host_clock_us(), counter(), calls};
        if (now.millijoules == last) continue;
        last = now.millijoules;
        if (!first)
            first = now;
        else if (now.us - first->us >= kLeastUs)
            return (now.millijoules - first->millijoules) /
                   static_cast<double>(now.calls - first->calls);
    }
    throw NvmlError("the GPU's energy counter does not change");
}

}  // namespace stream_compaction::inline SIMT_BACKEND
