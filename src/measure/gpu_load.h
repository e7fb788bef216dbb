// Whether other programs use the GPU that is measured.
#pragma once

#include <functional>
#include <optional>

namespace stream_compaction {

/// How long a GPU is called busy after its last kernel, at most.
inline constexpr double kBusySeconds = 1.2;

/// The percentage of time that other programs' kernels run, or nothing if it is less than 5 or not
/// known. This program must not have launched a kernel yet. If the GPU is busy, it is asked again
/// after a pause, because a program that has just ended still counts.
/// @param busy_percent see Nvml
/// @param pause        waits for the given number of seconds
std::optional<unsigned> gpu_use_by_others(
    const std::function<std::optional<unsigned>()>& busy_percent,
    const std::function<void(double)>& pause);

}  // namespace stream_compaction
