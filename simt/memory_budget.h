// How much device memory the process has allocated, and its limit.
#pragma once

#include "simt/device.h"
#include "simt/error.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <source_location>
#include <string>

namespace simt::inline SIMT_BACKEND::detail {

/// Counts allocated bytes. Any thread may call it.
class MemoryBudget {
  public:
    /// @throws OutOfMemory if the limit would be exceeded
    void take(std::size_t bytes, std::source_location where) {
        std::size_t held = held_;
        do {
            if (held > limit_ || bytes > limit_ - held)
                throw OutOfMemory(std::to_string(bytes) + " bytes, with " + std::to_string(held) +
                                      " of at most " + std::to_string(limit_) + " bytes held",
                                  where);
        } while (!held_.compare_exchange_weak(held, held + bytes));
    }
    void give_back(std::size_t bytes) { held_ -= bytes; }

    std::size_t held() const { return held_; }
    void limit(std::size_t bytes) { limit_ = bytes; }

    /// The device's memory, reduced to the limit.
    MemoryInfo within_limit(const MemoryInfo& device) const {
        const std::size_t held = held_, limit = limit_;
        return {.free = std::min(device.free, limit - std::min(held, limit)),
                .total = std::min(device.total, limit)};
    }

  private:
    std::atomic<std::size_t> held_ = 0;
    std::atomic<std::size_t> limit_ = std::numeric_limits<std::size_t>::max();
};

inline constinit MemoryBudget memory_budget;

}  // namespace simt::inline SIMT_BACKEND::detail
