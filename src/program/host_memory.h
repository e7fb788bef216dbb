// How much memory the host has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stream_compaction {

/// "12.3 GiB"
std::string gibibytes(std::size_t bytes);

/// What Linux estimates that can be taken without swapping; the most a size_t holds where it does
/// not say.
/// @param file where Linux does
std::size_t available_host_bytes(const std::string& file = "/proc/meminfo");

/// @param option that gave n; empty: none did
/// @throws UsageError if the host has no memory for n elements
void require_host_memory(std::size_t n, std::size_t bytes_per_element, std::string_view option);

/// The most that a plan of the host takes for an element, measured as the process's peak: a
/// position, of 64 bits where 32 do not do, or what a sort puts aside. The buffers through which a
/// host function's arrays get to the device take half of that.
inline constexpr std::size_t kHostPlanBytes = sizeof(std::uint64_t);

}  // namespace stream_compaction
