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

    /// Whether the GPU is throttled by heat, or does not report its clock. false if nothing is
    /// known.
    bool is_throttled() const;

    /// See Nvml.
    /// @throws NvmlError
    double millijoules() const;

  private:
    std::optional<Nvml> nvml_;
    std::string unknown_;  ///< why there is no library
};

}  // namespace stream_compaction::inline SIMT_BACKEND
