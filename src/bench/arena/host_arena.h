// The arena in host memory, for contenders on the host and for host functions of any contender.
#pragma once

#include "simt/backend.h"
#include "src/bench/arena/arena.h"
#include "src/bench/measurement.h"
#include "src/bench/sampling/cache_flush.h"
#include "src/bench/sampling/sampler.h"
#include "src/check/host_check.h"
#include "src/program/contenders.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// The arena must outlive its samplers.
class HostArena final : public Arena {
  public:
    /// @param flush_bytes bytes to write to overwrite the caches
    explicit HostArena(std::size_t flush_bytes) : flush_(flush_bytes) {}

    /// Creates the setting's input unless it exists. If that fails, there is no input.
    /// @throws std::bad_alloc
    void prepare(const Setting& setting);

    /// The memory of the arrays.
    std::size_t bytes() const;

    std::size_t count() const override;
    void prepare_output() override;
    std::optional<std::string> what_is_wrong() override;
    std::optional<Phases> phases(Plan& plan) override;

    /// Times the contender's plan, which runs on the host, cold or hot.
    std::unique_ptr<Sampler> sampler(Mode mode, const Contender& contender, Plan& plan);
    /// Times the contender's host function.
    std::unique_ptr<Sampler> call_sampler(const Contender& contender);
    /// Times copying the input to the device and back into the output.
    std::unique_ptr<Sampler> copy_sampler();

  private:
    /// A setting's input, memory for its output, and the check.
    struct Prepared {
        Setting setting;
        std::unique_ptr<int[]> in_memory, out_memory;
        std::size_t room = 0;
        std::size_t count = 0;
        std::optional<HostCheck> check;

        std::span<const int> in() const { return {in_memory.get(), setting.n}; }
        std::span<int> out() const { return {out_memory.get(), setting.n}; }
        std::span<int> guarded_out() const {
            return {out_memory.get(), setting.n + HostCheck::kGuard};
        }
    };

    void run(Plan& plan, Stopwatch* watch = nullptr) const;

    HostCacheFlush flush_;
    std::unique_ptr<Prepared> prepared_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
