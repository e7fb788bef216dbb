// Variants: the operations of the registry on other types, with other operators and predicates. A
// variant describes an operation; its rows in Registry::variants are the algorithms that implement
// it.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace stream_compaction {

/// The element types; float32 is float, and record16 is Record<4>.
enum class Element {
    uint8,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float32,
    float64,
    record16,
    record64
};

/// An element of several words, for compactions.
template <unsigned kWords>
struct Record {
    unsigned word[kWords];
};

/// How a scan combines two elements. Sums of integers wrap around.
enum class Combine { sum, maximum, minimum };

/// The plans of the rows see inputs and outputs as arrays of int that contain the elements' bytes;
/// the last int may be partly unused. If an element has two parts (a key and a value, or a kept and
/// a rejected element), the parts are two arrays of n elements, one after the other, the array with
/// the wider parts first.
struct Variant {
    Operation operation;
    std::string_view name;  ///< unique in its operation
    std::size_t in_bytes;   ///< of an element, with all its parts
    std::size_t out_bytes;

    /// The bytes that the best possible algorithm reads and writes; nullptr for sorts, whose
    /// optimum is unknown.
    std::size_t (*bytes_moved)(std::size_t n, std::size_t count);

    Element element;                    ///< the key's type if there is a value
    std::optional<Element> value = {};  ///< of the value that a sort moves with each key
    /// The value is the key's index in the input; the input has no values.
    bool value_is_index = false;
    /// Equal keys with values may be in any order; otherwise the sort is stable.
    bool in_any_order = false;
    bool descending = false;         ///< for a sort
    unsigned begin_bit = 0;          ///< first bit of an unsigned key that is compared
    unsigned end_bit = 0;            ///< one past the last such bit; 0: all bits are compared
    Combine combine = Combine::sum;  ///< for a scan
    bool inclusive = false;          ///< for a scan
    bool rejects_too = false;        ///< a compaction also outputs the zeros: a partition
};

/// The positions of the keys and the values of n pairs.
template <class Key, class Value>
struct Pairs {
    static constexpr bool kValuesFirst = sizeof(Value) > sizeof(Key);

    template <class Byte>
    static auto* keys(Byte* pairs, std::size_t n) {
        using K = std::conditional_t<std::is_const_v<Byte>, const Key, Key>;
        return reinterpret_cast<K*>(pairs + (kValuesFirst ? n * sizeof(Value) : 0));
    }
    template <class Byte>
    static auto* values(Byte* pairs, std::size_t n) {
        using V = std::conditional_t<std::is_const_v<Byte>, const Value, Value>;
        return reinterpret_cast<V*>(pairs + (kValuesFirst ? 0 : n * sizeof(Key)));
    }
};

}  // namespace stream_compaction
