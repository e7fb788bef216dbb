// What the rows of the registry do to ints, done to other types, with other operators and
// predicates. A variant says what is to be done; its rows, in Registry::variants, who can do it.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace stream_compaction {

/// The types of elements; float32 is float, and record16 is Record<4>.
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

/// What a scan makes of two elements. Sums of integers wrap around.
enum class Combine { sum, maximum, minimum };

/// Inputs and outputs are arrays of int to the rows' plans, with the elements' bytes in them; the
/// last int may have room left. Where
/// an element has two parts, a key and a value, or a kept and a rejected one, the parts are two
/// arrays of n, one behind the other, the wider one first.
struct Variant {
    Operation operation;
    std::string_view name;  ///< unique in its operation
    std::size_t in_bytes;   ///< of an element, with all its parts
    std::size_t out_bytes;

    /// What the best possible algorithm reads and writes; nullptr for sorts of which nobody knows.
    std::size_t (*bytes_moved)(std::size_t n, std::size_t count);

    Element element;                    ///< or the key, where there is a value
    std::optional<Element> value = {};  ///< that a sort moves with its key
    bool value_is_place = false;        ///< its key's place in the input, which has no values
    bool in_any_order = false;          ///< equal keys with values; else such a sort is stable
    bool descending = false;            ///< a sort
    unsigned begin_bit = 0;             ///< of the bits of an unsigned key that are compared
    unsigned end_bit = 0;               ///< the one behind them; 0: all are compared
    Combine combine = Combine::sum;     ///< of a scan
    bool inclusive = false;             ///< of a scan
    bool rejects_too = false;           ///< a compaction gives the zeros, too: a partition
};

/// Where the keys and the values of n pairs are.
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
