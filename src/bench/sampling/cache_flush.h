// Makes caches cold by overwriting their content.
#pragma once

#include "simt/backend.h"
#include "simt/memory.h"

#include <cstddef>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// Bytes that must be written to overwrite the caches.
struct FlushSizes {
    std::size_t host = 0;
    std::size_t device = 0;
};

/// Twice the size of this machine's caches.
/// @throws simt::Error if the backend is unavailable
FlushSizes flush_sizes();

/// Overwrites the host's caches, including those of each core: all cores write.
class HostCacheFlush {
  public:
    explicit HostCacheFlush(std::size_t bytes) : memory_(bytes) {}
    void run();

  private:
    std::vector<char> memory_;
    char next_ = 0;
};

/// Overwrites the device's L2.
class L2Flush {
  public:
    /// @throws simt::OutOfMemory
    explicit L2Flush(std::size_t bytes) : memory_(bytes) {}
    void enqueue(simt::stream_t stream);

  private:
    simt::DeviceArray<char> memory_;
    unsigned char next_ = 0;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
