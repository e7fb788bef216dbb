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

/// The keys of several ranks; the host counts their digits.
struct Keys {
    std::vector<std::vector<unsigned>> of_ranks;

    std::vector<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> all;
        for (const auto& own : of_ranks) all.push_back(own.size());
        return all;
    }
    std::vector<std::uint64_t> count(const distributed::Cuts& cuts) const {
        const unsigned digit_bits = cuts.digit_bits();
        std::vector<std::uint64_t> counts;
        for (const auto& own : of_ranks)
            for (const auto& bucket : cuts.buckets())
                for (std::uint64_t digit = 0; digit < 1u << digit_bits; ++digit)
                    counts.push_back(static_cast<std::uint64_t>(std::ranges::count(
                        own, bucket.prefix << digit_bits | digit, [&](unsigned key) {
                            return std::uint64_t{key} >> (cuts.shift() - digit_bits);
                        })));
        return counts;
    }
    /// The number of each rank's keys with a smaller prefix.
    std::vector<std::uint64_t> before(std::uint64_t prefix, unsigned shift) const {
        std::vector<std::uint64_t> all;
        for (const auto& own : of_ranks)
            all.push_back(static_cast<std::uint64_t>(std::ranges::count_if(
                own, [&](unsigned key) { return std::uint64_t{key} >> shift < prefix; })));
        return all;
    }
};

Keys random_keys(std::mt19937& random, unsigned range) {
    Keys keys{std::vector<std::vector<unsigned>>(1 + random() % 4)};
    for (auto& own : keys.of_ranks) {
        own.resize(1 + random() % 50);
        for (unsigned& key : own) key = random() % range;
    }
    return keys;
}

TEST(Cuts, AreInBucketsWhoseKeysAreCounted) {
    constexpr unsigned kBits = 16;
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const Keys keys = random_keys(random, round % 3 == 0   ? 3
                                              : round % 3 == 1 ? 300
                                                               : 1u << kBits);
        const auto sizes = keys.sizes();
        const auto total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
        std::vector<std::uint64_t> targets(random() % distributed::kMostRanks);
        if (total < 2) targets.clear();
        for (std::uint64_t& target : targets) target = 1 + random() % (total - 1);
        std::ranges::sort(targets);

        distributed::Cuts cuts(targets, sizes, kBits);
        while (cuts.shift() > 0 && !targets.empty()) {
            ASSERT_LE(cuts.buckets().size() << cuts.digit_bits(), distributed::kCounters);
            cuts.refine(keys.count(cuts));
            std::uint64_t end = 0, kept = 0;
            auto target = targets.begin();
            for (const auto& bucket : cuts.buckets()) {
                ASSERT_GE(bucket.begin(), end);
                end = bucket.begin() + bucket.size();
                kept += bucket.size();
                ASSERT_EQ(bucket.before, keys.before(bucket.prefix, cuts.shift()));
                const auto before = keys.before(bucket.prefix + 1, cuts.shift());
                for (std::size_t r = 0; r < before.size(); ++r)
                    ASSERT_EQ(bucket.before[r] + bucket.inside[r], before[r]);
                const auto first = target;
                while (target != targets.end() && *target > bucket.begin() && *target <= end)
                    ++target;
                ASSERT_TRUE(cuts.are_few() || target != first) << "a bucket without a cut";
            }
            ASSERT_EQ(target, targets.end()) << "a cut without a bucket";
            if (cuts.are_few()) {
                ASSERT_EQ(kept, total);
                ASSERT_LE(cuts.buckets().size(),
                          std::max<std::size_t>(distributed::kFewBuckets, 1));
            }
        }
    }
}

/// 64 values are few, 65 are not; whether digits of all of them have been counted is known later.
TEST(Cuts, KeepAllBucketsOfFewValues) {
    for (const unsigned values : {1u, distributed::kFewBuckets, distributed::kFewBuckets + 1}) {
        Keys keys{{{}, {}}};
        for (unsigned v = 0; v < values; ++v)
            keys.of_ranks[v % 2].insert(keys.of_ranks[v % 2].end(), 2, 7 * v);
        distributed::Cuts cuts({values}, keys.sizes(), 16);
        EXPECT_FALSE(cuts.are_few());
        while (cuts.shift() > 0) cuts.refine(keys.count(cuts));
        EXPECT_EQ(cuts.are_few(), values <= distributed::kFewBuckets);
        EXPECT_EQ(cuts.buckets().size(), values <= distributed::kFewBuckets ? values : 1);
    }
}

TEST(Distributed, SortsForNoMoreRanksThanItSays) {
    EXPECT_THROW((void)distributed::Sort<int>::workspace_bytes(1, 1, 257), std::invalid_argument);
    EXPECT_GT(distributed::Sort<int>::workspace_bytes(1, 1, 256), 0u);
}

}  // namespace
}  // namespace stream_compaction
