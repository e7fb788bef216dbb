// Messages about wrong outputs, which all checks share.
#pragma once

#include "src/input/input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace stream_compaction {

constexpr std::uint64_t hash_of_key(int key) {
    return mix(0x9e3779b97f4a7c15u + static_cast<std::uint32_t>(key));
}

/// The number of integers, and the sum and the exclusive or of their hashes. For different
/// multisets they are different, except with a probability of 2^-64.
struct Multiset {
    std::uint64_t count = 0, sum = 0, exclusive_or = 0;
    bool operator==(const Multiset&) const = default;
};

inline constexpr int kLargestKey = std::numeric_limits<int>::max();

/// The smallest key with predicate(key), which must also hold for all larger keys.
template <class Predicate>
int smallest_key(Predicate predicate) {
    std::int64_t first = std::numeric_limits<int>::min(), last = kLargestKey;
    while (first < last) {
        const std::int64_t middle = first + (last - first) / 2;
        if (predicate(static_cast<int>(middle)))
            last = middle;
        else
            first = middle + 1;
    }
    return static_cast<int>(first);
}

struct WrongKey {
    std::size_t i;  ///< index in the output
    int expected;
};

/// The first element of a sort that is wrong. All elements up to the smallest key whose number
/// differs from that in the input are correct.
/// @param input_up_to  the Multiset of the input's keys up to a key
/// @param output_up_to the same for the output's keys in its ascending beginning; it differs from
///                     the input's
template <class F, class G>
WrongKey first_wrong_key(F input_up_to, G output_up_to) {
    const int key = smallest_key([&](int last) { return input_up_to(last) != output_up_to(last); });
    const std::uint64_t i = std::min(input_up_to(key).count, output_up_to(key).count);
    return {i, smallest_key([&](int last) { return input_up_to(last).count > i; })};
}

inline std::string wrong_element(std::size_t i, int expected, int got) {
    return "index " + std::to_string(i) + ": expected " + std::to_string(expected) + ", got " +
           std::to_string(got);
}

inline std::string wrong_count(std::size_t expected, std::size_t got) {
    return "expected a count of " + std::to_string(expected) + ", got " + std::to_string(got);
}

inline std::string written_past_the_end(std::size_t i, int got) {
    return "index " + std::to_string(i) + ": " + std::to_string(got) +
           " was written past the end of the output";
}

}  // namespace stream_compaction
