#include "src/bench/sampling/cache_flush.h"

#include "simt/device.h"
#include "src/input/parallel_for.h"

#include <unistd.h>

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {

FlushSizes flush_sizes() {
    // A virtual machine may report no cache size. A cache of hundreds of megabytes is shared with
    // cores that are not this program's.
    constexpr std::size_t kLeast = std::size_t{64} << 20, kMost = std::size_t{256} << 20;
    const long cache = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return {.host = std::clamp(2 * static_cast<std::size_t>(std::max(cache, 0L)), kLeast, kMost),
            .device = 2 * simt::device_properties().l2_bytes};
}

void HostCacheFlush::run() {
    ++next_;
    parallel_for(memory_.size(), [this](std::size_t first, std::size_t last) {
        std::fill(memory_.data() + first, memory_.data() + last, next_);
    });
}

void L2Flush::enqueue(simt::stream_t stream) {
    simt::fill_async(memory_.data(), ++next_, memory_.size(), stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
