// Device memory that other ranks may hold longer than the plan that allocated it.
#pragma once

#include "simt/memory.h"

#include <cstddef>
#include <memory>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// @throws simt::Error
template <class T>
std::shared_ptr<void> shareable(std::size_t size) {
    const std::size_t bytes = size * sizeof(T);
    return {simt::allocate(bytes), [bytes](void* memory) { simt::release(memory, bytes); }};
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
