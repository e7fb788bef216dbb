// How much memory the host has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stream_compaction {

/// "12.34 GiB", "1.50 KiB" or "7 bytes"
std::string with_unit(std::size_t bytes);

/// Linux's estimate of the memory that can be allocated without swapping; the largest size_t if
/// Linux does not report it.
/// @param file where Linux reports it
std::size_t available_host_bytes(const std::string& file = "/proc/meminfo");

/// @param option the option that gave n; empty: no option
/// @param given  its value if that is not n
/// @throws UsageError if the host has no memory for n elements
void require_host_memory(std::size_t n, std::size_t bytes_per_element, std::string_view option,
                         std::string_view given = {});

/// The largest memory of a host plan per element, measured as the process's peak: an index (64 bits
/// if 32 are not enough), or the temporary memory of a sort. The buffers through which a host
/// function copies its arrays need half of that.
inline constexpr std::size_t kHostPlanBytes = sizeof(std::uint64_t);

}  // namespace stream_compaction
