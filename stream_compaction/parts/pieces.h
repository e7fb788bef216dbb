// How many threads copy between the host and the device, and how large their pieces are.
#pragma once

#include "stream_compaction/grid.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace stream_compaction {

/// So many elements fill a few lines of 128 bytes; places on the device are multiples of it.
constexpr std::size_t kAligned = 64;

constexpr std::size_t round_up(std::size_t n) { return ceil_div(n, kAligned) * kAligned; }

/// The caller among them. Fifteen come close to what pinned arrays reach on PCIe 5; for few
/// elements, waking them takes longer than they save.
inline unsigned usual_threads(std::size_t n) {
    constexpr unsigned kMostThreads = 16;
    constexpr std::size_t kWorthAThread = std::size_t{1} << 17;
    const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 2u, kMostThreads + 1);
    return static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(n, kWorthAThread), 1, cores - 1));
}

/// The most elements of a piece. Larger ones leave the CPU's caches before they are copied.
/// @param buffers that there are, each with room for a piece
inline std::size_t usual_piece(std::size_t buffers) {
    constexpr std::size_t kMostPiece = std::size_t{1} << 19;
    constexpr std::size_t kStagingShare = 16;  // of the host's memory, at most
    const std::size_t host_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                   static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::clamp(host_bytes / kStagingShare / buffers / sizeof(int), kAligned, kMostPiece);
}

/// Of a plan, or of a call: the elements of a piece, so that one comes down while another goes up,
/// and each is worth what the driver takes for it.
inline std::size_t piece_for(std::size_t n, std::size_t most) {
    constexpr std::size_t kPieces = 4, kWorthACopy = std::size_t{1} << 16;
    const std::size_t wanted = round_up(ceil_div(n, kPieces));
    return std::min({most, std::max(wanted, kWorthACopy), std::max<std::size_t>(n, 1)});
}

/// So many pieces are on their way at once, each way, if there are as many: some are copied by
/// threads, some by the device, some are worked on.
constexpr std::size_t kMostBuffers = 16;

constexpr std::size_t buffers_for(std::size_t n, std::size_t piece) {
    return std::clamp<std::size_t>(ceil_div(n, piece), 1, kMostBuffers);
}

}  // namespace stream_compaction
