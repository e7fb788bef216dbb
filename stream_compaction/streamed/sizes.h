// How many threads copy, how large their pieces are, and how many pieces the device has room for.
#pragma once

#include "simt/device.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/streamed.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

/// So many elements fill a few lines of 128 bytes; places on the device are multiples of it.
constexpr std::size_t kAligned = 64;

constexpr std::size_t round_up(std::size_t n) { return ceil_div(n, kAligned) * kAligned; }

/// The limits, with the machine's values for what is not given. Eight threads a direction with
/// pieces of 4 MiB come within a third of what pinned arrays reach on PCIe 5; larger pieces leave
/// the CPU's caches before they are copied.
/// @throws simt::Error
inline Limits complete(Limits limits) {
    constexpr unsigned kMostThreads = 8;
    constexpr std::size_t kMostPiece = std::size_t{1} << 20;
    constexpr std::size_t kStagingShare = 16;  // of the host's memory, at most
    if (limits.threads == 0)
        limits.threads = std::clamp(std::thread::hardware_concurrency() / 2, 1u, kMostThreads);
    if (limits.piece == 0) {
        const std::size_t host_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t buffers = std::size_t{4} * limits.threads;
        limits.piece =
            std::clamp(host_bytes / kStagingShare / buffers / sizeof(int), kAligned, kMostPiece);
    }
    if (limits.max_device_bytes == 0) {  // less what is lost where memory comes in large pages
        const std::size_t free = simt::memory_info().free;
        limits.max_device_bytes = free - free / 32;
    }
    return limits;
}

/// Of a plan, or of a call: the elements of a piece, so that each thread has several, and each is
/// worth a copy.
/// @param limits complete
inline std::size_t piece_for(std::size_t n, const Limits& limits) {
    constexpr std::size_t kPiecesOfThread = 4, kWorthACopy = std::size_t{1} << 17;
    const std::size_t wanted = round_up(ceil_div(n, kPiecesOfThread * limits.threads));
    return std::min({limits.piece, std::max(wanted, kWorthACopy), std::max<std::size_t>(n, 1)});
}

/// Threads that have something to do, in each direction.
inline unsigned lanes_for(std::size_t n, std::size_t piece, const Limits& limits) {
    return static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(n, piece), 1, limits.threads));
}

/// Places on the device that pieces take in turn.
struct Ring {
    std::size_t piece;  ///< elements that a place has room for
    std::size_t slots;
};

/// With less, nothing works.
inline Ring least_ring(std::size_t n) {
    constexpr std::size_t kLeastPiece = 1024;
    const std::size_t piece = std::clamp<std::size_t>(n, 1, kLeastPiece);
    return {piece, std::clamp<std::size_t>(ceil_div(n, piece), 1, 2)};
}

/// Two slots for each thread, or as much of that as there is memory for.
/// @param limits complete
/// @param bytes  of the device, that a ring takes
template <class Bytes>
Ring ring_for(std::size_t n, const Limits& limits, Bytes bytes) {
    const auto with = [&](std::size_t piece) {
        return Ring{
            piece, std::clamp<std::size_t>(ceil_div(n, piece), 1, 2 * lanes_for(n, piece, limits))};
    };
    const Ring least = least_ring(n);
    Ring ring = with(piece_for(n, limits));
    while (bytes(ring) > limits.max_device_bytes && ring.piece > least.piece)
        ring = with(std::max(ring.piece / 2, least.piece));
    while (bytes(ring) > limits.max_device_bytes && ring.slots > least.slots) --ring.slots;
    return ring;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
