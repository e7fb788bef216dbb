// Contenders are timed in turns, so that clock drift affects all of them equally.
#pragma once

#include "simt/backend.h"
#include "src/bench/arena/arena.h"
#include "src/bench/energy.h"
#include "src/bench/measurement.h"
#include "src/bench/nvml.h"
#include "src/bench/sampling/sampler.h"
#include "src/bench/steady_samples.h"
#include "src/program/contenders.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// A contender with everything it needs, and its results so far.
struct Entrant {
    Contender contender = {};  ///< no algorithm: a copy, the ceiling of the others
    std::unique_ptr<Plan> plan = {};
    std::unique_ptr<Sampler> sampler;
    Arena* arena = nullptr;      ///< checks its output; nullptr for a copy
    std::string_view copy = {};  ///< name of the copy

    struct Seen {
        std::vector<double> samples = {};
        std::vector<double> megahertz = {};  ///< the GPU's clock during each sample; 0: not known
        double seconds = 0;                  ///< spent on the samples, including overhead
        std::optional<std::string> wrong = {};
        std::optional<Phases> phases = {};
        std::optional<double> millijoules = {};
        bool throttled = false;
        bool failed = false;
    };
    Seen seen = {};

    bool is_copy() const { return contender.algorithm == nullptr; }
    bool is_on_host() const { return !is_copy() && contender.algorithm->runs_on == Place::host; }
};

class Turns {
  public:
    /// @param stop   set when the user interrupts: the turns end soon
    /// @param clock  returns the device's clock; takes microseconds to a millisecond
    /// @param energy the energy counter, for device contenders back to back; empty: not measured
    Turns(const Protocol& protocol, const std::atomic<bool>& stop, std::function<GpuClock()> clock,
          EnergyCounter energy);

    /// Takes one sample, and checks the complete output.
    /// @throws simt::Error
    void sample_and_check(Entrant& entrant) const;

    /// Runs all entrants in turns until they are done. The complete output of the first and the
    /// last sample of each is checked. Entrants that fail are recorded in the round.
    /// @throws simt::Error if the device is beyond recovery
    void take(std::span<Entrant* const> entrants, const Setting& setting, Round& round) const;

    /// Whether the entrant has all samples that the protocol requires except the last one.
    bool is_done(const Entrant::Seen& seen) const;

    /// The samples that count.
    SteadySamples steady(const Entrant::Seen& seen) const;

    /// Whether the protocol requires more samples than count.
    bool lacks_samples(const Entrant::Seen& seen) const;

  private:
    bool is_over(const Entrant::Seen& seen) const;
    void sample(Entrant& entrant, std::size_t samples) const;
    void take_turn(Entrant& entrant) const;
    void count_energy(Entrant& entrant, Round& round) const;

    Protocol protocol_;
    const std::atomic<bool>& stop_;
    std::function<GpuClock()> clock_;
    EnergyCounter energy_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
