#include "src/bench/copies/copies.h"

#include "simt/memory.h"

#include <array>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

void enqueue_memcpy(void* out, const void* in, std::size_t bytes, simt::stream_t stream) {
    simt::copy_async(out, in, bytes, stream);
}

constexpr std::array kCopies = {Copy{"memcpy", enqueue_memcpy},
                                Copy{"vectors", enqueue_vector_copy},
                                Copy{"bulk", enqueue_bulk_copy}};

}  // namespace

std::span<const Copy> copies() {
    return std::span(kCopies).first(has_bulk_copies() ? kCopies.size() : kCopies.size() - 1);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
