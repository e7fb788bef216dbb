// Ways that only certain keys take through hybrid_radix, and one way after the other in a plan.
#include "stream_compaction/hybrid_radix.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/hybrid_radix/sorts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace stream_compaction {
namespace {

// As many keys as fill all blocks' registers, nearly: more than passes of few keys take in a round.
TEST(HybridRadixPartition, LeavesNearlyAllThatItHoldsToPasses) {
    constexpr std::size_t kKeys = 11'000;  // of a block
    const std::size_t multiprocessors = simt::device_properties().multiprocessors;
    for (const std::size_t blocks : {multiprocessors, 2 * multiprocessors}) {
        const std::size_t n = blocks * kKeys;
        if (n > largest_size()) GTEST_SKIP() << n << " keys are too many here";
        SCOPED_TRACE(n);
        std::vector<unsigned> keys(n);
        std::mt19937 random(3);
        for (unsigned& key : keys) key = random() & random() & random() & random();
        hybrid_radix::Sort<unsigned> sort(n);
        expect_sorted(sort, keys);
    }
}

// Digits of 15 and of 16 bits, which are counted in halves and in quarters of words.
TEST(HybridRadixCounters, CountManyDigitsInPartsOfWords) {
    constexpr unsigned kNumbers = 300, kApart = 0x9e3779b1;
    for (const std::size_t n : without_too_large({24'001, 48'001})) {
        std::vector<unsigned> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<unsigned>(i % kNumbers) * kApart;
        SCOPED_TRACE(n);
        hybrid_radix::Sort<unsigned> sort(n, {}, {}, {0, 2, 1, 0});
        expect_sorted(sort, keys);
    }
}

// Too many numbers to be counted at once, and each is there often: after the first digit they are
// counted, and written. Where a digit has few keys, a block sorts them.
TEST(HybridRadixNumbers, AreCountedAfterTheFirstDigit) {
    constexpr unsigned kBits = 11;  // and one more, since the range is guessed with a margin
    for (const std::size_t n : without_too_large({12'001}))
        for (const bool are_even : {true, false}) {
            std::mt19937 random(3);
            std::vector<int> keys(n);
            for (int& key : keys) {
                const unsigned r = static_cast<unsigned>(random());
                key = static_cast<int>((are_even ? r : r & r >> kBits) % (1u << kBits)) - 1234;
            }
            const std::vector<int> unsorted = keys;
            std::ranges::sort(keys);
            for (const bool in_place : {false, true}) {
                simt::DeviceArray<int> in{std::span<const int>(unsorted)}, out(n);
                simt::DeviceArray<int>& result = in_place ? in : out;
                hybrid_radix::Sort<int> sort(n, {}, {}, by_splitters({0, 8, 1, 0}));
                for (int round = 0; round < 2; ++round)  // the first leaves what the next needs
                    sort.enqueue(round == 0 ? in.data() : result.data(), result.data(), n);
                std::vector<int> sorted(n);
                result.copy_to(sorted);
                EXPECT_EQ(sorted, keys) << are_even << in_place;
            }
        }
}

// The ways take turns in one plan, and neither finds what another has left. (By what costs.h says
// of so many keys, many values go by passes, and three by splitters.)
TEST(HybridRadixPlans, SortInOneWayAfterTheOther) {
    constexpr std::size_t kKeys = 9'000;
    for (const std::size_t n : without_too_large({kKeys}))
        for (const auto [one_partition, bucket] : {std::array<std::size_t, 2>{0, 64},
                                                   {kKeys, 64},
                                                   {kKeys, 250}}) {  // the last between samples
            hybrid_radix::Sort<unsigned> sort(n, {}, {}, {0, bucket, 4, one_partition});
            unsigned (*const make[])(unsigned) = {
                [](unsigned r) { return r; },                                      // even
                [](unsigned r) { return r & r * 0x9e3779b1u & r * 0x85ebca6bu; },  // many values
                [](unsigned r) { return r % 3 * 0x01010101u; },                    // three values
            };
            std::mt19937 random(9);
            for (int round = 0; round < 9; ++round) {
                std::vector<unsigned> keys(n);
                for (unsigned& key : keys)
                    key = make[round * 2 % 3](static_cast<unsigned>(random()));
                SCOPED_TRACE(testing::Message() << "round " << round);
                expect_sorted(sort, keys);
            }
        }
}

}  // namespace
}  // namespace stream_compaction
