// A block's groups: how full those are whose keys differ, and what dividing them again makes of
// them.
#include "simt/kernel.h"
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/block/divide_groups.h"
#include "stream_compaction/onesweep/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using Shape = hybrid_radix::Shape<unsigned, 13, 12, 13, 8, 9,
                                  onesweep::SmallShape<unsigned, onesweep::NoValue>>;
using Memory = hybrid_radix::BlockMemory<Shape>;

struct Seen {
    unsigned most;
    bool are_sorted;
};

/// `begins` of the groups of number key >> shift, and the end of the last.
__global__ void divide(const unsigned* in, const unsigned* begins, unsigned groups, unsigned* out,
                       unsigned count, unsigned shift, Seen* seen) {
    const Memory memory;
    for (unsigned i = threadIdx.x; i < count; i += hybrid_radix::kThreads) memory.keys[i] = in[i];
    for (unsigned g = threadIdx.x; g <= groups; g += hybrid_radix::kThreads)
        memory.counts[g] = begins[g];
    __syncthreads();
    const unsigned most =
        hybrid_radix::mark_groups<Shape>(memory.keys, memory.counts, count, 0u, shift);
    const bool are_sorted = hybrid_radix::divide_groups<Shape>(count, 0u, shift);
    for (unsigned i = threadIdx.x; i < count; i += hybrid_radix::kThreads) out[i] = memory.keys[i];
    if (threadIdx.x == 0) *seen = {most, are_sorted};
}

constexpr unsigned kShift = 12;

/// Divides keys that are in the order of their groups, and compares with what must be.
Seen expect_divided(const std::vector<unsigned>& keys) {
    const auto count = static_cast<unsigned>(keys.size());
    const unsigned groups = (keys.back() >> kShift) + 1;
    std::vector<unsigned> begins;
    for (unsigned g = 0; g <= groups; ++g)
        begins.push_back(static_cast<unsigned>(
            std::lower_bound(keys.begin(), keys.end(), g,
                             [](unsigned key, unsigned group) { return key >> kShift < group; }) -
            keys.begin()));
    const simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)},
        of_groups{std::span<const unsigned>(begins)};
    simt::DeviceArray<unsigned> out(count);
    simt::DeviceArray<Seen> seen(1);
    simt::fill_async(seen.data(), 0, sizeof(Seen));  // padding, too, is copied below
    simt::launch(divide, {1, hybrid_radix::kThreads, Memory::kBytes, nullptr}, in.data(),
                 of_groups.data(), groups, out.data(), count, kShift, seen.data());
    std::vector<unsigned> divided(count);
    out.copy_to(std::span(divided));
    Seen answer{};
    seen.copy_to(std::span(&answer, 1));
    simt::synchronize();

    EXPECT_EQ(answer.are_sorted, std::is_sorted(divided.begin(), divided.end()));
    for (unsigned i = 0; i < count; ++i)
        EXPECT_EQ(divided[i] >> kShift, keys[i] >> kShift) << "another group at " << i;
    std::vector<unsigned> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    std::sort(divided.begin(), divided.end());
    EXPECT_EQ(divided, sorted) << "other keys";
    return answer;
}

/// The keys of each group in any order.
std::vector<unsigned> shuffled_in_groups(std::vector<unsigned> keys) {
    std::mt19937 random(7);
    std::shuffle(keys.begin(), keys.end(), random);
    std::stable_sort(keys.begin(), keys.end(),
                     [](unsigned a, unsigned b) { return a >> kShift < b >> kShift; });
    return keys;
}

TEST(HybridRadixGroups, AreSortedWhereTheirOwnRangeIsEven) {
    // Two groups, each close together at another place of its range.
    std::vector<unsigned> keys;
    for (unsigned i = 0; i < 512; ++i) {
        keys.push_back(i);
        keys.push_back((3u << kShift) + 2048 + 4 * i);
    }
    keys.push_back((5u << kShift) - 1);
    const Seen seen = expect_divided(shuffled_in_groups(keys));
    EXPECT_TRUE(seen.are_sorted);
    EXPECT_EQ(seen.most, 512u);
}

TEST(HybridRadixGroups, OfEqualKeysStayAsTheyAre) {
    std::vector<unsigned> keys(3000, 17u << kShift);
    keys.insert(keys.end(), 100, (18u << kShift) + 5);
    keys.insert(keys.end(), {20u << kShift, (20u << kShift) + 1});
    const Seen seen = expect_divided(shuffled_in_groups(keys));
    EXPECT_TRUE(seen.are_sorted);
    EXPECT_EQ(seen.most, 2u) << "groups of equal keys are in order";
}

TEST(HybridRadixGroups, OfFewValuesNeedNoMore) {
    std::vector<unsigned> keys;
    for (unsigned i = 0; i < 6000; ++i) keys.push_back((i % 5) * 700);
    const Seen seen = expect_divided(shuffled_in_groups(keys));
    EXPECT_TRUE(seen.are_sorted);
    EXPECT_EQ(seen.most, 6000u);
}

TEST(HybridRadixGroups, SayWhereTheyAreNotSorted) {
    // Two clusters: those of one are in one part of the group, however it is divided.
    std::vector<unsigned> keys;
    for (unsigned i = 0; i < 40; ++i) keys.push_back(i), keys.push_back(4000 + i);
    EXPECT_FALSE(expect_divided(shuffled_in_groups(keys)).are_sorted);
}

TEST(HybridRadixGroups, MayBeAsManyAsFitAndOfAnySize) {
    std::mt19937 random(3);
    for (const unsigned count :
         {1u, 2u, 31u, 511u, 512u, 513u, 4097u, Shape::kBlockKeys - 1, Shape::kBlockKeys}) {
        std::vector<unsigned> keys;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned group = random() % 3 == 0 ? 7 : random() % 1000;
            keys.push_back(group << kShift | (random() & random() & random()) % 4096);
        }
        expect_divided(shuffled_in_groups(keys));
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
