// NVIDIA's management library. It is loaded at run time, because it comes with the driver.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace stream_compaction {

/// The library could not report something; the message says why, in one line.
class NvmlError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// How fast the device runs at the moment.
struct GpuClock {
    double megahertz = 0;       ///< of the multiprocessors; 0: not known
    bool is_throttled = false;  ///< by heat, or the device does not report its clock
};

/// The library's information about one device.
class Nvml {
  public:
    /// @param bus     PCI bus id of the device, because this library and CUDA number devices
    ///                differently
    /// @param library the file to load
    /// @throws NvmlError if the library, the device or a function that every driver has is missing
    explicit Nvml(const std::string& bus, const std::string& library = "libnvidia-ml.so.1");
    ~Nvml();

    std::optional<std::string> driver_version() const;

    GpuClock clock() const;

    /// The percentage of the last 0.2 to 1 s in which a kernel of any program ran, or nothing if
    /// it is not reported.
    std::optional<unsigned> busy_percent() const;

    /// Energy that the device has consumed since its driver was loaded. Updated every 20 to 100 ms.
    /// @throws NvmlError if it is not reported
    double millijoules() const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace stream_compaction
