// Tells why a row takes its time, with the help of two programs that lie beside this one. Kernels
// that are instrumented and code that is timed cannot share an executable: of two equal functions
// the linker keeps one.
#pragma once

#include "src/explain/explanation.h"
#include "src/program/contenders.h"
#include "stream_compaction/registry.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction {

class Explainer {
  public:
    /// More elements take an emulated device too long.
    static constexpr std::size_t kMostCounted = std::size_t{1} << 16;

    /// Has measure_time tell what a launch and a byte cost, where the registry is of a GPU.
    /// @param shape    whose shape the counting device takes; nullptr: that of the registry's GPU
    /// @param programs the folder with count_accesses and measure_time
    /// @throws UsageError where there is no count_accesses
    Explainer(const Registry& registry, const simt::DeviceProfile* shape,
              const std::filesystem::path& programs);

    /// Has count_accesses call the row with the first elements of the input. One line.
    std::string line(const Contender& row, std::span<const int> input, Microseconds elapsed) const;

  private:
    std::filesystem::path programs_;
    std::string shape_;
    std::optional<DeviceCosts> costs_;
    std::string no_costs_;  ///< why they are not known
};

/// Where this program lies.
std::filesystem::path folder_of_programs();

}  // namespace stream_compaction
