// The arena in device memory.
#pragma once

#include "simt/backend.h"
#include "simt/stream.h"
#include "src/bench/arena/arena.h"
#include "src/bench/copies/copies.h"
#include "src/bench/measurement.h"
#include "src/bench/sampling/cache_flush.h"
#include "src/bench/sampling/sampler.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// Its samplers time work on a stream of the arena, which must outlive them.
class DeviceArena final : public Arena {
  public:
    /// @param flush_bytes bytes to write to overwrite the L2
    /// @throws simt::Error if the backend is unavailable
    explicit DeviceArena(std::size_t flush_bytes);
    ~DeviceArena() override;

    /// Creates the setting's input unless it exists, and the memory that overwrites the L2 if the
    /// mode needs it. If that fails, there is no input.
    /// @throws simt::OutOfMemory, simt::Error, std::bad_alloc
    void prepare(const Setting& setting);

    /// Releases everything that this object has allocated.
    void release();

    /// The bytes that this object has allocated on the device.
    std::size_t bytes() const;
    /// The bytes that this object allocates in a mode in addition to the arrays.
    std::size_t flush_bytes(Mode mode) const { return mode == Mode::cold ? flush_bytes_ : 0; }

    std::size_t count() const override;
    void prepare_output() override;
    std::optional<std::string> what_is_wrong() override;
    std::optional<Phases> phases(Plan& plan) override;

    // The samplers are not for Mode::host.
    /// @param asynchronous see Algorithm
    std::unique_ptr<Sampler> sampler(Mode mode, Plan& plan, bool asynchronous);
    /// Times a copy of the input to the output.
    std::unique_ptr<Sampler> copy_sampler(Mode mode, const Copy& copy);
    std::unique_ptr<Sampler> empty_launch_sampler(Mode mode);

  private:
    /// A setting's input, memory for its output, and the check.
    struct Prepared;

    std::unique_ptr<Sampler> sampler_of(Mode mode, Enqueue enqueue, bool asynchronous);
    void enqueue(Plan& plan, simt::stream_t stream, Stopwatch* watch = nullptr) const;

    L2Flush& l2_flush();

    simt::Stream stream_;
    std::size_t flush_bytes_;
    std::optional<L2Flush> l2_flush_;
    std::unique_ptr<Prepared> prepared_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
