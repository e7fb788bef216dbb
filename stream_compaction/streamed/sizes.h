// What a plan takes of the machine, and how many pieces the device has room for.
#pragma once

#include "simt/device.h"
#include "stream_compaction/parts/pieces.h"
#include "stream_compaction/streamed.h"

#include <algorithm>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

/// The limits, with the machine's values for what is not given.
/// @throws simt::Error
inline Limits complete(Limits limits, std::size_t n) {
    if (limits.threads == 0) limits.threads = usual_threads(n);
    if (limits.piece == 0) limits.piece = usual_piece(2 * kMostBuffers);
    if (limits.max_device_bytes == 0) {  // less what is lost where memory comes in large pages
        const std::size_t free = simt::memory_info().free;
        limits.max_device_bytes = free - free / 32;
    }
    return limits;
}

/// @param limits complete, here and below
inline std::size_t piece_for(std::size_t n, const Limits& limits) {
    return stream_compaction::piece_for(n, limits.piece);
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

/// A slot for each buffer, or as much of that as there is memory for.
/// @param bytes  of the device, that a ring takes
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
