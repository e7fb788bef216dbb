// The cuts of the ranks' sorted sequence, computed from counts of digits, and the bins between
// them.
#include "stream_compaction/distributed/layout.h"

#include "stream_compaction/distributed.h"
#include "tests/sizes.h"

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
            for (const auto& bucket : cuts.buckets()) {
                std::vector<unsigned> of_bucket(std::size_t{1} << digit_bits, 0);
                for (const unsigned key : own)
                    if (std::uint64_t{key} >> cuts.shift() == bucket.prefix)
                        ++of_bucket[key >> (cuts.shift() - digit_bits) & ((1u << digit_bits) - 1)];
                counts.insert(counts.end(), of_bucket.begin(), of_bucket.end());
            }
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
    for (int round = 0; round < rounds(200); ++round) {
        const Keys keys = random_keys(random, round % 3 == 0   ? 3
                                              : round % 3 == 1 ? 300
                                                               : 1u << kBits);
        const auto sizes = keys.sizes();
        const auto total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
        std::vector<std::uint64_t> targets(random() % distributed::kMostRanks);
        if (total < 2) targets.clear();
        for (std::uint64_t& target : targets) target = 1 + random() % (total - 1);
        std::ranges::sort(targets);

        const unsigned first_bits = 1 + random() % kBits;
        distributed::Cuts cuts(targets, sizes, kBits, first_bits);
        while (cuts.shift() > 0 && !targets.empty()) {
            if (cuts.shift() < kBits) {
                ASSERT_LE(cuts.buckets().size() << cuts.digit_bits(),
                          1u << distributed::kCountersLog2);
            }
            cuts.refine(keys.count(cuts));
            std::uint64_t end = 0;
            auto target = targets.begin();
            for (const auto& bucket : cuts.buckets()) {
                ASSERT_GE(bucket.begin(), end);
                end = bucket.begin() + bucket.size();
                ASSERT_EQ(bucket.before, keys.before(bucket.prefix, cuts.shift()));
                const auto before = keys.before(bucket.prefix + 1, cuts.shift());
                for (std::size_t r = 0; r < before.size(); ++r)
                    ASSERT_EQ(bucket.before[r] + bucket.inside[r], before[r]);
                const auto first = target;
                while (target != targets.end() && *target > bucket.begin() && *target <= end)
                    ++target;
                ASSERT_NE(target, first) << "a bucket without a cut";
            }
            ASSERT_EQ(target, targets.end()) << "a cut without a bucket";
        }
        if (targets.empty()) continue;
        const unsigned digit_bits = static_cast<unsigned>(random() % (first_bits + 1));
        const std::uint64_t values = 1u << (first_bits - digit_bits);
        std::vector<std::uint64_t> before(sizes.size(), 0);
        for (std::uint64_t digit = 0; digit < 1u << digit_bits; ++digit) {
            ASSERT_EQ(before, keys.before(digit, kBits - digit_bits));
            for (std::size_t r = 0; r < before.size(); ++r)
                before[r] += cuts.first_count(r, digit * values, values);
        }
        ASSERT_EQ(before, sizes);
    }
}

/// A layout's bins are ranges of numbers: the device finds a number's bin by its digit and by the
/// splits. Each key must be counted in that bin, and each range must have one owner.
TEST(Layout, CountsTheKeysOfEachBin) {
    constexpr unsigned kBits = 16;
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
        const Keys keys = random_keys(random, round % 3 == 0   ? 5
                                              : round % 3 == 1 ? 300
                                                               : 1u << kBits);
        distributed::Parts parts{keys.sizes(), {0}};
        const auto total = std::accumulate(parts.in.begin(), parts.in.end(), std::uint64_t{0});
        for (std::size_t r = 1; r < parts.in.size(); ++r)
            parts.out_begin.push_back(
                std::min(total, parts.out_begin.back() + random() % (total + 1)));
        parts.out_begin.push_back(total);
        const unsigned first_bits = 2 + random() % 8;
        distributed::Cuts cuts(parts.cuts(), parts.in, kBits, first_bits);
        const unsigned digits = random() % 4;
        for (unsigned d = 0; d < digits && cuts.shift() > 0 && !parts.cuts().empty(); ++d)
            cuts.refine(keys.count(cuts));
        const bool is_counted = cuts.has_first();
        const unsigned digit_bits =
            is_counted ? static_cast<unsigned>(random() % (first_bits + 1)) : 0;
        const distributed::Layout layout(cuts, parts, digit_bits);

        std::vector<std::vector<std::uint64_t>> inside(
            layout.bins().size(), std::vector<std::uint64_t>(parts.in.size(), 0));
        ASSERT_EQ(inside.size(), (std::size_t{1} << digit_bits) + layout.splits().size());
        for (std::size_t r = 0; r < parts.in.size(); ++r)
            for (const unsigned key : keys.of_ranks[r])
                ++inside[(key >> (kBits - digit_bits)) +
                         static_cast<std::size_t>(std::ranges::count_if(
                             layout.splits(), [&](auto split) { return split < key; }))][r];
        std::uint64_t begin = 0;
        std::vector<std::uint64_t> arrived(parts.in.size(), 0);
        for (std::size_t b = 0; b < inside.size(); ++b) {
            const auto& bin = layout.bins()[b];
            ASSERT_TRUE(std::ranges::equal(bin.inside, inside[b])) << "bin " << b;
            if (bin.size == 0) continue;
            ASSERT_EQ(bin.begin, begin);
            begin += bin.size;
            ASSERT_EQ(bin.owner, parts.owner(bin.begin));
            if (bin.is_bucket) continue;
            ASSERT_EQ(parts.piece(bin.begin, bin.size, bin.owner).size, bin.size) << "a cut";
            ASSERT_EQ(layout.arrival(bin), arrived[bin.owner]);
            arrived[bin.owner] += bin.size;
            ASSERT_LE(arrived[bin.owner], layout.range(bin.owner).size);
        }
        ASSERT_EQ(begin, total);
    }
}

TEST(Distributed, SortsForNoMoreRanksAndKeysThanItSays) {
    EXPECT_THROW((void)distributed::Sort<int>::workspace_bytes(1, 1, 129), std::invalid_argument);
    EXPECT_GT(distributed::Sort<int>::workspace_bytes(1, 1, 128), 0u);
    const std::size_t many = (std::size_t{1} << 31) + 1;
    EXPECT_THROW((void)distributed::Sort<int>::workspace_bytes(many, 1, 2), std::invalid_argument);
    EXPECT_GT(distributed::Sort<int>::workspace_bytes(many, 1, 1), many);
}

}  // namespace
}  // namespace stream_compaction
