// Look-back alone, with one warp per block: many groups of tiles, which would need millions of
// elements with the real kernels.
#include "simt/memory.h"
#include "stream_compaction/single_pass/look_back.h"
#include "tests/simt/schedules.h"
#include "tests/stream_compaction/single_pass/guarded.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

template <class T, class Operator, int kBatchWords>
__global__ void look_back_alone(Tickets tickets, const T* of_tile, T* before, std::uint64_t* words,
                                unsigned tiles) {
    const unsigned lane = threadIdx.x % kLanes;
    using Own = LookBack<Operator, T, T, kBatchWords>;
    const unsigned epoch = tickets.epoch();
    Own look_back(words, epoch);
    for (;;) {
        Ticket ticket{};
        if (lane == 0) ticket = tickets.draw();
        const unsigned tile = __shfl_sync(kAllLanes, ticket.tile, 0);
        if (tile >= tiles) return;
        if (lane == 0) publish(words, ticket, of_tile[tile]);
        const T prefix = look_back.before(tile);
        // Also by an object that has seen no tile before.
        const T from_start = Own(words, epoch).before(tile);
        if (lane == tile % kLanes) before[tile] = prefix, before[tiles + tile] = from_start;
    }
}

template <class T, class Operator, int kWords>
struct LookBackCase {
    using Value = T;
    using Op = Operator;
    static constexpr int kBatchWords = kWords;

    static T combine(T a, T b) {
        if constexpr (std::is_same_v<Operator, Plus> && std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else if constexpr (std::is_same_v<Operator, Plus>)
            return a + b;
        else if constexpr (std::is_same_v<Operator, Max>)
            return a < b ? b : a;
        else
            return b < a ? b : a;
    }
    static T any_value(unsigned tile, std::mt19937_64& random) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(random());
        else if constexpr (std::is_same_v<Operator, Plus>)
            return std::uniform_real_distribution<T>(-1, 1)(random);
        else
            // From tile 9 * kLanes on, the sign of each group's first zero matters.
            return tile < 9 * kLanes    ? T{std::is_same_v<Operator, Max> ? -1 : 1}
                   : tile % kLanes == 0 ? T{0}
                                        : -T{0};
    }
};

/// In the order of the kernels: neighbours within a group, then groups from left to right.
template <class Case, class T>
std::vector<T> prefixes(const std::vector<T>& of_tile) {
    const auto of_group = [&](std::size_t first, std::size_t end) {
        std::vector<T> lanes(kLanes, Case::Op::template kIdentity<T>);
        for (std::size_t tile = first; tile < end; ++tile) lanes[tile - first] = of_tile[tile];
        for (; lanes.size() > 1; lanes.resize(lanes.size() / 2))
            for (std::size_t i = 0; i < lanes.size() / 2; ++i)
                lanes[i] = Case::combine(lanes[2 * i], lanes[2 * i + 1]);
        return lanes[0];
    };
    std::vector<T> before(of_tile.size());
    T before_group = Case::Op::template kIdentity<T>;
    for (std::size_t tile = 0; tile < before.size(); ++tile) {
        const std::size_t first = tile / kLanes * kLanes;
        if (tile == first && tile > 0)
            before_group = Case::combine(before_group, of_group(first - kLanes, first));
        before[tile] = Case::combine(before_group, of_group(first, tile));
    }
    return before;
}

template <class Case>
class LookBackAlone : public testing::Test {};
using LookBackCases =
    testing::Types<LookBackCase<double, Plus, 16>, LookBackCase<double, Plus, 12>,
                   LookBackCase<double, Plus, 4>, LookBackCase<double, Max, 16>,
                   LookBackCase<double, Min, 12>, LookBackCase<std::int64_t, Plus, 16>,
                   LookBackCase<std::int64_t, Plus, 12>, LookBackCase<std::int64_t, Min, 4>,
                   LookBackCase<float, Plus, 8>, LookBackCase<float, Plus, 4>,
                   LookBackCase<std::int32_t, Plus, 8>, LookBackCase<std::int32_t, Max, 4>>;
TYPED_TEST_SUITE(LookBackAlone, LookBackCases);

TYPED_TEST(LookBackAlone, AddsInOneOrderWhoeverIsFirst) {
    using T = typename TypeParam::Value;
    constexpr unsigned kTiles = 21 * kLanes + 7;
    std::mt19937_64 random(3);
    std::vector<T> of_tile(kTiles);
    for (unsigned tile = 0; tile < kTiles; ++tile)
        of_tile[tile] = TypeParam::any_value(tile, random);
    const std::vector<T> expected = prefixes<TypeParam>(of_tile);
    simt::test::under_every_schedule([&] {
        const std::vector<std::uint64_t> none(16 + 2 * kTiles);
        simt::DeviceArray<std::uint64_t> words{std::span(none)};
        const simt::DeviceArray<T> in{std::span<const T>(of_tile)};
        for (const unsigned blocks : {1u, 3u, 40u}) {
            SCOPED_TRACE(blocks);
            simt::DeviceArray<T> out(2 * kTiles);
            simt::launch(look_back_alone<T, typename TypeParam::Op, TypeParam::kBatchWords>,
                         {blocks, kLanes}, Tickets{words.data(), kTiles + blocks}, in.data(),
                         out.data(), words.data() + 16, kTiles);
            std::vector<T> before(2 * kTiles);
            out.copy_to(before);
            const auto middle = before.begin() + kTiles;
            EXPECT_TRUE(same_bytes(std::vector<T>(before.begin(), middle), expected));
            EXPECT_TRUE(same_bytes(std::vector<T>(middle, before.end()), expected)) << "from start";
        }
    });
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
