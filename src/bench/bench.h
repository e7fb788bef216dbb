// Measures contenders against each other on one backend: with the same input, in alternating turns,
// and with a check of every result.
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

/// Keeps arrays and inputs from one measurement to the next if they are the same.
class Bench {
  public:
    /// @param stop      set when the user interrupts: the measurement ends soon
    /// @param throttled returns whether the device is throttled at the moment
    /// @param energy    the energy counter, for calls in modes hot and graph; empty: not measured
    /// @throws simt::Error if the backend is unavailable
    Bench(const Protocol& protocol, const FlushSizes& flush, const std::atomic<bool>& stop,
          std::function<bool()> throttled, EnergyCounter energy = {});

    /// Measures the contenders in alternating turns: first those of the device, together with a
    /// copy as their ceiling, then those of the host. The complete output of the first and the last
    /// sample of every row is checked. After a stop, the result contains the rows that have
    /// finished; see also Round::fault.
    /// @throws simt::Error if the device is beyond recovery before the contenders take turns
    Round measure(const Setting& setting, std::span<const Contender> contenders);

    /// The median time of an empty launch. Not for Mode::host.
    /// @throws simt::OutOfMemory
    double empty_launch_us(Mode mode);

  private:
    /// The contenders that fit in memory together, and the copy if it is wanted.
    /// @param later contenders that fit when these have finished
    std::vector<Entrant> enter_all(const Setting& setting, std::span<const Contender> contenders,
                                   bool with_copy, std::vector<Contender>& later, Round& round);
    Entrant enter(const Setting& setting, const Contender& contender);
    Entrant enter_copy(const Setting& setting);

    /// Why memory is too small, given the contender's own workspace size.
    std::optional<std::string> too_large(const Setting& setting, const Contender& contender,
                                         std::size_t available) const;

    const std::atomic<bool>& stop_;
    DeviceArena device_;
    HostArena host_;
    Turns turns_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
