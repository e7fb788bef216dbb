// The cuts of the ranks' sorted sequence, computed from counts of digits.
#include "stream_compaction/distributed/cuts.h"

#include "stream_compaction/distributed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace stream_compaction {
namespace {

/// Counts the digits on the host.
TEST(Cuts, AreWhereTheSortedWholeIsCut) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const unsigned ranks = 1 + random() % 4, bits = 16;
        const unsigned range = round % 3 == 0 ? 3 : round % 3 == 1 ? 300 : 1u << bits;
        std::vector<std::vector<unsigned>> keys(ranks);
        std::vector<std::uint64_t> sizes;
        std::size_t total = 0;
        for (auto& own : keys) {
            own.resize(random() % 50);
            for (unsigned& key : own) key = random() % range;
            total += own.size();
            sizes.push_back(own.size());
        }
        std::vector<std::uint64_t> targets(random() % 600);
        for (std::uint64_t& target : targets) target = random() % (total + 1);
        std::ranges::sort(targets);

        distributed::Cuts cuts(targets, sizes, bits);
        while (cuts.shift() > 0) {
            const unsigned digit_bits = cuts.digit_bits();
            const std::vector<std::uint64_t> prefixes = cuts.prefixes();
            std::vector<std::uint64_t> counts;
            for (const auto& own : keys)
                for (const std::uint64_t prefix : prefixes)
                    for (std::uint64_t digit = 0; digit < 1u << digit_bits; ++digit)
                        counts.push_back(static_cast<std::uint64_t>(std::ranges::count(
                            own, prefix << digit_bits | digit, [&](unsigned key) {
                                return std::uint64_t{key} >> (cuts.shift() - digit_bits);
                            })));
            ASSERT_LE(prefixes.size() << digit_bits, distributed::kCounters);
            cuts.refine(counts);
        }
        for (std::size_t c = 0; c < targets.size(); ++c) {
            const std::vector<std::uint64_t> before = cuts.keys_before(c);
            ASSERT_EQ(std::accumulate(before.begin(), before.end(), std::uint64_t{0}), targets[c]);
            std::vector<unsigned> smaller, larger;
            for (unsigned r = 0; r < ranks; ++r) {
                std::vector<unsigned> sorted = keys[r];
                std::ranges::sort(sorted);
                const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(before[r]);
                smaller.insert(smaller.end(), sorted.begin(), middle);
                larger.insert(larger.end(), middle, sorted.end());
            }
            if (!smaller.empty() && !larger.empty()) {
                ASSERT_LE(std::ranges::max(smaller), std::ranges::min(larger));
            }
        }
    }
}

TEST(Distributed, SortsForNoMoreRanksThanItHasCuts) {
    EXPECT_THROW((void)distributed::Sort<int>::workspace_bytes(1, 1, 513), std::invalid_argument);
    EXPECT_GT(distributed::Sort<int>::workspace_bytes(1, 1, 512), 0u);
}

}  // namespace
}  // namespace stream_compaction
