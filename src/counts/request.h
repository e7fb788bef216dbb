// Converts the accesses of a warp's lanes by one instruction to memory requests.
#pragma once

#include "src/counts/counts.h"

#include <cstdint>
#include <span>

namespace stream_compaction {

/// Consecutive 4-byte words of shared memory are in consecutive banks.
inline constexpr unsigned kBanks = 32, kBankBytes = 4;

/// A request for `bytes` at each address: one address per active lane, in the lanes' order.
GlobalCounts global_request(std::span<const std::uintptr_t> addresses, unsigned bytes);

/// The hardware serves 128 bytes at a time: all lanes if each accesses up to 4 bytes, half a warp
/// for 8 bytes, a quarter for 16. Among the lanes that are served together, those that access
/// different words of a bank wait for each other; lanes that access the same word do not.
/// @param lanes mask of the lanes that the addresses belong to
SharedCounts shared_request(std::span<const std::uintptr_t> addresses, std::uint32_t lanes,
                            unsigned bytes);

AtomicCounts atomic_request(std::span<const std::uintptr_t> addresses);

}  // namespace stream_compaction
