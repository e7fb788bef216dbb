// A number of elements in device memory that a test can set.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/device_size.h"

#include <cstddef>
#include <span>

namespace stream_compaction {

class SizeWord {
  public:
    explicit SizeWord(std::size_t n) { set(n); }

    /// Also resets the report that it was too large.
    void set(std::size_t n) {
        n_.copy_from(std::span<const std::size_t>(&n, 1));
        const unsigned no = 0;
        is_too_large_.copy_from(std::span<const unsigned>(&no, 1));
    }
    DeviceSize get() { return {n_.data(), is_too_large_.data()}; }
    bool is_too_large() const {
        unsigned word = 0;
        is_too_large_.copy_to(std::span<unsigned>(&word, 1));
        return word != 0;
    }

  private:
    simt::DeviceArray<std::size_t> n_{1};
    simt::DeviceArray<unsigned> is_too_large_{1};
};

}  // namespace stream_compaction
