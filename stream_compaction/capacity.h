// What every plan promises, and what it requires of its caller.
//
// Sizes: a plan serves every n up to the one it was made for. workspace_bytes(n) throws if no plan
// can be made for n.
//
// Arrays: if a plan works in place, `out` may be `in`; otherwise the two must not have an element
// in common. Each array has n elements, including the output of a compaction. enqueue refuses other
// overlaps with std::invalid_argument, except if only the device knows n. The address of a
// compaction's count must not be null, also for n = 0: std::invalid_argument.
//
// Workspace: its content must survive between calls, because a call relies on what the previous one
// has left there (counters that are zero, the number of the call). A workspace belongs to one plan,
// and a plan runs one call at a time.
//
// fork(): on the emulated backend a child may use its parent's plans and make new ones, if no other
// thread was calling the library during fork(). Only cpu_parallel throws in a child whose parent
// has used it. CUDA does not work in a child of a process that has used it.
//
// Static objects: on the emulated backend plans and arrays may be static objects, and destructors
// of static objects may call host functions. CUDA may refuse both.
#pragma once

#include "simt/error.h"

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace stream_compaction {

/// The largest n of any plan: no process can address more bytes today. Up to 128 bytes per element,
/// sizes do not overflow.
inline constexpr std::size_t kLargestSize = std::size_t{1} << 56;

/// Called by every plan, and by its workspace_bytes.
/// @throws simt::OutOfMemory if n is more than kLargestSize
inline void require_size(std::size_t n) {
    if (n > kLargestSize)
        throw simt::OutOfMemory(std::to_string(n) + " elements do not fit in any memory");
}

/// The largest n that a plan accepts. A moved-from plan accepts no n, not even 0.
class Capacity {
  public:
    /// @throws simt::OutOfMemory as require_size
    explicit Capacity(std::size_t n) : n_(n) { require_size(n); }

    Capacity(const Capacity&) = default;
    Capacity& operator=(const Capacity&) = default;
    Capacity(Capacity&& other) noexcept
        : n_(other.n_), has_moved_(std::exchange(other.has_moved_, true)) {}
    /// A plan that is moved to itself has been moved from: its other members may be lost.
    Capacity& operator=(Capacity&& other) noexcept {
        n_ = other.n_;
        has_moved_ = other.has_moved_;
        other.has_moved_ = true;
        return *this;
    }
    ~Capacity() = default;

    operator std::size_t() const { return n_; }
    bool has_moved() const { return has_moved_; }

  private:
    std::size_t n_;
    bool has_moved_ = false;
};

/// @throws std::invalid_argument if n exceeds the plan's capacity, std::logic_error if the plan was
///         moved from
inline void require_capacity(const Capacity& capacity, std::size_t n) {
    if (capacity.has_moved()) throw std::logic_error("the plan was moved from");
    if (n > capacity)
        throw std::invalid_argument("a plan for " + std::to_string(capacity) +
                                    " elements was given " + std::to_string(n));
}

/// @throws std::invalid_argument if an Index cannot number n elements
template <class Index>
void require_indices_fit(std::size_t n) {
    if (n > 0 && n - 1 > std::numeric_limits<Index>::max())
        throw std::invalid_argument(std::to_string(n) + " indices do not fit into values of " +
                                    std::to_string(8 * sizeof(Index)) + " bits");
}

}  // namespace stream_compaction
