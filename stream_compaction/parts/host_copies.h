// The copies of a host function: its input to the device, its output back.
#pragma once

#include "simt/memory.h"

#include <cstddef>
#include <memory>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND {

class Pipeline;

/// Which arrays are staged, and by how many threads. 0: chosen for the machine.
struct StagingOptions {
    std::size_t least = std::size_t{1} << 25;  ///< minimum number of elements; for fewer, threads
                                               ///< and buffers would cost about as much as they
                                               ///< save
    unsigned threads = 0;                      ///< including the caller; see streamed.h
    std::size_t piece = 0;                     ///< elements that are copied at once
};

/// Copies at the speed of the bus: threads copy large pageable arrays through pinned buffers, which
/// serve both directions, one after the other; parts/pipeline.h explains how. By default the
/// buffers need at most 4 bytes per element. Small arrays and pinned arrays are copied directly,
/// without threads and buffers.
class HostCopies {
  public:
    explicit HostCopies(const StagingOptions& staging = {});
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;
    ~HostCopies();

    /// Copies from.size() elements after all work on the device, and waits until they have arrived.
    /// @throws simt::Error, std::system_error if the machine has no threads left
    void up(std::span<const int> from, simt::DeviceArray<int>& to);
    /// Copies the first to.size() elements, after all work on the device.
    /// @throws see up()
    void down(const simt::DeviceArray<int>& from, std::span<int> to);

  private:
    bool is_staged(std::span<const int> array) const;
    /// Creates the pipeline if it does not exist.
    /// @return piece size for n elements
    std::size_t piece_for(std::size_t n);

    StagingOptions staging_;
    std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
