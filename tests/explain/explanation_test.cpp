// What limits a call, for made-up counts.
#include "src/explain/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace stream_compaction {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// A launch costs 2 us, and moving 1000 bytes takes 1 us.
constexpr DeviceCosts kCosts{.launch_us = 2, .bytes_per_us = 1000};

/// 1000 elements; loads and stores move this many bytes each.
CountedCall counted(std::size_t launches, std::uint64_t bytes) {
    CountedCall call{.n = 1000, .launches = launches, .total = {}};
    GlobalCounts moves{.requests = bytes / 128,
                       .lanes = bytes / 4,
                       .sectors = bytes / kSectorBytes,
                       .bytes_asked = bytes};
    call.total.accesses.loads = moves;
    call.total.accesses.stores = moves;
    return call;
}

TimedCall in_microseconds(double us, std::size_t n = 1000) {
    return {.n = n, .microseconds = us, .costs = kCosts};
}

TEST(Explanation, SharesAreOfTheTime) {
    const Explanation why = explain(counted(5, 6400), in_microseconds(100));
    EXPECT_DOUBLE_EQ(why.launches_share, 0.10);  // 5 launches of 2 us
    EXPECT_DOUBLE_EQ(why.memory_share, 0.128);   // 12800 bytes
}

TEST(Explanation, BytesAreScaledAndLaunchesAreNot) {
    const Explanation why = explain(counted(5, 6400), in_microseconds(100, 4000));
    EXPECT_DOUBLE_EQ(why.launches_share, 0.10);
    EXPECT_DOUBLE_EQ(why.memory_share, 4 * 0.128);
}

TEST(Explanation, BulkLoadsAreMovedToo) {
    CountedCall call = counted(1, 0);
    call.total.bulk_loads = {.copies = 1, .bytes = 8000};
    EXPECT_DOUBLE_EQ(explain(call, in_microseconds(10)).memory_share, 0.8);
}

TEST(Explanation, TheLargerOfBothBoundsWhereTheyExplainHalf) {
    EXPECT_EQ(explain(counted(30, 6400), in_microseconds(100)).bound, Bound::launches);
    EXPECT_EQ(explain(counted(5, 32000), in_microseconds(100)).bound, Bound::memory);
    EXPECT_EQ(explain(counted(25, 0), in_microseconds(100)).bound, Bound::launches);  // half
    // 30 % and 25.6 %: neither share alone is one half.
    EXPECT_EQ(explain(counted(15, 12800), in_microseconds(100)).bound, Bound::launches);
    EXPECT_EQ(explain(counted(12, 12800), in_microseconds(100)).bound, Bound::waiting);
}

TEST(Explanation, CachesMayServeMoreThanTheMemoryCould) {
    const Explanation why = explain(counted(1, 64000), in_microseconds(100));
    EXPECT_EQ(why.bound, Bound::memory);
    EXPECT_DOUBLE_EQ(why.memory_share, 1.28);
}

TEST(Explanation, BankConflictsBoundWhatNeitherExplains) {
    CountedCall call = counted(1, 6400);
    call.total.accesses.shared = {.requests = 100, .lanes = 3200, .conflicts = 100};
    EXPECT_EQ(explain(call, in_microseconds(1000)).bound, Bound::shared_memory);
    EXPECT_EQ(explain(call, in_microseconds(10)).bound, Bound::memory);
    call.total.accesses.shared.conflicts = 99;
    EXPECT_EQ(explain(call, in_microseconds(1000)).bound, Bound::waiting);
}

TEST(Explanation, InWords) {
    CountedCall call = counted(30, 6400);
    EXPECT_EQ(in_words(call, in_microseconds(100)),
              "bound by launches: 30 launches would take 60 % of the time, 12.8 kB moved 13 %; "
              "100 % of these used, 32.0 of 32 lanes active, no shared memory");
    EXPECT_THAT(in_words(call, in_microseconds(100, 4000)),
                HasSubstr("51.2 kB moved 51 %; 100 % of these used"));
    EXPECT_THAT(in_words(call, in_microseconds(100, 4000)),
                EndsWith("; counted at n = 1000, bytes scaled, launches not"));
    EXPECT_EQ(in_words(call, 1000),
              "30 launches, 12.8 kB moved, 100 % of these used, 32.0 of 32 lanes active, no shared "
              "memory");
}

TEST(Explanation, InWordsOfWhatIsWasted) {
    CountedCall call = counted(1, 6400);
    call.total.accesses.stores.bytes_asked = 1280;
    call.total.accesses.stores.lanes = 400;
    EXPECT_THAT(in_words(call, 1000), HasSubstr("60 % of these used, 20.0 of 32 lanes active"));
    call.total.accesses.shared = {.requests = 100, .lanes = 3200, .conflicts = 0};
    EXPECT_THAT(in_words(call, 1000), EndsWith(", no bank conflicts"));
    call.total.accesses.shared.conflicts = 150;
    EXPECT_THAT(in_words(call, 1000), EndsWith(", 1.50 bank conflicts a request"));
    EXPECT_THAT(in_words(call, in_microseconds(1e6)),
                HasSubstr("bound by shared memory: 1 launch "));
    call.total.accesses.shared.conflicts = 0;
    EXPECT_THAT(in_words(call, in_microseconds(1e6)), HasSubstr("bound by waiting: "));
}

TEST(Explanation, InWordsHasBytesThatCanBeRead) {
    for (const auto& [bytes, text] : {std::pair<std::uint64_t, const char*>{480, "960 B moved"},
                                      {512, "1.0 kB moved"},
                                      {480'000, "960.0 kB moved"},
                                      {512'000, "1.0 MB moved"},
                                      {480'000'000, "960.0 MB moved"},
                                      {512'000'000, "1.0 GB moved"}})
        EXPECT_THAT(in_words(counted(1, bytes), 1000), HasSubstr(text));
}

TEST(Explanation, InWordsOfCountsAloneOfAnotherSize) {
    EXPECT_EQ(in_words(counted(30, 6400), 2500),
              "30 launches, 32.0 kB moved, 100 % of these used, 32.0 of 32 lanes active, no shared "
              "memory; counted at n = 1000, bytes scaled, launches not");
    CountedCall of_nothing = counted(1, 6400);
    of_nothing.n = 0;
    EXPECT_THAT(in_words(of_nothing, 0), HasSubstr("12.8 kB moved"));
}

TEST(Explanation, InWordsOfNoAccessAtAll) {
    EXPECT_EQ(in_words(counted(2, 0), 1000),
              "2 launches, 0 B moved, 0 % of these used, no shared memory");
}

}  // namespace
}  // namespace stream_compaction
