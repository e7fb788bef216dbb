// Where contenders of the device work.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "src/bench/arena/arena.h"
#include "src/bench/measurement.h"
#include "src/bench/sampling/cache_flush.h"
#include "src/bench/sampling/sampler.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// What its samplers time runs on a stream of its own. It must outlive them.
class DeviceArena final : public Arena {
  public:
    /// @param flush_bytes that are written to overwrite the L2
    /// @throws simt::Error where the backend is unavailable
    explicit DeviceArena(std::size_t flush_bytes);
    ~DeviceArena() override;

    /// Makes the setting's input, unless it is there already, and what overwrites the L2 if the
    /// mode does so. If that fails, there is no input.
    /// @throws simt::OutOfMemory, simt::Error, std::bad_alloc
    void prepare(const Setting& setting);

    /// Releases all that this object has allocated.
    void release();

    /// The bytes that this object has allocated on the device.
    std::size_t bytes() const;
    /// Those that it allocates in a mode besides the arrays.
    std::size_t flush_bytes(Mode mode) const { return mode == Mode::cold ? flush_bytes_ : 0; }

    std::size_t count() const override;
    void prepare_output() override;
    std::optional<std::string> what_is_wrong() override;
    std::optional<Phases> phases(Plan& plan) override;

    // None of these for Mode::host.
    /// @param asynchronous as Algorithm has it
    std::unique_ptr<Sampler> sampler(Mode mode, Plan& plan, bool asynchronous);
    /// Of a copy of the input into the output.
    std::unique_ptr<Sampler> copy_sampler(Mode mode);
    std::unique_ptr<Sampler> empty_launch_sampler(Mode mode);

  private:
    struct Arrays;

    std::unique_ptr<Sampler> sampler_of(Mode mode, Enqueue enqueue, bool asynchronous);
    void enqueue(Plan& plan, simt::stream_t stream, Stopwatch* watch = nullptr) const;

    L2Flush& l2_flush();

    simt::Stream stream_;
    std::size_t flush_bytes_;
    std::optional<L2Flush> l2_flush_;
    std::unique_ptr<Arrays> arrays_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
