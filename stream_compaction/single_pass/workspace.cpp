#include "stream_compaction/grid.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/single_pass.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

/// Tiles of less than 32 KB are used only if there are at most as many as multiprocessors.
constexpr std::size_t kTileBytes = 32 * 1024, kMostMultiprocessors = 1024;

std::size_t words(std::size_t n, std::size_t element_bytes, std::size_t aggregate_bytes) {
    const std::size_t tiles = ceil_div(n, kTileBytes / std::max<std::size_t>(element_bytes, 4));
    return Workspace::kWordsOfLine + std::max(tiles, kMostMultiprocessors) * (aggregate_bytes / 4);
}

}  // namespace

Workspace::Workspace(std::size_t n, std::size_t element_bytes, std::size_t aggregate_bytes,
                     std::span<std::byte> memory)
    : capacity_(n),
      loan_(memory, bytes(n, element_bytes, aggregate_bytes)),
      words_(PlanMemory(memory, bytes(n, element_bytes, aggregate_bytes))
                 .take<std::uint64_t>(words(n, element_bytes, aggregate_bytes))) {
    simt::fill_async(words_.data(), 0, words_.size() * sizeof(std::uint64_t));
    simt::synchronize();
}

std::size_t Workspace::bytes(std::size_t n, std::size_t element_bytes,
                             std::size_t aggregate_bytes) {
    require_size(n);
    return words(n, element_bytes, aggregate_bytes) * sizeof(std::uint64_t);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
