// What tests of hybrid_radix on chosen keys have in common.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace stream_compaction {

/// Keys that are sorted by splitters, whatever they are.
inline hybrid_radix::Limits by_splitters(hybrid_radix::Limits limits) {
    limits.uneven_way = hybrid_radix::UnevenWay::splitters;
    return limits;
}
inline hybrid_radix::Limits by_passes(hybrid_radix::Limits limits) {
    limits.uneven_way = hybrid_radix::UnevenWay::passes;
    return limits;
}

/// In place. Of integers: equal ones cannot be told apart.
template <class Key>
void expect_sorted(hybrid_radix::Sort<Key>& sort, std::vector<Key> keys) {
    simt::DeviceArray<Key> array{std::span<const Key>(keys)};
    sort.enqueue(array.data(), array.data(), keys.size());
    std::vector<Key> sorted(keys.size());
    array.copy_to(sorted);
    std::ranges::sort(keys);
    EXPECT_EQ(sorted, keys);
}

}  // namespace stream_compaction
