// Measures contenders against each other on one backend: the same input, alternating turns, every
// result checked.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "src/bench/cache_flush.h"
#include "src/bench/measurement.h"
#include "src/bench/sampler.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
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
    /// @throws simt::Error where the backend is unavailable
    Bench(const Protocol& protocol, const FlushSizes& flush, const std::atomic<bool>& stop,
          std::function<bool()> throttled);
    ~Bench();

    /// Contenders in alternating turns, those of the device with a copy that is their ceiling, then
    /// those of the host. Every row's first and last sample is checked over its whole output. After
    /// a stop, the rows that were done.
    /// @throws simt::Error where the device is beyond recovery
    Round measure(const Setting& setting, std::span<const Contender> contenders);

    /// The median of a launch that does nothing. Not for Mode::host.
    double empty_launch_us(Mode mode);

  private:
    struct Entrant;
    struct DeviceArrays;
    struct HostArrays;

    void prepare_device(const Setting& setting);
    void prepare_host(const Setting& setting);
    std::size_t available_device_bytes() const;
    std::optional<std::string> too_large(const Setting& setting, const Contender& contender,
                                         std::size_t available) const;

    Entrant enter(const Setting& setting, const Contender& contender);
    Entrant enter_host_call(const Contender& contender);
    Entrant enter_on_host(const Setting& setting, const Contender& contender);
    Entrant enter_on_device(const Setting& setting, const Contender& contender);
    Entrant enter_copy(const Setting& setting);
    std::unique_ptr<Sampler> device_sampler(Mode mode, Enqueue enqueue, bool asynchronous);

    static void skip(const Setting& setting, const Contender& contender, std::string reason,
                     Round& round);
    template <class F>
    bool try_to(F f, const Setting& setting, const Contender& contender, Round& round);
    void compete(std::span<Entrant* const> entrants, const Setting& setting, Round& round);
    void sample(Entrant& entrant);
    void sample_and_check(Entrant& entrant);
    bool is_done(const Entrant& entrant) const;
    std::optional<Phases> phases(const Entrant& entrant);
    std::optional<Phases> phases_on_host(Plan& plan);
    std::optional<Phases> phases_on_device(Plan& plan);

    Protocol protocol_;
    const std::atomic<bool>& stop_;
    std::function<bool()> throttled_;
    std::size_t flush_bytes_;
    simt::Stream stream_;
    L2Flush l2_flush_;
    HostCacheFlush host_flush_;
    std::unique_ptr<DeviceArrays> device_;
    std::unique_ptr<HostArrays> host_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
