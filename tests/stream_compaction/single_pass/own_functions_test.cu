// Plans for operators, predicates and elements of a user's own.
#include "simt/memory.h"
#include "stream_compaction/single_pass/compact.h"
#include "stream_compaction/single_pass/scan.h"
#include "stream_compaction/variants.h"
#include "tests/stream_compaction/single_pass/compact_cases.h"
#include "tests/stream_compaction/single_pass/guarded.h"
#include "tests/stream_compaction/single_pass/paths.h"
#include "tests/stream_compaction/single_pass/reference.h"
#include "tests/typed_cases.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// The function x -> scale * x + offset, modulo 2^bits, in one word. Operands are composed from
/// left to right; no two of them may be exchanged.
template <class T>
struct Affine {
    static constexpr unsigned kBits = 4 * sizeof(T);
    static constexpr T kMask = (T{1} << kBits) - 1;
    __host__ __device__ static T compose(T first, T then) {
        const T scale = (first & kMask) * (then & kMask) & kMask;
        const T offset = ((first >> kBits) * (then & kMask) + (then >> kBits)) & kMask;
        return offset << kBits | scale;
    }
};
struct Compose {
    template <class T>
    static constexpr T kIdentity = 1;
    template <class T>
    static constexpr T identity() {
        return kIdentity<T>;
    }
    template <class T>
    __device__ T operator()(T a, T b) const {
        return Affine<T>::compose(a, b);
    }
    template <class T>
    static T apply(T a, T b) {
        return Affine<T>::compose(a, b);
    }
};

template <class T>
inline constexpr bool kHasScan<T, Compose> = true;

struct IsOdd {
    template <class T>
    __host__ __device__ bool operator()(const T& element) const {
        if constexpr (std::is_integral_v<T>)
            return element % 2 != 0;
        else  // a record's first word and its last
            return (element.word[0] ^ element.word[sizeof(T) / 4 - 1]) % 2 != 0;
    }
};
struct IsNotOdd {
    template <class T>
    __host__ __device__ bool operator()(const T& element) const {
        return !IsOdd()(element);
    }
};

template <unsigned kWords>
inline constexpr bool kHasCompact<Record<kWords>, IsOdd> = true;
template <>
inline constexpr bool kHasCompact<int, IsNotOdd> = true;

namespace {

template <class T>
void expect_order_is_kept() {
    static_assert(!kIsCommutative<Compose>);
    for (const Path path : {Path::automatic, Path::plain, Path::pipelined}) {
        if (!is_available(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            std::vector<T> values = random_values<T>(n);
            // Otherwise scales become 0, and nothing is compared.
            for (T& value : values) value |= 1;
            Guarded<T> in(values), out(n);
            BasicScan<T, Compose> plan(n, ScanKind::inclusive, path);
            plan.enqueue(in.data(), out.data(), n);
            EXPECT_TRUE(same_bytes(out.read(), scanned<T, Compose>(values, ScanKind::inclusive)));
        }
    }
}

TEST(Scan, KeepsTheOrderOfElementsForAnOperatorThatDoesNotCommute) {
    expect_order_is_kept<std::uint32_t>();
    expect_order_is_kept<std::uint64_t>();
}

template <class T>
struct Odd {
    using Element = T;
    using Predicate = IsOdd;
    static bool keeps(const T& element) { return IsOdd()(element); }
};
/// Records of 3 and of 10 words fill no vector, and the larger ones have fewer rows. A vector has
/// four of the third type, and two of the last.
using OwnTypes = AllOrFirst<2, Odd<Record<3>>, Odd<Record<10>>, Odd<Record<1>>, Odd<Record<2>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Own, TypedCompact, OwnTypes);

/// The last tile is padded with zeros, which this predicate would keep.
TEST(Compact, KeepsNothingBehindTheLastElement) {
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        for (const std::size_t n : sizes(sizeof(int))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<int>(n);
            std::vector<int> expected = elements;
            std::erase_if(expected, IsOdd());
            Guarded<int> in(elements), out(n);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<int, IsNotOdd> plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            ASSERT_EQ(read(count), expected.size());
            EXPECT_TRUE(same_bytes(out.read(expected.size()), expected));
        }
    }
}

TEST(SinglePassPlan, RefusesAPipelineForElementsThatDoNotFillVectors) {
    using Odd = BasicCompact<Record<3>, IsOdd>;
    EXPECT_THROW(Odd(100, Path::pipelined), std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
