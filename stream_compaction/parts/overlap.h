// Refuses overlapping arrays, where a call would read what it has already written, counts that are
// null or within an array, and a DeviceSize without n.
#pragma once

#include "stream_compaction/device_size.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace stream_compaction {

/// The addresses of n elements; none for a null pointer.
struct Addresses {
    template <class T>
    Addresses(const T* array, std::size_t n)
        : begin(reinterpret_cast<std::uintptr_t>(array)),
          end(array == nullptr ? begin : begin + n * sizeof(T)) {}

    std::uintptr_t begin, end;
};

/// @throws std::invalid_argument if the arrays have an element in common
inline void require_apart(const Addresses& a, const Addresses& b,
                          const std::string& allowed = "arrays that have no element in common") {
    const auto first = std::max(a.begin, b.begin);
    if (first >= std::min(a.end, b.end)) return;
    throw std::invalid_argument("two arrays of a call overlap: one begins " +
                                std::to_string(first - std::min(a.begin, b.begin)) +
                                " bytes after the other; allowed are " + allowed);
}

/// For a call that works in place.
/// @throws std::invalid_argument if the arrays overlap, unless they begin at the same address
inline void require_same_or_apart(const Addresses& in, const Addresses& out) {
    if (in.begin != out.begin)
        require_apart(in, out, "the same array, and arrays that have no element in common");
}

/// Called by every compaction, also for n = 0.
/// @throws std::invalid_argument if `count` is null or within one of the arrays
inline void require_count(const std::size_t* count, const Addresses& in, const Addresses& out) {
    if (count == nullptr)
        throw std::invalid_argument("the count of a compaction is a null pointer");
    require_apart(in, {count, 1}, "a count outside of the arrays");
    require_apart(out, {count, 1}, "a count outside of the arrays");
}

/// Called by every plan that is given one, also if the capacity is 0.
/// @throws std::invalid_argument if `size` names no word of device memory
inline void require_size_word(const DeviceSize& size) {
    if (size.n == nullptr) throw std::invalid_argument("the n of a DeviceSize is a null pointer");
}

/// For a sort of n keys with values that may be in place, for keys, for values and for both.
/// @param values_in, values_out null if there are none
/// @throws std::invalid_argument if an array that is written overlaps with another one
template <class Key, class Value>
void require_same_or_apart(const Key* keys_in, const Key* keys_out, const Value* values_in,
                           const Value* values_out, std::size_t n) {
    require_same_or_apart({keys_in, n}, {keys_out, n});
    require_same_or_apart({values_in, n}, {values_out, n});
    require_apart({keys_in, n}, {values_out, n});
    require_apart({values_in, n}, {keys_out, n});
    require_apart({keys_out, n}, {values_out, n});
}

}  // namespace stream_compaction
