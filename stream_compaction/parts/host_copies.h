// What a host function copies: its input up, its output down.
#pragma once

#include "simt/memory.h"

#include <cstddef>
#include <memory>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND {

class Pipeline;

/// Which arrays are staged, and by whom. 0: chosen from the machine.
struct StagingOptions {
    std::size_t least = std::size_t{1} << 25;  ///< elements; for fewer, threads and buffers would
                                               ///< cost about what they save
    unsigned threads = 0;                      ///< the caller among them; as streamed's
    std::size_t piece = 0;                     ///< elements that are copied at once
};

/// Copies at the speed of the bus: threads bring large arrays in pageable memory through pinned
/// buffers, which serve the way up and then the way down; parts/pipeline.h tells how. By default
/// the buffers take 4 bytes for each element at most. Small arrays, and those that are pinned
/// already, are copied as they are, and cost neither threads nor buffers.
class HostCopies {
  public:
    explicit HostCopies(const StagingOptions& staging = {});
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;
    ~HostCopies();

    /// Copies from.size() elements, after all work on the device, and waits until that is done.
    /// @throws simt::Error, std::system_error where the machine has no threads left
    void up(std::span<const int> from, simt::DeviceArray<int>& to);
    /// Copies the first to.size() elements, after all work on the device.
    /// @throws as up()
    void down(const simt::DeviceArray<int>& from, std::span<int> to);

  private:
    bool is_staged(std::span<const int> array) const;
    /// Makes the pipeline, where there is none.
    /// @return the elements of a piece of n
    std::size_t piece_for(std::size_t n);

    StagingOptions staging_;
    std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
