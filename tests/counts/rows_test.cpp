// Memory accesses of rows, computed from their algorithms.
#include "simt/emulated/executor.h"
#include "src/counts/count_program.h"
#include "src/counts/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

constexpr std::size_t kInt = sizeof(int);

class Rows : public testing::Test {
  public:
    Rows() { simt::set_options({.workers = 1}); }
    ~Rows() override { simt::set_options({}); }

  protected:
    std::vector<LaunchCounts> scan(std::string_view name, std::size_t n) {
        return scan(*find(backend_registry(), Operation::scan, name), n, {});
    }

    /// @param padding empty: the default
    std::vector<LaunchCounts> scan(const Algorithm& row, std::size_t n,
                                   std::optional<int> padding) {
        Tuning tuning = row.tuned;
        tuning.padding = padding.value_or(tuning.padding);
        const std::vector<int> input(n, 1);
        std::vector<int> output(n);
        (void)recorder_.take();
        (void)row.run(input, output, tuning);
        std::vector<LaunchCounts> counts;
        for (const Launch& launch : recorder_.take()) counts.push_back(launch.counts);
        return counts;
    }

    Recorder recorder_;
};

TEST_F(Rows, NaiveAsksForTwoWordsOfEachElementALevel) {
    for (const std::size_t n : {1u, 2u, 1000u, 4096u}) {
        const auto launches = scan("naive", n);
        const auto levels = static_cast<std::size_t>(std::bit_width(n - 1));  // ceil(log2 n)
        ASSERT_EQ(launches.size(), levels + 1) << n;
        for (std::size_t level = 0; level < levels; ++level) {
            const std::size_t distance = std::size_t{1} << level;
            const std::size_t first = level < 2 ? 0 : distance / 2;
            const AccessCounts& counts = launches[level].accesses;
            // Loads of the element, and of the element a distance before it. Lanes are counted,
            // because a byte that two lanes of a request access counts as requested once.
            EXPECT_EQ(counts.loads.lanes, (n - first) + (n - distance)) << n << ' ' << level;
            EXPECT_EQ(counts.loads.bytes_asked, counts.loads.lanes * kInt) << n << ' ' << level;
            EXPECT_EQ(counts.stores.bytes_asked, (n - first) * kInt) << n << ' ' << level;
        }
        EXPECT_EQ(launches.back().accesses.loads.bytes_asked, (n - 1) * kInt);
        EXPECT_EQ(launches.back().accesses.stores.bytes_asked, n * kInt);
    }
}

TEST_F(Rows, NaiveMovesOneSectorMoreWhereNeighboursAreNotAligned) {
    constexpr std::size_t kN = 4096, kWarps = kN / 32;
    const auto launches = scan("naive", kN);
    // Distance 1: in the second load, the first lane of the first warp is inactive, and the warp
    // touches 4 sectors. The other warps begin one word early, and touch 5 sectors.
    const GlobalCounts& loads = launches.front().accesses.loads;
    EXPECT_EQ(loads.requests, 2 * kWarps);
    EXPECT_EQ(loads.sectors, 4 * kWarps + 4 + 5 * (kWarps - 1));
    EXPECT_EQ(launches.front().accesses.stores.sectors, 4 * kWarps);
}

TEST_F(Rows, EfficientHalvesItsActiveThreadsFromLevelToLevel) {
    constexpr std::size_t kN = 4096, kLevels = 12;
    const auto launches = scan("efficient", kN);
    ASSERT_EQ(launches.size(), 2 * kLevels);
    for (std::size_t level = 0; level < kLevels; ++level) {
        const std::size_t nodes = kN >> (level + 1);
        const LaunchCounts &up = launches[level], &down = launches[2 * kLevels - 1 - level];
        EXPECT_EQ(up.active_threads, nodes);
        EXPECT_EQ(down.active_threads, nodes);
        // Up: two children, one sum; the leaves are also copied. Down: two loads, except in the
        // root, which reads only one; two stores.
        const std::size_t copied = level == 0 ? nodes : 0;
        EXPECT_EQ(up.accesses.loads.lanes, 2 * nodes + copied);
        EXPECT_EQ(up.accesses.stores.lanes, nodes + copied);
        EXPECT_EQ(down.accesses.loads.lanes, nodes == 1 ? 1 : 2 * nodes);
        EXPECT_EQ(down.accesses.stores.lanes, 2 * nodes);
        // From the third level on, each node is alone in its sector.
        const std::size_t stride = std::size_t{2} << level;
        if (stride >= 8) {
            EXPECT_EQ(up.accesses.stores.sectors, nodes);
        }
    }
}

TEST_F(Rows, EfficientPlusHasNoBankConflicts) {
    std::uint64_t requests = 0;
    for (const LaunchCounts& launch : scan("efficient_plus", 1 << 15)) {
        EXPECT_EQ(launch.accesses.shared.conflicts, 0u);
        requests += launch.accesses.shared.requests;
    }
    EXPECT_GT(requests, 0u);
}

TEST_F(Rows, EfficientPlusHasBankConflictsWithoutPadding) {
    constexpr std::size_t kN = 1 << 15;
    const Algorithm& row = *find(backend_registry(), Operation::scan, "efficient_plus");
    const auto with = scan(row, kN, 1), without = scan(row, kN, 0);
    ASSERT_EQ(with.size(), without.size());
    EXPECT_GT(without.front().accesses.shared.conflicts, 0u);
    // Padding moves words, and changes nothing else.
    for (std::size_t i = 0; i < with.size(); ++i) {
        EXPECT_EQ(without[i].accesses.shared.requests, with[i].accesses.shared.requests);
        EXPECT_EQ(without[i].accesses.shared.lanes, with[i].accesses.shared.lanes);
        EXPECT_EQ(without[i].accesses.loads.sectors, with[i].accesses.loads.sectors);
    }
}

/// Every algorithm reads its input at least once, and writes its output.
TEST_F(Rows, NoneAsksForLessThanTheOperationNeeds) {
    constexpr std::size_t kN = 5000;
    std::vector<int> input(kN);
    for (std::size_t i = 0; i < kN; ++i) input[i] = static_cast<int>(i % 7 != 0 ? i : 0);
    const std::size_t zeros = static_cast<std::size_t>(std::ranges::count(input, 0));
    std::size_t counted = 0;
    for (const Algorithm& row : backend_registry().rows) {
        if (row.run == nullptr || row.runs_on == Place::host || row.name.starts_with("thrust"))
            continue;
        std::vector<int> output(kN);
        (void)recorder_.take();
        const Outcome outcome = row.run(input, output, row.tuned);
        LaunchCounts all;
        for (const Launch& launch : recorder_.take()) all += launch.counts;
        const std::size_t written = row.operation == Operation::compact ? kN - zeros : kN;
        EXPECT_EQ(outcome.count, written) << row.name;
        const auto& [loads, stores, shared, global_atomics, shared_atomics] = all.accesses;
        EXPECT_GE(loads.bytes_asked + all.bulk_loads.bytes, kN * kInt) << row.name;
        EXPECT_GE(stores.bytes_asked, written * kInt) << row.name;
        for (const GlobalCounts& counts : {loads, stores}) {
            EXPECT_LE(counts.bytes_asked, counts.bytes_moved()) << row.name;
            EXPECT_LE(counts.requests, counts.lanes) << row.name;
            EXPECT_LE(counts.lanes, 32 * counts.requests) << row.name;
        }
        EXPECT_LE(all.active_threads, all.threads) << row.name;
        ++counted;
    }
    EXPECT_GT(counted, 0u);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
