// Calls of CUB: with the size type that a caller of CUB would use, first without memory.
#pragma once

#include "simt/cuda/check.h"
#include "simt/memory.h"
#include "stream_compaction/cub.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND::cub {

/// Calls f with n as an int if it fits: CUB's kernels for 32-bit sizes are faster than those for
/// 64-bit sizes.
template <class F>
cudaError_t with_size(std::size_t n, F f) {
    if (n <= static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return f(static_cast<int>(n));
    return f(static_cast<std::int64_t>(n));
}

/// CUB counts the tiles of an array in an int, and its smallest tiles have about a thousand
/// elements.
inline constexpr std::size_t kMostElements = std::size_t{1} << 40;

/// CUB's two-step protocol: a call without memory returns how much it needs.
/// @throws std::invalid_argument for more than kMostElements
template <class F>
std::size_t bytes_for(std::size_t n, F call) {
    if (n > kMostElements)
        throw std::invalid_argument("CUB accepts at most " + std::to_string(kMostElements) +
                                    " elements");
    std::size_t bytes = 0;
    simt::check(with_size(n, [&](auto size) { return call(nullptr, bytes, size); }));
    return bytes;
}

/// @throws std::invalid_argument
inline void require_compactable(std::size_t n) {
    if (n > kMostCompacted)
        throw std::invalid_argument("CUB compacts at most " + std::to_string(kMostCompacted) +
                                    " elements without writing out of bounds");
}

template <class F>
void call(simt::DeviceArray<std::byte>& workspace, std::size_t n, F f) {
    std::size_t bytes = workspace.size();
    simt::check(with_size(n, [&](auto size) { return f(workspace.data(), bytes, size); }));
}

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
