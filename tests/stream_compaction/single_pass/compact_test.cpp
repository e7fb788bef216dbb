// Compactions and partitions of every type that the library has compiled.
#include "simt/memory.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/variants.h"
#include "tests/stream_compaction/single_pass/compact_cases.h"
#include "tests/stream_compaction/single_pass/guarded.h"
#include "tests/stream_compaction/single_pass/paths.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

template <class T>
struct NotZero {
    using Element = T;
    using Predicate = std::conditional_t<std::is_same_v<T, int>, NonZero, IsNotZero>;
    static bool keeps(const T& element) {
        if constexpr (std::is_arithmetic_v<T>)
            return element != 0;
        else
            return element.word[0] != 0;
    }
};
using CompiledTypes = testing::Types<NotZero<std::int32_t>, NotZero<std::int64_t>, NotZero<double>,
                                     NotZero<Record<4>>, NotZero<Record<16>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Compiled, TypedCompact, CompiledTypes);

/// No shared memory follows the elements that a block's last warp then keeps: a GPU reports each
/// access beyond.
TEST(Partition, MayBeOfKeptOrOfRejectedElementsAlone) {
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        for (const std::size_t n : sizes(sizeof(int)))
            for (const int element : {1, 0}) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
                const std::vector<int> elements(n, element);
                Guarded<int> in(elements), out(n, 1), rejected(n, 2);
                simt::DeviceArray<std::size_t> count(1);
                BasicCompact<int, NonZero> plan(n, path);
                plan.enqueue(in.data(), out.data(), count.data(), n, nullptr, rejected.data());
                ASSERT_EQ(read(count), element == 1 ? n : 0);
                EXPECT_TRUE(same_bytes((element == 1 ? out : rejected).read(n), elements));
            }
    }
}

TEST(SinglePassPlan, RefusesACountOrRejectedElementsWithinItsArrays) {
    constexpr std::size_t n = 1000;
    const std::vector<int> content(4 * n, 1);
    simt::DeviceArray<int> all{std::span<const int>(content)};
    int *const in = all.data(), *const out = in + n, *const free = out + n;
    const auto count_at = [](int* word) { return reinterpret_cast<std::size_t*>(word); };
    BasicCompact<int, NonZero> plan(n);
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

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
