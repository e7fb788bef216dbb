// Several arrays in one allocation.
#pragma once

#include "simt/checked_size.h"
#include "stream_compaction/grid.h"

#include <cstddef>

namespace stream_compaction {

/// Divides one allocation into arrays. Without an allocation it only computes the size they need.
class Arrays {
  public:
    static constexpr std::size_t kAlignment = 256;  ///< in bytes, of each array

    explicit Arrays(std::byte* memory) : memory_(memory) {}

    /// @throws simt::OutOfMemory
    template <class T>
    T* take(std::size_t size) {
        T* const array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
        const std::size_t bytes = simt::checked_product(size, sizeof(T));
        bytes_ = simt::checked_sum(bytes_,
                                   simt::checked_product(ceil_div(bytes, kAlignment), kAlignment));
        return array;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::byte* memory_;
    std::size_t bytes_ = 0;
};

}  // namespace stream_compaction
