// Compactions and partitions of every type.
#include "simt/memory.h"
#include "stream_compaction/single_pass/compact.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/single_pass/guarded.h"
#include "tests/stream_compaction/single_pass/paths.h"
#include "tests/stream_compaction/single_pass/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

struct IsOdd {
    template <class T>
    __host__ __device__ bool operator()(const T& element) const {
        if constexpr (std::is_integral_v<T>)
            return element % 2 != 0;
        else if constexpr (std::is_floating_point_v<T>)
            return element > 0;
        else
            return (element.first() ^ element.last()) % 2 != 0;
    }
};

struct IsNotOdd {
    template <class T>
    __host__ __device__ bool operator()(const T& element) const {
        return !IsOdd()(element);
    }
};

template <class T>
inline constexpr bool kHasCompact<T, IsOdd> = true;
template <>
inline constexpr bool kHasCompact<int, IsNotOdd> = true;

namespace {

template <int kWords>
struct Record {
    std::uint32_t word[kWords];

    __host__ __device__ std::uint32_t first() const { return word[0]; }
    __host__ __device__ std::uint32_t last() const { return word[kWords - 1]; }
};

template <class T>
std::vector<T> random_elements(std::size_t n) {
    if constexpr (std::is_arithmetic_v<T>) {
        return random_values<T>(n);
    } else {
        std::mt19937 random(static_cast<unsigned>(n));
        std::vector<T> elements(n);
        for (T& element : elements)
            for (auto& word : element.word) word = random();
        return elements;
    }
}

template <class T>
class TypedCompact : public testing::Test {
  protected:
    struct Lists {
        std::vector<T> kept, rejected;
    };
    static Lists split(const std::vector<T>& elements) {
        Lists lists;
        for (const T& element : elements)
            (IsOdd()(element) ? lists.kept : lists.rejected).push_back(element);
        return lists;
    }
    static std::size_t read(const simt::DeviceArray<std::size_t>& count) {
        std::size_t value = 0;
        count.copy_to(std::span(&value, 1));
        return value;
    }
    static bool takes(Path path) {
        return is_available(path) && (path == Path::plain || kFillsVectors<T>);
    }
};

/// Types of every size and alignment: with vectors of four, two and one elements, and without
/// vectors.
using CompactTypes =
    testing::Types<std::int32_t, double, Record<2>, Record<3>, Record<4>, Record<10>, Record<16>>;
TYPED_TEST_SUITE(TypedCompact, CompactTypes);

TYPED_TEST(TypedCompact, AnswersAsTheReference) {
    using T = TypeParam;
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<T>(n);
            const auto lists = this->split(elements);
            Guarded<T> in(elements), out(n);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<T, IsOdd> plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            ASSERT_EQ(this->read(count), lists.kept.size());
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(in.read(), elements)) << "the input was written";
        }
    }
}

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
            std::size_t kept = 0;
            count.copy_to(std::span(&kept, 1));
            ASSERT_EQ(kept, expected.size());
            EXPECT_TRUE(same_bytes(out.read(kept), expected));
        }
    }
}

TYPED_TEST(TypedCompact, GivesTheRejectedElementsToo) {
    using T = TypeParam;
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<T>(n);
            const auto lists = this->split(elements);
            Guarded<T> in(elements), out(n, 1), rejected(n, 2);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<T, IsOdd> plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n, nullptr, rejected.data());
            ASSERT_EQ(this->read(count), lists.kept.size());
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(rejected.read(lists.rejected.size()), lists.rejected));
        }
    }
}

/// No shared memory follows the elements that a block's last warp then keeps: a GPU reports each
/// access beyond.
TEST(Partition, MayBeOfKeptOrOfRejectedElementsAlone) {
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        for (const std::size_t n : sizes(sizeof(int)))
            for (const int element : {1, 2}) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
                const std::vector<int> elements(n, element);
                Guarded<int> in(elements), out(n, 1), rejected(n, 2);
                simt::DeviceArray<std::size_t> count(1);
                BasicCompact<int, IsOdd> plan(n, path);
                plan.enqueue(in.data(), out.data(), count.data(), n, nullptr, rejected.data());
                std::size_t kept = 0;
                count.copy_to(std::span(&kept, 1));
                ASSERT_EQ(kept, element == 1 ? n : 0);
                EXPECT_TRUE(same_bytes((element == 1 ? out : rejected).read(n), elements));
            }
    }
}

TYPED_TEST(TypedCompact, WorksInPlaceAndAnywhere) {
    using T = TypeParam;
    const std::size_t n = at_most(3 * 32 * 1024 / sizeof(T) + 7);
    const auto elements = random_elements<T>(n);
    const auto lists = this->split(elements);
    std::vector<T> in_place_result = elements;
    std::copy(lists.kept.begin(), lists.kept.end(), in_place_result.begin());
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        BasicCompact<T, IsOdd> plan(n, path);
        simt::DeviceArray<std::size_t> count(1);
        for (std::size_t offset = 0; offset < 4; ++offset) {
            SCOPED_TRACE(testing::Message() << "offset " << offset << ", path " << int(path));
            Guarded<T> in_place(elements, offset), in(elements, 3 - offset), out(n, offset);
            plan.enqueue(in_place.data(), in_place.data(), count.data(), n);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            EXPECT_TRUE(same_bytes(in_place.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
        }
    }
}

TEST(SinglePassPlan, RefusesACountOrRejectedElementsWithinItsArrays) {
    constexpr std::size_t n = 1000;
    const std::vector<int> content(4 * n, 1);
    simt::DeviceArray<int> all{std::span<const int>(content)};
    int *const in = all.data(), *const out = in + n, *const free = out + n;
    const auto count_at = [](int* word) { return reinterpret_cast<std::size_t*>(word); };
    BasicCompact<int, IsOdd> plan(n);
    for (int* const word : {in, in + n - 2, out, out + 500, out + n - 2})
        EXPECT_THROW(plan.enqueue(in, out, count_at(word), n), std::invalid_argument);
    for (int* const rejected : {in, in + 1, out, out + n - 1})
        EXPECT_THROW(plan.enqueue(in, out, count_at(free), n, nullptr, rejected),
                     std::invalid_argument);
    std::vector<int> left(content.size());
    all.copy_to(left);
    EXPECT_EQ(left, content);
    plan.enqueue(in, out, count_at(free), n, nullptr, free + n);
}

TEST(SinglePassPlan, RefusesAPipelineForElementsThatDoNotFillVectors) {
    using Odd = BasicCompact<Record<3>, IsOdd>;
    EXPECT_THROW(Odd(100, Path::pipelined), std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
