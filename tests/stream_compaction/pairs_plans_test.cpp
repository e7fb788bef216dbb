// Common properties of the plans of all pair sorts. The tests of each sort check its output.
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace stream_compaction {
namespace {

template <class Sort>
class PairsPlans : public testing::Test {};
using AllSorts = testing::Types<hybrid_radix::SortPairs<unsigned, unsigned>,
                                onesweep::SortPairs<unsigned, unsigned>>;
TYPED_TEST_SUITE(PairsPlans, AllSorts);

TYPED_TEST(PairsPlans, RefuseArraysThatOverlapBeforeAnythingIsWritten) {
    constexpr std::size_t n = 100;
    std::vector<unsigned> content(5 * n);
    std::iota(content.rbegin(), content.rend(), 0u);
    simt::DeviceArray<unsigned> all{std::span<const unsigned>(content)};
    unsigned* const a = all.data();
    TypeParam sort(n);
    struct Begins {
        std::size_t keys_in, keys_out, values_in, values_out;
    };
    for (const auto& [keys_in, keys_out, values_in, values_out] :
         {Begins{0, 1, 200, 300}, Begins{0, 100, 200, 299}, Begins{0, 100, 200, 100},
          Begins{0, 100, 200, 150}, Begins{0, 200, 200, 300}, Begins{50, 0, 200, 300}})
        EXPECT_THROW(sort.enqueue(a + keys_in, a + keys_out, a + values_in, a + values_out, n),
                     std::invalid_argument)
            << keys_in << ' ' << keys_out << ' ' << values_in << ' ' << values_out;
    std::vector<unsigned> left(content.size());
    all.copy_to(left);
    EXPECT_EQ(left, content);
}

TYPED_TEST(PairsPlans, CanBeCapturedAndReplayed) {
    const std::size_t n = at_most(20'000);
    const std::vector<unsigned> keys = make_keys<unsigned>(kPatterns<unsigned>[0], n, 3);
    simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)}, out(n), values_out(n);
    TypeParam sort(n);
    const simt::Graph graph([&](simt::stream_t stream) {
        sort.enqueue(in.data(), out.data(), in.data(), values_out.data(), n, stream);
    });
    const simt::Stream stream;
    std::vector<unsigned> expected = keys, got(n);
    std::ranges::sort(expected);
    for (int replay = 0; replay < 3; ++replay) {
        simt::fill_async(out.data(), 0xee, n * sizeof(unsigned), stream.get());
        simt::fill_async(values_out.data(), 0xee, n * sizeof(unsigned), stream.get());
        graph.launch(stream.get());
        stream.synchronize();
        out.copy_to(got);
        EXPECT_EQ(got, expected);
        values_out.copy_to(got);
        EXPECT_EQ(got, expected);
    }
}

TYPED_TEST(PairsPlans, DoNothingWithoutPairs) {
    TypeParam(0).enqueue(nullptr, nullptr, nullptr, nullptr, 0);
    EXPECT_EQ(TypeParam::workspace_bytes(0), 0u);
}

TYPED_TEST(PairsPlans, RefuseMoreThanTheyWereMadeFor) {
    TypeParam sort(10);
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, nullptr, nullptr, 11), std::invalid_argument);
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, static_cast<unsigned*>(nullptr), 11),
                 std::invalid_argument);
}

TEST(HybridRadixPairsPlans, CompareAllBits) {
    using Sort = hybrid_radix::SortPairs<int, unsigned>;
    EXPECT_THROW(Sort(10, {.begin_bit = 1}), std::invalid_argument);
    EXPECT_THROW(Sort(10, {.end_bit = 31}), std::invalid_argument);
    EXPECT_NO_THROW(Sort(10, {.end_bit = 32}));
}

}  // namespace
}  // namespace stream_compaction
