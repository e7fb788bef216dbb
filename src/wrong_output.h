// What is said about an output that is not right, wherever it was checked.
#pragma once

#include "src/input.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace stream_compaction {

/// Two multisets of integers are equal when the sum and the exclusive or of these are, but for odds
/// of 2^-64.
constexpr std::uint64_t hash_of_key(int key) {
    return mix(0x9e3779b97f4a7c15u + static_cast<std::uint32_t>(key));
}

inline constexpr char kOtherIntegers[] = "ascending, but not the integers of the input";

inline std::string wrong_element(std::size_t i, int expected, int got) {
    return "index " + std::to_string(i) + ": expected " + std::to_string(expected) + ", got " +
           std::to_string(got);
}

inline std::string wrong_count(std::size_t expected, std::size_t got) {
    return "expected a count of " + std::to_string(expected) + ", got " + std::to_string(got);
}

inline std::string descent(std::size_t i, int before, int got) {
    return "index " + std::to_string(i) + ": got " + std::to_string(got) + " after " +
           std::to_string(before);
}

inline std::string written_past_the_end(std::size_t i, int got) {
    return "index " + std::to_string(i) + ": " + std::to_string(got) +
           " was written past the end of the output";
}

}  // namespace stream_compaction
