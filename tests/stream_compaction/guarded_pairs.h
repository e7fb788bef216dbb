// Calls a sort of pairs with arrays that have guard words around them.
#pragma once

#include "tests/guarded_array.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace stream_compaction {

/// Which of the outputs are the inputs.
struct InPlace {
    bool keys, values;
};
constexpr InPlace kInPlace[] = {{false, false}, {true, true}, {true, false}, {false, true}};

/// The bits of keys and of values.
struct PairBits {
    std::vector<unsigned> keys, values;
};

/// The result of the sort. It must not change inputs that are not outputs.
/// @param offset elements from a 16-byte boundary to the outputs; one more to the inputs
template <class Key, class Value, class Sort>
PairBits sort_guarded(Sort& sort, const PairBits& given, InPlace in_place, std::size_t offset) {
    const std::size_t n = given.keys.size();
    GuardedArray<unsigned> keys_in(Place::device, n, offset + 1);
    GuardedArray<unsigned> values_in(Place::device, n, offset + 1);
    GuardedArray<unsigned> keys_out(Place::device, n, offset);
    GuardedArray<unsigned> values_out(Place::device, n, offset);
    keys_in.assign(given.keys);
    values_in.assign(given.values);
    auto& sorted_keys = in_place.keys ? keys_in : keys_out;
    auto& sorted_values = in_place.values ? values_in : values_out;
    sort.enqueue(reinterpret_cast<const Key*>(keys_in.data()),
                 reinterpret_cast<Key*>(sorted_keys.data()),
                 reinterpret_cast<const Value*>(values_in.data()),
                 reinterpret_cast<Value*>(sorted_values.data()), n);
    const PairBits got{sorted_keys.read(), sorted_values.read()};
    if (!in_place.keys) {
        EXPECT_EQ(keys_in.read(), given.keys) << "the input's keys";
    }
    if (!in_place.values) {
        EXPECT_EQ(values_in.read(), given.values) << "the input's values";
    }
    return got;
}

}  // namespace stream_compaction
