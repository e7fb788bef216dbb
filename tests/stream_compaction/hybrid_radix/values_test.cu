// Keys counted by value: whether they have few, by what samples say; more values than a block has
// room for, more than all together have, and what is known early of that. Two blocks have so few
// keys that it can be told when.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/fit.h"
#include "stream_compaction/hybrid_radix/uneven.h"
#include "stream_compaction/hybrid_radix/values.h"
#include "stream_compaction/key_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using Shape = hybrid_radix::Shape<unsigned, 13, 12, 13, 8, 9,
                                  onesweep::SmallShape<unsigned, onesweep::NoValue>>;
using Work = hybrid_radix::Work<Shape, unsigned>;
using Table = hybrid_radix::ValueTable<Shape>;

constexpr unsigned kBlocks = 2;
constexpr unsigned kTile = Table::Slots::kCount / 2;  ///< keys that a block counts at a time
constexpr unsigned kMostOfAll = hybrid_radix::kMostValues<Shape, unsigned>;
constexpr unsigned kUntouched = 0xabcdef01;

__global__ void sort(const __grid_constant__ Work work, bool* are_few) {
    hybrid_radix::take_plan(work);
    const bool are = hybrid_radix::sort_few_values(work, hybrid_radix::sample_anywhere(work));
    if (blockIdx.x == 0 && threadIdx.x == 0) *are_few = are;
    work.progress->barrier.arrive_and_wait();
    if (blockIdx.x == 0) hybrid_radix::forget_values(work);
}

struct Sorted {
    bool are_few;
    std::vector<unsigned> keys;
    bool is_forgotten;  ///< all is as the next launch must find it
};

/// @param few what counts as such: Fit::few_values
Sorted sorted(const std::vector<unsigned>& keys, unsigned few = kMostOfAll) {
    const auto n = static_cast<unsigned>(keys.size());
    const hybrid_radix::Limits limits{.one_block = 0, .bucket = 1000};
    Work work{};
    simt::DeviceArray<std::byte> lists(hybrid_radix::lay_out(work, n, limits, nullptr));
    simt::fill_async(lists.data(), 0, lists.size());
    hybrid_radix::lay_out(work, n, limits, lists.data());
    const simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)};
    Sorted sorted{false, std::vector<unsigned>(n, kUntouched), true};
    simt::DeviceArray<unsigned> out{std::span<const unsigned>(sorted.keys)}, spare(n);
    simt::DeviceArray<bool> are_few(1);
    work.in = in.data(), work.out = out.data(), work.spare = spare.data();
    work.planned.n = n;
    work.planned.few_values = few;
    work.map = KeyMap<unsigned>(order_of<unsigned>());
    simt::launch(
        sort,
        {kBlocks, hybrid_radix::kThreads, hybrid_radix::BlockMemory<Shape>::kBytes, nullptr, true},
        work, are_few.data());

    out.copy_to(std::span(sorted.keys));
    are_few.copy_to(std::span(&sorted.are_few, 1));
    std::vector<unsigned> table(std::size_t{4} * kMostOfAll);  // slots, and their counts
    simt::copy_async(table.data(), work.values, table.size() * sizeof(unsigned));
    hybrid_radix::Progress progress;
    simt::copy_async(&progress, work.progress, sizeof progress);
    simt::synchronize();
    const auto is_zero = [](unsigned word) { return word == 0; };
    sorted.is_forgotten = std::ranges::all_of(table, is_zero) && progress.values == 0 &&
                          std::ranges::all_of(progress.new_of_round, is_zero) &&
                          progress.rounds == 0;
    return sorted;
}

/// So many tiles for each block, whose keys are what `value` says of their place among the block's.
std::vector<unsigned> keys_of(unsigned tiles, std::function<unsigned(unsigned)> value) {
    std::vector<unsigned> keys;
    for (unsigned block = 0; block < kBlocks; ++block)
        for (unsigned i = 0; i < tiles * kTile; ++i) keys.push_back(value(i) * 0x85ebca6bu);
    return keys;
}

void expect_sorted(std::vector<unsigned> keys, unsigned few = kMostOfAll) {
    const Sorted got = sorted(keys, few);
    std::ranges::sort(keys);
    EXPECT_TRUE(got.are_few);
    EXPECT_TRUE(got.keys == keys);
    EXPECT_TRUE(got.is_forgotten);
}

void expect_too_many(const std::vector<unsigned>& keys, unsigned few = kMostOfAll) {
    const Sorted got = sorted(keys, few);
    EXPECT_FALSE(got.are_few);
    EXPECT_EQ(std::ranges::count(got.keys, kUntouched), std::ssize(keys));
    EXPECT_TRUE(got.is_forgotten);
}

TEST(HybridRadixValues, HandsInATableThatIsFull) {
    // Both blocks see all values, a few new ones in each tile: more than a table has room for.
    constexpr unsigned kTiles = 50, kValues = 2 * Table::kMost - 100;
    static_assert(kValues < kMostOfAll);
    auto keys = keys_of(kTiles, [](unsigned i) { return i / (kTiles * kTile / kValues + 1); });
    expect_sorted(keys);
    keys.resize(keys.size() - 1000);  // the last tile is not a whole one
    expect_sorted(keys);
}

// With the value 0, which no list has, and without.
TEST(HybridRadixValues, OrdersAnyNumberOfValues) {
    for (const unsigned values : {1, 2, 256, 257, 258, 259, 260, 1001})
        for (const unsigned first : {0, 1}) {
            SCOPED_TRACE(testing::Message() << values << " from " << first << " on");
            expect_sorted(keys_of(4, [=](unsigned i) { return first + i % values; }));
        }
}

TEST(HybridRadixValues, GivesUpWhereATableIsFullTooSoon) {
    expect_too_many(keys_of(8, [](unsigned i) { return i % (Table::kMost + 1); }));
    expect_sorted(keys_of(8, [](unsigned i) { return i % (Table::kMost - 1); }));
}

TEST(HybridRadixValues, GivesUpWhereAllTogetherSeeTooMany) {
    constexpr unsigned kFew = 150, kMost = 2 * kFew;
    const auto all_but = [](unsigned less) {  // the value 0 is one of them
        return keys_of(3, [=](unsigned i) { return i % (kMost - less); });
    };
    expect_sorted(all_but(0), kFew);
    std::vector<unsigned> keys = all_but(0);
    keys.back() = 12345;
    expect_too_many(keys, kFew);
}

// Values that go on to come as in the first tiles would be too many. (In truth there are no more.)
TEST(HybridRadixValues, GivesUpWhereThereWillBeTooMany) {
    constexpr unsigned kTiles = 64, kOfTile = 150, kNewTiles = 6;
    const auto values = [](unsigned i) {
        return std::min(i / (kTile / kOfTile), kNewTiles * kOfTile);
    };
    expect_too_many(keys_of(kTiles, values), kNewTiles * kOfTile);
    expect_sorted(keys_of(kTiles, values), kMostOfAll);
}

// The same for the table of a block, which is smaller than the list of all.
TEST(HybridRadixValues, GivesUpWhereATableWillBeFullTooSoon) {
    constexpr unsigned kTiles = 16, kNewTiles = 5;
    const auto values = [](unsigned of_tile) {
        return keys_of(kTiles, [=](unsigned i) {
            return std::min(i / (kTile / of_tile), kNewTiles * of_tile);
        });
    };
    constexpr unsigned kOfTile = 512;
    static_assert(kNewTiles * kOfTile < Table::kMost);
    expect_too_many(values(kOfTile));
    expect_sorted(values(kOfTile / 4));
}

using hybrid_radix::SampledValues;

__global__ void judge(SampledValues values, unsigned few, unsigned n, bool* are_few) {
    *are_few = values.are_few<16'384>(few, n);
}

bool are_few(SampledValues values, unsigned n = 1u << 24) {
    simt::DeviceArray<bool> answer(1);
    simt::launch(judge, {1, 1, 0, nullptr}, values,
                 hybrid_radix::few_values(n, hybrid_radix::UnevenWay::sooner), n, answer.data());
    bool are = false;
    answer.copy_to(std::span(&are, 1));
    return are;
}

// What 512 samples have on average of so many values that are as frequent as each other: by hand.
TEST(HybridRadixValues, AreFewByHowManyAreSampledOnceAndTwice) {
    const SampledValues of_1000{401, 307, 79, 0}, of_3000{471, 432, 37, 0},
        of_100000{511, 510, 1, 0};
    EXPECT_TRUE(are_few(of_1000));
    EXPECT_TRUE(are_few(of_3000));
    EXPECT_FALSE(are_few(of_100000));
    EXPECT_FALSE(are_few(of_3000, 1u << 20)) << "each has 350 keys";
    EXPECT_FALSE(are_few(of_1000, 1000));
}

TEST(HybridRadixValues, AreManyWhereNewOnesGoOnToComeAsInAPowerLaw) {
    // Of a power law, those of one sample to all are as the exponent, and half of it is left for
    // those of two: 0.7 * (1 - 0.7) / 2 of 120.
    constexpr SampledValues kLongTail{120, 84, 13, 0}, kShortTail{120, 84, 30, 0};
    EXPECT_FALSE(are_few(kLongTail));
    EXPECT_TRUE(are_few(kShortTail));
    // 20 * 2^(0.4 * 16) are no more than there may be.
    EXPECT_TRUE(are_few({20, 8, 2, 0}));
}

TEST(HybridRadixValues, AreFewWhereKeysComeInLongRuns) {
    EXPECT_FALSE(are_few({512, 512, 0, 0}));
    EXPECT_FALSE(are_few({512, 512, 0, 300}));  // 2^16 * 212 / 512 runs
    EXPECT_TRUE(are_few({512, 512, 0, 480}));
    // A few that are frequent do not matter; but of uneven values many are rarer than what was
    // sampled, so more of that has to be in runs.
    EXPECT_TRUE(are_few({100, 90, 1, 60}));
    EXPECT_FALSE(are_few({100, 80, 1, 50}));
    EXPECT_FALSE(are_few({100, 40, 1, 24}));
    EXPECT_TRUE(are_few({100, 40, 1, 32}));
    // Values of a power law have shorter runs, too.
    EXPECT_FALSE(are_few({120, 84, 13, 80}));
}

__global__ void look_for_runs(const __grid_constant__ Work work, unsigned* in_runs) {
    hybrid_radix::take_plan(work);
    const bool is = hybrid_radix::is_of_run(work, hybrid_radix::sample_anywhere(work));
    const auto all = static_cast<unsigned>(__syncthreads_count(is));
    if (threadIdx.x == 0) *in_runs = all;
}

TEST(HybridRadixValues, AreOfRunsWhereTheNextKeysAreEqual) {
    constexpr unsigned kKeys = 1u << 18;  // a run is longer than 2^18 / 2^16 keys
    const auto in_runs_of = [](unsigned length) {
        std::vector<unsigned> keys(kKeys);
        for (unsigned i = 0; i < kKeys; ++i) keys[i] = i / length;
        const simt::DeviceArray<unsigned> in{std::span<const unsigned>(keys)};
        simt::DeviceArray<unsigned> in_runs(1);
        Work work{};
        work.in = in.data();
        work.planned.n = kKeys;
        work.map = KeyMap<unsigned>(order_of<unsigned>());
        simt::launch(look_for_runs, {1, hybrid_radix::kThreads, 0, nullptr}, work, in_runs.data());
        unsigned answer = 0;
        in_runs.copy_to(std::span(&answer, 1));
        return answer;
    };
    EXPECT_EQ(in_runs_of(4), 0);
    EXPECT_NEAR(in_runs_of(8), hybrid_radix::kSamples / 2, hybrid_radix::kSamples / 8);
    EXPECT_GT(in_runs_of(1u << 12), hybrid_radix::kSamples - 8);
}

template <class Bits>
__global__ void hash_all(const Bits* samples, unsigned* slots) {
    slots[threadIdx.x] =
        hybrid_radix::hash_of_sample(samples[threadIdx.x]) >> (32 - Shape::kMaxCountedBits);
}

/// In how many slots samples at equal distances are.
template <class Bits>
std::size_t slots_of(Bits step) {
    std::vector<Bits> samples(hybrid_radix::kSamples);
    for (Bits i = 0; i < samples.size(); ++i) samples[i] = step * i;
    const simt::DeviceArray<Bits> in{std::span<const Bits>(samples)};
    simt::DeviceArray<unsigned> out(samples.size());
    simt::launch(hash_all<Bits>, {1, hybrid_radix::kSamples, 0, nullptr}, in.data(), out.data());
    std::vector<unsigned> slots(samples.size());
    out.copy_to(std::span(slots));
    return std::set(slots.begin(), slots.end()).size();
}

TEST(HybridRadixValues, SamplesInAPatternAreScattered) {
    // Of 512 in 2^13 slots, 16 meet another one where chance has put them there. The last step is
    // such that a product with the golden ratio's bits puts all of them into one.
    constexpr std::size_t kNearlyAll = hybrid_radix::kSamples - 32;
    for (const unsigned step : {1u, 819u, 1163u, 1u << 12, 1u << 20, 0x144cbc89u}) {
        SCOPED_TRACE(step);
        EXPECT_GT(slots_of<unsigned>(step), kNearlyAll);
        EXPECT_GT(slots_of<unsigned long long>(step), kNearlyAll);
        EXPECT_GT(slots_of<unsigned long long>(step * 0x1'0000'0001ull), kNearlyAll);
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
