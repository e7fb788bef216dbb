// What a sample says of the keys: how many are frequent, and single; which splitters it gives; and
// which way is expected to be sooner. Of so few keys the sample is all of them, so that it can be
// told.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/fit.h"
#include "stream_compaction/key_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using hybrid_radix::Drawn;
using hybrid_radix::UnevenCosts;
using Shape = hybrid_radix::Shape<unsigned, 13, 12, 13, 8, 9,
                                  onesweep::SmallShape<unsigned, onesweep::NoValue>>;
using Work = hybrid_radix::Work<Shape, unsigned>;

constexpr unsigned kKeys = 2048, kBlocks = 2, kBucket = 32;
constexpr unsigned kFewClassBits = 8;                               ///< that suit so many keys
constexpr unsigned kClassBits = 9, kOfClass = kKeys >> kClassBits;  ///< of the most splitters

__global__ void draw(const __grid_constant__ Work work, bool once, Drawn* drawn) {
    hybrid_radix::take_plan(work);
    const Drawn of_block = hybrid_radix::draw_all(work, once);
    if (blockIdx.x == 0 && threadIdx.x == 0) *drawn = of_block;
}

struct Answer {
    Drawn drawn;
    unsigned repeats;
    std::vector<unsigned> splitters;
};

Answer answer_for(const std::vector<unsigned>& keys, UnevenCosts costs, bool once = false,
                  unsigned bucket = kBucket) {
    const hybrid_radix::Limits limits{0, bucket};
    Work work{};
    simt::DeviceArray<std::byte> lists(hybrid_radix::lay_out(work, kKeys, limits, nullptr));
    simt::fill_async(lists.data(), 0, lists.size());
    hybrid_radix::lay_out(work, kKeys, limits, lists.data());
    const simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)};
    simt::DeviceArray<Drawn> drawn(1);
    simt::fill_async(drawn.data(), 0, sizeof(Drawn));  // padding, too, is copied below
    work.in = in.data();
    work.planned.n = kKeys;
    work.map = KeyMap<unsigned>(order_of<unsigned>());
    work.planned.bucket = bucket;
    work.planned.costs = costs;
    simt::launch(draw,
                 {kBlocks, hybrid_radix::kThreads, hybrid_radix::kMostSamples * sizeof(unsigned),
                  nullptr, true},
                 work, once, drawn.data());

    Answer answer{};
    drawn.copy_to(std::span(&answer.drawn, 1));
    simt::copy_async(&answer.repeats, &work.progress->repeats, sizeof(unsigned));
    answer.splitters.resize((1u << kClassBits) - 1);
    simt::copy_async(answer.splitters.data(), work.splitters[0],
                     answer.splitters.size() * sizeof(unsigned));
    simt::synchronize();
    return answer;
}

/// So many keys equal, 2 * kOfClass and one less; pairs; and many that are there once.
std::vector<unsigned> some_keys() {
    std::vector<unsigned> keys(500, 70'000);
    keys.insert(keys.end(), 2 * kOfClass, 3);
    keys.insert(keys.end(), 2 * kOfClass - 1, 5);
    for (unsigned pair = 0; pair < 300; ++pair) keys.insert(keys.end(), 2, 1000 + pair);
    while (keys.size() < kKeys) keys.push_back(100'000 + 7 * static_cast<unsigned>(keys.size()));
    for (unsigned i = 0; i < kKeys; ++i) std::swap(keys[i], keys[i * 1237u % kKeys]);
    return keys;
}

constexpr unsigned kFrequent = 500 + 2 * kOfClass;
constexpr unsigned kSingle = kKeys - kFrequent - (2 * kOfClass - 1) - 600;

TEST(HybridRadixDraw, CountsFrequentAndSingleKeys) {
    const Answer answer = answer_for(some_keys(), {});
    EXPECT_EQ(answer.repeats / hybrid_radix::kFrequentKey, kFrequent);
    EXPECT_EQ(answer.repeats % hybrid_radix::kFrequentKey, kSingle);
}

TEST(HybridRadixDraw, TakesEveryKthKeyAsASplitter) {
    std::vector<unsigned> keys = some_keys();
    const Answer answer = answer_for(keys, {});
    EXPECT_EQ(answer.drawn.class_bits, kFewClassBits);
    std::ranges::sort(keys);
    for (unsigned s = 0; s < answer.splitters.size(); ++s)
        ASSERT_EQ(answer.splitters[s], keys[(s + 1) * kOfClass - 1]) << s;
}

TEST(HybridRadixDraw, ExpectsThePassesToTakeWhatTheVaryingDigitsCost) {
    // Three of four positions vary. By splitters only single keys cost anything.
    const UnevenCosts as_soon{0, 0, 0, 3 * kKeys, 0, kSingle};
    EXPECT_FALSE(answer_for(some_keys(), as_soon).drawn.by_passes);
    UnevenCosts costs = as_soon;
    costs.pass -= 1;
    EXPECT_TRUE(answer_for(some_keys(), costs).drawn.by_passes);
    // And what all that are not frequent cost.
    const UnevenCosts moved{0, 0, kKeys, 0, kKeys - kFrequent, 0};
    EXPECT_FALSE(answer_for(some_keys(), moved).drawn.by_passes);
    costs = moved;
    costs.passes -= 1;
    EXPECT_TRUE(answer_for(some_keys(), costs).drawn.by_passes);
}

TEST(HybridRadixDraw, TakesMostSplittersWhereHalfOfTheKeysAreFrequent) {
    std::vector<unsigned> keys(kKeys);
    for (unsigned i = 0; i < kKeys; ++i) keys[i] = i < kKeys / 2 ? 7 : 100 + i;
    const Drawn of_half = answer_for(keys, {}).drawn;
    EXPECT_TRUE(of_half.are_most);
    EXPECT_EQ(of_half.class_bits, kClassBits);
    keys[0] = 8;
    EXPECT_FALSE(answer_for(keys, {}).drawn.are_most);
}

TEST(HybridRadixDraw, MakesTwiceAsManyClassesWhereOneMightNotFitIntoABlock) {
    // Few classes have eight keys each, so the fullest may well have three times as many.
    constexpr unsigned kFullest = 3 * (kKeys >> kFewClassBits);
    const auto class_bits = [](bool once, unsigned bucket) {
        return answer_for(some_keys(), {}, once, bucket).drawn.class_bits;
    };
    EXPECT_EQ(class_bits(true, kFullest), kFewClassBits);
    EXPECT_EQ(class_bits(false, kFullest - 1), kFewClassBits);
    EXPECT_EQ(class_bits(true, kFullest - 1), kFewClassBits + 1);
    // No more than there can be.
    constexpr unsigned kFullestOfMost = 3 * (kKeys >> kClassBits);
    EXPECT_EQ(class_bits(true, kFullestOfMost - 1), kClassBits);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
