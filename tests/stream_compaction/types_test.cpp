// Element types under all of their names.
#include "simt/memory.h"
#include "stream_compaction/counting.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/single_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace stream_compaction {
namespace {

template <class T>
class ScanOfType : public testing::Test {};
using Integers = testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long,
                                wchar_t, char32_t>;
TYPED_TEST_SUITE(ScanOfType, Integers);

TYPED_TEST(ScanOfType, IsThere) {
    constexpr std::size_t n = 1000;
    const std::vector<TypeParam> in(n, std::numeric_limits<TypeParam>::max() / 1000);
    const simt::DeviceArray<TypeParam> from{std::span<const TypeParam>(in)};
    simt::DeviceArray<TypeParam> to(n);
    single_pass::BasicScan<TypeParam> plan(n);
    plan.enqueue(from.data(), to.data(), n);
    std::vector<TypeParam> expected(n), sums(n);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), TypeParam{});
    to.copy_to(sums);
    EXPECT_EQ(sums, expected);
    EXPECT_GT(single_pass::BasicScan<TypeParam>::workspace_bytes(n), 0u);
}

template <class T>
class CompactOfType : public testing::Test {};
using SignedIntegers = testing::Types<long, long long>;
TYPED_TEST_SUITE(CompactOfType, SignedIntegers);

TYPED_TEST(CompactOfType, IsThere) {
    const std::vector<TypeParam> in{0, -1, 0, 1, std::numeric_limits<TypeParam>::min()};
    const simt::DeviceArray<TypeParam> from{std::span<const TypeParam>(in)};
    simt::DeviceArray<TypeParam> to(in.size());
    simt::DeviceArray<std::size_t> count(1);
    single_pass::BasicCompact<TypeParam, single_pass::IsNotZero> plan(in.size());
    plan.enqueue(from.data(), to.data(), count.data(), in.size());
    std::vector<TypeParam> kept(3);
    to.copy_to(kept);
    EXPECT_EQ(kept, (std::vector<TypeParam>{-1, 1, std::numeric_limits<TypeParam>::min()}));
}

template <class Sort>
struct KeyOf;
template <template <class> class Sort, class T>
struct KeyOf<Sort<T>> {
    using Key = T;
};

template <class Sort>
class SortOfType : public testing::Test {};
using Sorts = testing::Types<onesweep::Sort<long>, onesweep::Sort<long long>,
                             hybrid_radix::Sort<unsigned long long>, counting::Sort<char>,
                             counting::Sort<signed char>, counting::Sort<unsigned char>,
                             counting::Sort<short>, counting::Sort<char16_t>>;
TYPED_TEST_SUITE(SortOfType, Sorts);

TYPED_TEST(SortOfType, IsThere) {
    using Key = typename KeyOf<TypeParam>::Key;
    std::vector<Key> keys(1000), sorted(1000);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<Key>(i * 0x9E3779B97F4A7C15u);
    simt::DeviceArray<Key> array{std::span<const Key>(keys)};
    TypeParam(keys.size()).enqueue(array.data(), array.data(), keys.size());
    array.copy_to(sorted);
    std::ranges::sort(keys);
    EXPECT_EQ(sorted, keys);
}

}  // namespace
}  // namespace stream_compaction
