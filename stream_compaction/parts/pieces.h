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

/// In each direction. Eight with pieces of 4 MiB come within a third of what pinned arrays reach on
/// PCIe 5.
inline unsigned usual_threads() {
    constexpr unsigned kMostThreads = 8;
    return std::clamp(std::thread::hardware_concurrency() / 2, 1u, kMostThreads);
}

/// The most elements of a piece. Larger ones leave the CPU's caches before they are copied.
/// @param buffers that have room for a piece
inline std::size_t usual_piece(std::size_t buffers) {
    constexpr std::size_t kMostPiece = std::size_t{1} << 20;
    constexpr std::size_t kStagingShare = 16;  // of the host's memory, at most
    const std::size_t host_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                   static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::clamp(host_bytes / kStagingShare / buffers / sizeof(int), kAligned, kMostPiece);
}

/// Of a plan, or of a call: the elements of a piece, so that each thread has several, and each is
/// worth a copy.
inline std::size_t piece_for(std::size_t n, unsigned threads, std::size_t most) {
    constexpr std::size_t kPiecesOfThread = 4, kWorthACopy = std::size_t{1} << 17;
    const std::size_t wanted = round_up(ceil_div(n, kPiecesOfThread * threads));
    return std::min({most, std::max(wanted, kWorthACopy), std::max<std::size_t>(n, 1)});
}

/// Threads that have something to do, in each direction.
inline unsigned lanes_for(std::size_t n, std::size_t piece, unsigned threads) {
    return static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(n, piece), 1, threads));
}

}  // namespace stream_compaction
