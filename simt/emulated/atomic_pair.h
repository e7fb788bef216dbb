// Two words, one after the other.
#pragma once

#include "simt/emulated/atomics.h"

#include <cstdint>

namespace simt::inline SIMT_BACKEND {

/// Two words, aligned to 16 bytes, in device memory. Each word is atomic by itself. The only
/// guaranteed order: operations that depend on a loaded word happen after that word was stored.
/// (C++ cannot express this order, so everything after the load is ordered here.)
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
