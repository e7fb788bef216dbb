// How many threads copy between the host and the device, and how large their pieces are.
#pragma once

#include "stream_compaction/grid.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace stream_compaction {

/// This many elements fill a few lines of 128 bytes; offsets on the device are multiples of it.
constexpr std::size_t kAligned = 64;

constexpr std::size_t round_up(std::size_t n) { return ceil_div(n, kAligned) * kAligned; }

/// The default number of threads, including the caller. Fifteen come close to the speed of pinned
/// arrays on PCIe 5. With few elements, waking the threads costs more time than they save.
inline unsigned usual_threads(std::size_t n) {
    constexpr unsigned kMostThreads = 16;
    constexpr std::size_t kWorthAThread = std::size_t{1} << 17;
    const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 2u, kMostThreads + 1);
    return static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(n, kWorthAThread), 1, cores - 1));
}

/// The default maximum of elements in a piece. Larger pieces leave the CPU's caches before they are
/// copied.
/// @param buffers number of buffers, each with room for a piece
inline std::size_t usual_piece(std::size_t buffers) {
    constexpr std::size_t kMostPiece = std::size_t{1} << 19;
    constexpr std::size_t kStagingShare = 16;  // maximum share of the host's memory
    const std::size_t host_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                   static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::clamp(host_bytes / kStagingShare / buffers / sizeof(int), kAligned, kMostPiece);
}

/// The piece size of a plan or a call: there are several pieces, so that some are copied down while
/// others are copied up, and each is large enough to be worth the driver's overhead.
inline std::size_t piece_for(std::size_t n, std::size_t most) {
    constexpr std::size_t kPieces = 4, kWorthACopy = std::size_t{1} << 16;
    const std::size_t wanted = round_up(ceil_div(n, kPieces));
    return std::min({most, std::max(wanted, kWorthACopy), std::max<std::size_t>(n, 1)});
}

/// The number of pieces in flight in each direction if there are as many: some are copied by
/// threads, some by the device, some are being processed.
constexpr std::size_t kMostBuffers = 16;

constexpr std::size_t buffers_for(std::size_t n, std::size_t piece) {
    return std::clamp<std::size_t>(ceil_div(n, piece), 1, kMostBuffers);
}

}  // namespace stream_compaction
