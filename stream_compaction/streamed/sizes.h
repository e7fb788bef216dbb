// The resources that a plan uses, and how many pieces fit on the device.
#pragma once

#include "simt/device.h"
#include "stream_compaction/parts/pieces.h"
#include "stream_compaction/streamed.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

/// The limits, with the machine's values for those that are 0.
/// @throws std::invalid_argument for too many threads, simt::Error
inline Limits complete(Limits limits, std::size_t n) {
    constexpr unsigned kMostThreads = 1024;
    if (limits.threads > kMostThreads)
        throw std::invalid_argument("streamed::Limits::threads: given " +
                                    std::to_string(limits.threads) + ", allowed are at most " +
                                    std::to_string(kMostThreads));
    if (limits.threads == 0) limits.threads = usual_threads(n);
    if (limits.piece == 0) limits.piece = usual_piece(2 * kMostBuffers);
    if (limits.max_device_bytes == 0) {  // minus the loss to large memory pages
        const std::size_t free = simt::memory_info().free;
        limits.max_device_bytes = free - free / 32;
    }
    return limits;
}

/// @param limits as returned by complete(), here and below
inline std::size_t piece_for(std::size_t n, const Limits& limits) {
    return stream_compaction::piece_for(n, limits.piece);
}

/// Slots on the device that pieces use in turn.
struct Ring {
    std::size_t piece;  ///< elements that fit in a slot
    std::size_t slots;
};

/// The smallest ring that works.
inline Ring least_ring(std::size_t n) {
    constexpr std::size_t kLeastPiece = 1024;
    const std::size_t piece = std::clamp<std::size_t>(n, 1, kLeastPiece);
    return {piece, std::clamp<std::size_t>(ceil_div(n, piece), 1, 2)};
}

/// The largest ring that fits in the memory, with at most one slot per buffer.
/// @param bytes device memory that a ring needs
template <class Bytes>
Ring ring_for(std::size_t n, const Limits& limits, Bytes bytes) {
    const auto with = [&](std::size_t piece) { return Ring{piece, buffers_for(n, piece)}; };
    const Ring least = least_ring(n);
    Ring ring = with(piece_for(n, limits));
    while (bytes(ring) > limits.max_device_bytes && ring.piece > least.piece)
        ring = with(std::max(ring.piece / 2, least.piece));
    while (bytes(ring) > limits.max_device_bytes && ring.slots > least.slots) --ring.slots;
    return ring;
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
