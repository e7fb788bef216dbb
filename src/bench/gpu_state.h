// What NVIDIA's management library knows of the GPU. It is loaded when the program runs, since it
// comes with the driver; without it nothing is known.
#pragma once

#include "simt/backend.h"

#include <memory>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// The current device.
class GpuState {
  public:
    GpuState();
    ~GpuState();

    std::optional<std::string> driver_version() const;

    /// Whether the GPU is slowed down by heat, or does not say how fast its clock is. Where nothing
    /// is known: false.
    bool is_throttled() const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
