// What NVIDIA's management library knows of the GPU; without it nothing is known.
#pragma once

#include "simt/backend.h"
#include "src/bench/nvml.h"

#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// The current device.
class GpuState {
  public:
    GpuState();

    std::optional<std::string> driver_version() const;

    /// Whether the GPU is slowed down by heat, or does not say how fast its clock is. Where nothing
    /// is known: false.
    bool is_throttled() const;

    /// As Nvml has it.
    /// @throws NvmlError
    double millijoules() const;

  private:
    std::optional<Nvml> nvml_;
    std::string unknown_;  ///< why there is none
};

}  // namespace stream_compaction::inline SIMT_BACKEND
