// CUDA threads in flight, and the queues that they wait in. Part of the executor; fiber.h explains
// how it is compiled.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/multiprocessor/fiber.h"

#include <array>
#include <cstdint>
#include <utility>

namespace simt::inline SIMT_BACKEND::detail {

class Multiprocessor;

/// One CUDA thread in flight; when the thread has ended, its fiber runs another one.
struct Fiber : Context {
    Fiber(Multiprocessor& owner, unsigned number);

    unsigned thread = 0;  // linear index within the block
    uint3 index{};
    Location waits_at{};
    bool waiting = false;
    unsigned steps = 0;                  // collectives and atomic operations since the last spin
    std::uint64_t awaited_arrivals = 0;  // at its cluster's barrier
    Fiber* next = nullptr;               // in the list of threads that wait at the same barrier
};

/// A ring of fibers that never allocates.
class FiberQueue {
  public:
    bool empty() const { return size_ == 0; }
    unsigned size() const { return size_; }
    void clear() { size_ = 0; }
    void push(Fiber* fiber) { at(size_++) = fiber; }
    Fiber* pop_back() { return at(--size_); }
    Fiber* pop_front() {
        Fiber* fiber = at(0);
        ++first_;
        --size_;
        return fiber;
    }
    Fiber* pop_at(unsigned i) {
        std::swap(at(0), at(i));
        return pop_front();
    }

  private:
    Fiber*& at(unsigned i) { return ring_[(first_ + i) % kMaxThreadsPerBlock]; }

    std::array<Fiber*, kMaxThreadsPerBlock> ring_;
    unsigned first_ = 0;
    unsigned size_ = 0;
};

}  // namespace simt::inline SIMT_BACKEND::detail
