// The numbers of 32-bit keys for which onesweep's blocks use certain tiles.
#pragma once

#include "simt/device.h"

#include <cstddef>

namespace stream_compaction {

/// The number of keys for which each thread of two blocks per multiprocessor has this many: up to
/// 20 and up to 32 are one tile per block (in a large shape), up to 48 are two.
inline std::size_t keys_of_threads(std::size_t keys_of_thread) {
    constexpr std::size_t kThreads = 512;
    return 2 * static_cast<std::size_t>(simt::device_properties().multiprocessors) * kThreads *
           keys_of_thread;
}

}  // namespace stream_compaction
