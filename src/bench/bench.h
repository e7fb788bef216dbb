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
#include <string_view>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// Keeps arrays and inputs from one measurement to the next if they are the same.
class Bench {
  public:
    /// @param stop   set when the user interrupts: the measurement ends soon
    /// @param clock  returns the device's clock; takes microseconds to a millisecond
    /// @param energy the energy counter, for calls in modes hot and graph; empty: not measured
    /// @throws simt::Error if the backend is unavailable
    Bench(const Protocol& protocol, const FlushSizes& flush, const std::atomic<bool>& stop,
          std::function<GpuClock()> clock, EnergyCounter energy = {});

    /// Measures the contenders in alternating turns: first those of the device, together with
    /// copies, then those of the host. The fastest copy is the ceiling. The first comparison with a
    /// mode and a number of bytes determines this copy, and later comparisons measure no other. The
    /// complete output of the first and the last sample of every row is checked. After a stop, the
    /// result contains the rows that have finished; see also Round::fault.
    Round measure(const Setting& setting, std::span<const Contender> contenders);

    const FastestCopies& fastest_copies() const { return fastest_copies_; }

    /// The median time of an empty launch. Not for Mode::host.
    /// @throws simt::OutOfMemory
    double empty_launch_us(Mode mode);

  private:
    /// The time of the fastest copy.
    struct Ceiling {
        std::string_view copy;
        double microseconds;
    };

    /// Appends the contenders that fit in memory together, each with its first sample, and the
    /// copies if they are wanted.
    /// @param later contenders that fit when these have finished
    /// @throws simt::Error if the device is beyond recovery
    void enter_all(const Setting& setting, std::span<const Contender> contenders, bool with_copies,
                   std::vector<Entrant>& entrants, std::vector<Contender>& later, Round& round);
    Entrant enter(const Setting& setting, const Contender& contender);
    void enter_copies(const Setting& setting, std::vector<Entrant>& entrants);
    /// Nothing if no copy was measured.
    std::optional<Ceiling> ceiling_of(const Setting& setting, std::span<const Entrant> entrants);
    Measurement row_of(const Entrant& entrant, const Setting& setting,
                       const std::optional<Ceiling>& ceiling) const;
    bool has_finished(const Entrant& entrant) const;

    /// Why memory is too small, given the contender's own workspace size.
    std::optional<std::string> too_large(const Setting& setting, const Contender& contender,
                                         std::size_t available) const;

    const std::atomic<bool>& stop_;
    DeviceArena device_;
    HostArena host_;
    Turns turns_;
    FastestCopies fastest_copies_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
