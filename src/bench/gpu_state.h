// The state of the GPU, from NVIDIA's management library; without the library, nothing is known.
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

    GpuClock clock() const;

    /// See Nvml.
    std::optional<unsigned> busy_percent() const;

    /// See Nvml.
    /// @throws NvmlError
    double millijoules() const;

  private:
    std::optional<Nvml> nvml_;
    std::string unknown_;  ///< why there is no library
};

}  // namespace stream_compaction::inline SIMT_BACKEND
