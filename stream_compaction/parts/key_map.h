// Maps keys of any order to unsigned numbers in the same order, and back.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/key_order.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// KeyMap{} is the identity.
template <class Bits>
struct KeyMap {
    Bits flip_negative, flip_positive;  ///< bits to flip, depending on the key's highest bit
    Bits base;                          ///< subtracted afterwards

    KeyMap() = default;
    explicit KeyMap(KeyOrder order)
        : flip_negative(order.is_floating ? ~Bits{0}
                        : order.is_signed ? kSign
                                          : 0),
          flip_positive(order.is_signed ? kSign : 0),
          base(0) {
        if (order.is_descending) flip_negative = ~flip_negative, flip_positive = ~flip_positive;
    }

    static __device__ bool is_high(Bits x) { return x >> (8 * sizeof(Bits) - 1) != 0; }
    __device__ Bits number(Bits key) const {
        return (key ^ (is_high(key) ? flip_negative : flip_positive)) - base;
    }
    /// Both masks flip the highest bit, or neither does.
    __device__ Bits key(Bits number) const {
        number += base;
        return number ^ (is_high(number ^ flip_positive) ? flip_negative : flip_positive);
    }

  private:
    static constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
};

}  // namespace stream_compaction::inline SIMT_BACKEND
