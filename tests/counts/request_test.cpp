// The cost of a request, given its addresses.
#include "src/counts/request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::uintptr_t kBegin = 4096;
constexpr std::uint32_t kAllLanes = ~0u;

std::vector<std::uintptr_t> addresses(unsigned lanes,
                                      const std::function<std::uintptr_t(unsigned)>& offset) {
    std::vector<std::uintptr_t> all;
    for (unsigned lane = 0; lane < lanes; ++lane) all.push_back(kBegin + offset(lane));
    return all;
}

GlobalCounts global(unsigned lanes, unsigned bytes, std::uintptr_t stride,
                    std::uintptr_t first = 0) {
    return global_request(addresses(lanes, [=](unsigned l) { return first + l * stride; }), bytes);
}

std::uint64_t conflicts(unsigned bytes, std::uintptr_t stride) {
    return shared_request(addresses(32, [=](unsigned l) { return l * stride; }), kAllLanes, bytes)
        .conflicts;
}

TEST(GlobalRequest, OfNeighboursMovesWhatIsAsked) {
    EXPECT_EQ(global(32, 4, 4), (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(global(32, 8, 8), (GlobalCounts{1, 32, 8, 256}));
    EXPECT_EQ(global(32, 16, 16), (GlobalCounts{1, 32, 16, 512}));
    EXPECT_EQ(global(32, 1, 1), (GlobalCounts{1, 32, 1, 32}));
}

TEST(GlobalRequest, MovesWholeSectors) {
    EXPECT_EQ(global(32, 4, 8), (GlobalCounts{1, 32, 8, 128}));
    EXPECT_EQ(global(32, 4, 32), (GlobalCounts{1, 32, 32, 128}));
    EXPECT_EQ(global(1, 4, 4), (GlobalCounts{1, 1, 1, 4}));
    EXPECT_EQ(global(16, 4, 4), (GlobalCounts{1, 16, 2, 64}));
}

TEST(GlobalRequest, ThatIsNotAlignedTouchesOneSectorMore) {
    EXPECT_EQ(global(32, 4, 4, 4), (GlobalCounts{1, 32, 5, 128}));
    EXPECT_EQ(global(1, 16, 16, 24), (GlobalCounts{1, 1, 2, 16}));
}

TEST(GlobalRequest, CountsAByteOnceHoweverManyLanesWantIt) {
    EXPECT_EQ(global(32, 4, 0), (GlobalCounts{1, 32, 1, 4}));
    EXPECT_EQ(global(2, 8, 4), (GlobalCounts{1, 2, 1, 12}));  // overlap
}

TEST(GlobalRequest, TakesLanesInAnyOrder) {
    const auto reversed = addresses(32, [](unsigned l) { return 4 * (31 - l); });
    EXPECT_EQ(global_request(reversed, 4), (GlobalCounts{1, 32, 4, 128}));
}

TEST(SharedRequest, OfNeighboursHasNoConflict) {
    for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) EXPECT_EQ(conflicts(bytes, bytes), 0u);
}

TEST(SharedRequest, OfOneWordHasNoConflict) { EXPECT_EQ(conflicts(4, 0), 0u); }

TEST(SharedRequest, WaitsForEachOtherWordOfABank) {
    EXPECT_EQ(conflicts(4, 4 * 2), 1u);
    EXPECT_EQ(conflicts(4, 4 * 4), 3u);
    EXPECT_EQ(conflicts(4, 4 * 32), 31u);
    EXPECT_EQ(conflicts(4, 4 * 33), 0u);
    EXPECT_EQ(conflicts(4, 4 * 3), 0u);  // an odd stride visits every bank once
}

TEST(SharedRequest, OfWideWordsIsServedInParts) {
    // Half a warp at a time: with a stride of 16 bytes, lanes 0 and 8 access different words of
    // bank 0.
    EXPECT_EQ(conflicts(8, 16), 2u);
    // A quarter at a time: lanes 0, 4; 1, 5; ... conflict in each of four parts.
    EXPECT_EQ(conflicts(16, 32), 4u);
}

TEST(SharedRequest, LooksAtActiveLanesAlone) {
    const std::vector<std::uintptr_t> two = {kBegin, kBegin + 128};
    EXPECT_EQ(shared_request(two, 0b11, 4), (SharedCounts{1, 2, 1}));
    // Words of 8 bytes: lanes of different halves are not served together.
    EXPECT_EQ(shared_request(two, 1u | 1u << 16, 8), (SharedCounts{1, 2, 0}));
    EXPECT_EQ(shared_request(two, 0b11, 8), (SharedCounts{1, 2, 1}));
}

TEST(AtomicRequest, FindsTheMostAtOneAddress) {
    const std::vector<std::uintptr_t> some = {16, 8, 16, 24, 16, 8};
    EXPECT_EQ(atomic_request(some), (AtomicCounts{1, 6, 3}));
}

}  // namespace
}  // namespace stream_compaction
