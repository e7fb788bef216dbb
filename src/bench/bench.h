// Measures contenders against each other on one backend: the same input, alternating turns, every
// result checked.
#pragma once

#include "simt/backend.h"
#include "src/bench/arena/device_arena.h"
#include "src/bench/arena/host_arena.h"
#include "src/bench/measurement.h"
#include "src/bench/sampling/cache_flush.h"
#include "src/bench/turns.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// Keeps arrays and inputs from one measurement to the next, as far as they are the same.
class Bench {
  public:
    /// @param stop      set when the user has had enough: the measurement ends soon
    /// @param throttled tells whether the device is being slowed down at the moment
    /// @param energy    counts it, of calls in the modes hot and graph; empty: nobody asks
    /// @throws simt::Error where the backend is unavailable
    Bench(const Protocol& protocol, const FlushSizes& flush, const std::atomic<bool>& stop,
          std::function<bool()> throttled, EnergyCounter energy = {});

    /// Contenders in alternating turns, those of the device with a copy that is their ceiling, then
    /// those of the host. Every row's first and last sample is checked over its whole output. After
    /// a stop, the rows that were done.
    /// @throws simt::Error where the device is beyond recovery
    Round measure(const Setting& setting, std::span<const Contender> contenders);

    /// The median of a launch that does nothing. Not for Mode::host.
    /// @throws simt::OutOfMemory
    double empty_launch_us(Mode mode);

  private:
    /// Those of the contenders that fit into memory together, with the copy where it is wanted.
    /// @param later those that fit when these are through
    std::vector<Entrant> enter_all(const Setting& setting, std::span<const Contender> contenders,
                                   bool with_copy, std::vector<Contender>& later, Round& round);
    Entrant enter(const Setting& setting, const Contender& contender);
    Entrant enter_copy(const Setting& setting);

    /// Why memory is too small, by what the contender says that it takes.
    std::optional<std::string> too_large(const Setting& setting, const Contender& contender,
                                         std::size_t available) const;

    const std::atomic<bool>& stop_;
    DeviceArena device_;
    HostArena host_;
    Turns turns_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
