#include "src/bench/sampling/host_clock.h"

#include <chrono>

namespace stream_compaction {

double host_clock_us() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(now).count();
}

}  // namespace stream_compaction
