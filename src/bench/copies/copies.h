// Several ways to copy device memory. The fastest one is the ceiling of every algorithm.
#pragma once

#include "simt/backend.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace stream_compaction::inline SIMT_BACKEND {

/// One way to copy. Arrays begin at multiples of 16 bytes and do not overlap.
struct Copy {
    std::string_view name;  ///< also in results files
    void (*enqueue)(void* out, const void* in, std::size_t bytes, simt::stream_t stream);
};

/// Those that the current device supports.
/// @throws simt::Error if the backend is unavailable
std::span<const Copy> copies();

/// Each thread copies 16 bytes. On an H200 this reaches cudaMemcpyAsync's bandwidth; more bytes per
/// thread, or caching hints, are slower.
void enqueue_vector_copy(void* out, const void* in, std::size_t bytes, simt::stream_t stream);

/// Each block loads a tile with one bulk copy, and its threads store 16 bytes each.
void enqueue_bulk_copy(void* out, const void* in, std::size_t bytes, simt::stream_t stream);

/// Whether the device, and the code that was compiled for it, have bulk copies.
bool has_bulk_copies();

}  // namespace stream_compaction::inline SIMT_BACKEND
