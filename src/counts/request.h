// What the accesses of a warp's lanes by one instruction are to the memory.
#pragma once

#include "src/counts/counts.h"

#include <cstdint>
#include <span>

namespace stream_compaction {

/// Shared memory: consecutive words of 4 bytes lie in consecutive banks.
inline constexpr unsigned kBanks = 32, kBankBytes = 4;

/// A request for `bytes` at each address, one address for each active lane, in the lanes' order.
GlobalCounts global_request(std::span<const std::uintptr_t> addresses, unsigned bytes);

/// The hardware serves 128 bytes at once: all lanes where each wants up to 4 bytes, half a warp
/// where 8, a quarter where 16. Of those it serves together, the lanes that want different words of
/// a bank wait for each other; those that want the same word do not.
/// @param lanes which lanes the addresses belong to
SharedCounts shared_request(std::span<const std::uintptr_t> addresses, std::uint32_t lanes,
                            unsigned bytes);

AtomicCounts atomic_request(std::span<const std::uintptr_t> addresses);

}  // namespace stream_compaction
