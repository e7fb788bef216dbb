// A plan's promise: it serves every n up to the one it was made for.
#pragma once

#include "simt/checked_size.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace stream_compaction {

/// The largest n that a plan serves. Whoever is moved from serves none, not even 0.
class Capacity {
  public:
    /// @throws simt::OutOfMemory where no memory holds n ints
    explicit Capacity(std::size_t n) : n_(n) { (void)simt::checked_product(n, sizeof(int)); }

    Capacity(const Capacity&) = default;
    Capacity& operator=(const Capacity&) = default;
    Capacity(Capacity&& other) noexcept
        : n_(other.n_), has_moved_(std::exchange(other.has_moved_, true)) {}
    Capacity& operator=(Capacity&& other) noexcept {
        n_ = other.n_;
        has_moved_ = std::exchange(other.has_moved_, true);
        return *this;
    }
    ~Capacity() = default;

    operator std::size_t() const { return n_; }
    bool has_moved() const { return has_moved_; }

  private:
    std::size_t n_;
    bool has_moved_ = false;
};

/// @throws std::invalid_argument where n is more than the plan's capacity, std::logic_error where
///         the plan was moved from
inline void require_capacity(const Capacity& capacity, std::size_t n) {
    if (capacity.has_moved()) throw std::logic_error("the plan was moved from");
    if (n > capacity)
        throw std::invalid_argument("a plan for " + std::to_string(capacity) +
                                    " elements cannot take " + std::to_string(n));
}

}  // namespace stream_compaction
