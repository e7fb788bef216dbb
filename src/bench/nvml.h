// NVIDIA's management library. It is loaded when the program runs, since it comes with the driver.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace stream_compaction {

/// What the library does not tell, and why, in one line.
class NvmlError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What it knows of one device.
class Nvml {
  public:
    /// @param bus     the device's place on the PCI bus: this library and CUDA count differently
    /// @param library the file
    /// @throws NvmlError where the library, the device or what every driver has is missing
    explicit Nvml(const std::string& bus, const std::string& library = "libnvidia-ml.so.1");
    ~Nvml();

    std::optional<std::string> driver_version() const;

    /// Whether the device is slowed down by heat, or does not say how fast its clock is.
    bool is_throttled() const;

    /// What the device has consumed since its driver was loaded. It counts on every 20 to 100 ms.
    /// @throws NvmlError where it does not say
    double millijoules() const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace stream_compaction
