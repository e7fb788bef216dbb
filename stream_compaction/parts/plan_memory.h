// The memory of a plan's arrays: separate allocations, or parts of memory that the caller gives.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/parts/arrays.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

class PlanMemory {
  public:
    /// @param given empty: the plan allocates its own
    /// @param bytes total size that the plan will use
    /// @throws std::invalid_argument if `given` is smaller, or its start is not aligned
    PlanMemory(std::span<std::byte> given, std::size_t bytes) : given_(given.data()) {
        if (given.data() == nullptr) return;
        if (given.size() < bytes)
            throw std::invalid_argument("a plan that needs " + std::to_string(bytes) +
                                        " bytes was given " + std::to_string(given.size()));
        if (reinterpret_cast<std::uintptr_t>(given.data()) % Arrays::kAlignment != 0)
            throw std::invalid_argument("a plan's memory must begin at a multiple of " +
                                        std::to_string(Arrays::kAlignment) + " bytes");
    }

    /// @throws simt::Error
    template <class T>
    simt::DeviceArray<T> take(std::size_t size) {
        T* const given = given_.take<T>(size);
        return given == nullptr ? simt::DeviceArray<T>(size)
                                : simt::DeviceArray<T>::borrowed(given, size);
    }

  private:
    Arrays given_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
