// The lists in hybrid_radix's workspace have room for whatever the keys make of them.
#include "stream_compaction/hybrid_radix.h"

#include "simt/memory.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/hybrid_radix/sorts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace stream_compaction {
namespace {

// Many buckets of few keys: in each level, a key of each segment has another digit than the others.
TEST(HybridRadixLists, HaveRoomForABucketInEveryLevel) {
    constexpr std::size_t kBucket = 100;
    constexpr int kBits = 64, kPrefixBits = 12;
    constexpr std::size_t kOfGroup = kBucket + 1 + kBits - kPrefixBits;
    // As many groups as there are prefixes, where a GPU makes that quick.
    const std::size_t most = simt::kBackend == simt::Backend::cuda ? 600'000 : 60'000;
    for (const std::size_t n : without_too_large({most})) {
        std::vector<std::uint64_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t group = i / kOfGroup, of_group = i % kOfGroup;
            const std::uint64_t prefix = (group + 1) << (kBits - kPrefixBits);
            keys[i] = of_group < kBits - kPrefixBits ? prefix | 1ull << of_group : prefix;
        }
        std::ranges::shuffle(keys, std::mt19937(1));
        hybrid_radix::Sort<std::uint64_t> sort(n, {}, {}, by_splitters({0, kBucket, 1, 0}));
        expect_sorted(sort, keys);
    }
}

// Limits that only a test chooses: lists are as long as few keys in a bucket make them.
TEST(HybridRadixLists, AreLongEnoughForTinyBuckets) {
    struct Case {
        std::size_t n, bucket;
        unsigned uneven;
        unsigned (*make)(unsigned random);
    };
    const Case cases[] = {
        {10'000, 2, 1, [](unsigned r) { return r >> 12; }},
        {75'000, 31, 1, [](unsigned r) { return ((r >> 9) % 64 * 64 + 5) << 9 | r % 512; }},
        {20, 2, 4, [](unsigned r) { return ~0u - r % 7; }},
        {60, 3, 4, [](unsigned r) { return ~0u - r % 30; }},
        {5'000, 2, 1, [](unsigned r) { return r % 128; }},
    };
    for (const Case& one : cases)
        for (const std::size_t one_partition : {std::size_t{0}, one.n}) {
            SCOPED_TRACE(testing::Message() << one.n << " keys, buckets of " << one.bucket);
            if (without_too_large({one.n}).empty()) continue;
            std::mt19937 random(7);
            std::vector<unsigned> keys(one.n);
            for (unsigned& key : keys) key = one.make(static_cast<unsigned>(random()));
            hybrid_radix::Sort<unsigned> sort(
                one.n, {}, {}, by_splitters({0, one.bucket, one.uneven, one_partition}));
            expect_sorted(sort, keys);
        }
}

TEST(HybridRadixWorkspace, IsASecondArrayAndListsAsDocumented) {
    constexpr std::size_t kLargeBucket = 11'776;  // of a GPU with 160 KB of shared memory or more
    const bool are_large = hybrid_radix::Sort<int>::default_limits().bucket == kLargeBucket;
    const auto expect_documented = [&]<class Key>(std::size_t n, Key) {
        const bool is_huge = n > std::size_t{1} << 31;
        const std::size_t percent = are_large ? (is_huge ? 7 : 5) : (is_huge ? 11 : 7);
        const std::size_t keys = n * sizeof(Key), lists = 1'400'000;
        EXPECT_LE(hybrid_radix::Sort<Key>::workspace_bytes(n),
                  keys + std::max(keys / 100 * percent, lists))
            << n << " keys of " << sizeof(Key);
    };
    for (const int power : {14, 16, 19, 21, 22, 23, 24, 26, 28, 33}) {
        expect_documented(std::size_t{1} << power, 0);
        expect_documented(std::size_t{1} << power, 0.0);
    }
}

}  // namespace
}  // namespace stream_compaction
