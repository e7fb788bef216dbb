// What the rows of the registry do to ints, done to other types, with other operators and
// predicates. A variant says what is to be done; its rows, in Registry::variants, who can do it.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stream_compaction {

/// Inputs and outputs are arrays of int to the rows' plans, with the elements' bytes in them. Where
/// an element has two parts, a key and a value, or a kept and a rejected one, the parts are two
/// arrays of n, one behind the other, the wider one first.
struct Variant {
    Operation operation;
    std::string_view name;  ///< unique in its operation
    std::size_t in_bytes;   ///< of an element, with all its parts
    std::size_t out_bytes;

    /// What the best possible algorithm reads and writes; nullptr for sorts, of which nobody knows.
    std::size_t (*bytes_moved)(std::size_t n, std::size_t count);

    /// Makes an input: each element follows from the int in its place, and is zero where that is.
    void (*store)(std::span<const int> source, std::byte* in);

    /// Looks at all of an output, which had kUnwritten in every byte before it was written.
    /// Nothing: it is right.
    std::optional<std::string> (*what_is_wrong)(const std::byte* in, const std::byte* out,
                                                std::size_t n, std::size_t count);
};

inline constexpr std::byte kUnwritten{0xA5};

/// An element of several words, for compactions.
template <unsigned kWords>
struct Record {
    unsigned word[kWords];
};

}  // namespace stream_compaction
