// Two words, one after the other.
#pragma once

#include "simt/emulated/atomics.h"

#include <cstdint>

namespace simt::inline SIMT_BACKEND {

/// Two words, 16-byte aligned in device memory. Each is atomic by itself. Only what depends on a
/// loaded word is sure to happen after that was stored. (C++ knows no such order: here all does.)
class DeviceAtomicPair {
  public:
    explicit DeviceAtomicPair(std::uint64_t* words) : words_(words) {}

    void load(std::uint64_t (&words)[2]) const {
        for (int w = 0; w < 2; ++w)
            words[w] = DeviceAtomic<std::uint64_t>(words_[w]).load(memory_order_acquire);
    }
    void store(const std::uint64_t (&words)[2]) const {
        for (int w = 0; w < 2; ++w)
            DeviceAtomic<std::uint64_t>(words_[w]).store(words[w], memory_order_release);
    }

  private:
    std::uint64_t* words_;
};

}  // namespace simt::inline SIMT_BACKEND
