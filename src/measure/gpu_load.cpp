#include "src/measure/gpu_load.h"

namespace stream_compaction {

std::optional<unsigned> gpu_use_by_others(
    const std::function<std::optional<unsigned>()>& busy_percent,
    const std::function<void(double)>& pause) {
    constexpr unsigned kLittle = 5;  // a desktop that is not in use
    std::optional<unsigned> percent = busy_percent();
    if (percent >= kLittle) {
        pause(kBusySeconds);
        percent = busy_percent();
    }
    return percent >= kLittle ? percent : std::nullopt;
}

}  // namespace stream_compaction
