// Explains what limits a row's speed, with the help of two other programs in the same folder.
// Instrumented kernels and timed code cannot be in the same executable, because the linker keeps
// only one of two equal functions.
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
    /// With more elements, the emulated device takes too long.
    static constexpr std::size_t kMostCounted = std::size_t{1} << 16;

    /// Measures the costs of a launch and of a byte with measure_time, if the registry's device is
    /// a GPU.
    /// @param profile  of the counting device; nullptr: that of the registry's GPU
    /// @param programs folder of count_accesses and measure_time
    /// @throws UsageError if there is no count_accesses
    Explainer(const Registry& registry, const simt::DeviceProfile* profile,
              const std::filesystem::path& programs);

    /// Runs count_accesses for the row with the first elements of the input. Returns one line.
    std::string line(const Contender& row, std::span<const int> input, Microseconds elapsed) const;

  private:
    std::filesystem::path programs_;
    std::string profile_;
    std::optional<DeviceCosts> costs_;
    std::string no_costs_;  ///< why they are unknown
};

/// The folder of this program.
std::filesystem::path folder_of_programs();

}  // namespace stream_compaction
