// Where contenders of the host work, and host functions of any contender.
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

/// It must outlive its samplers.
class HostArena final : public Arena {
  public:
    /// @param flush_bytes that are written to overwrite the caches
    explicit HostArena(std::size_t flush_bytes) : flush_(flush_bytes) {}

    /// Makes the setting's input, unless it is there already. Where that fails, nothing is there.
    /// @throws std::bad_alloc
    void prepare(const Setting& setting);

    /// What the arrays take.
    std::size_t bytes() const;

    std::size_t count() const override;
    void prepare_output() override;
    std::optional<std::string> what_is_wrong() override;
    std::optional<Phases> phases(Plan& plan) override;

    /// Of a plan of the host, cold or hot.
    std::unique_ptr<Sampler> sampler(Mode mode, Plan& plan);
    /// Of the contender's host function.
    std::unique_ptr<Sampler> call_sampler(const Contender& contender);
    /// Of copying the input to the device and back into the output.
    std::unique_ptr<Sampler> copy_sampler();

  private:
    struct Arrays {
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
    std::unique_ptr<Arrays> arrays_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
