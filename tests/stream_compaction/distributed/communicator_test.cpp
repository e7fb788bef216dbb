// Communication between ranks that are threads of this process, and how all of them end if one
// fails.
#include "stream_compaction/distributed.h"

#include "stream_compaction/distributed/shareable.h"
#include "tests/stream_compaction/distributed/errors_of.h"
#include "tests/stream_compaction/distributed/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

using testing::HasSubstr;

TEST(Communicator, GathersWordsInTheOrderOfRanks) {
    run_ranks(4, [](Communicator& ranks) {
        for (std::uint64_t round = 0; round < 50; ++round) {
            const std::uint64_t own[] = {round, ranks.rank()};
            EXPECT_THAT(ranks.all_gather(own),
                        testing::ElementsAre(round, 0, round, 1, round, 2, round, 3));
        }
    });
}

TEST(Communicator, ExchangesSeveralPartsWithEachRank) {
    constexpr unsigned kSize = 3;
    run_ranks(kSize, [](Communicator& ranks) {
        // Rank r first receives a 1, then two words with the sender and the receiver.
        std::vector<int> words;
        for (unsigned to = 0; to < kSize; ++to)
            for (int k = 0; k < 3; ++k)
                words.push_back(static_cast<int>(100 * ranks.rank() + 10 * to) + k);
        const simt::DeviceArray<int> out(words);
        simt::DeviceArray<int> in(words.size());
        std::vector<Communicator::Outgoing> outgoing;
        std::vector<Communicator::Incoming> incoming;
        for (unsigned rank = 0; rank < kSize; ++rank) {
            outgoing.push_back({rank, out.data() + 3 * rank, sizeof(int)});
            incoming.push_back({rank, in.data() + 3 * rank, sizeof(int)});
        }
        for (unsigned rank = 0; rank < kSize; ++rank) {
            outgoing.push_back({rank, out.data() + 3 * rank + 1, 2 * sizeof(int)});
            incoming.push_back({rank, in.data() + 3 * rank + 1, 2 * sizeof(int)});
        }
        const simt::Stream stream;
        ranks.exchange(outgoing, incoming, stream.get());
        ranks.wait(stream.get());
        std::vector<int> got(words.size());
        in.copy_to(got);
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(got[i], 100 * (i / 3) + 10 * ranks.rank() + i % 3);
    });
}

/// Each rank writes its number, and reads the numbers of all after the barrier.
TEST(Communicator, SharesMemoryThatOthersAccessBehindABarrier) {
    run_ranks(3, [](Communicator& ranks) {
        const simt::Stream stream;
        const auto own = distributed::shareable<unsigned>(1);
        const std::vector<std::shared_ptr<void>> all = ranks.share(own);
        ASSERT_EQ(all.size(), 3u);
        EXPECT_EQ(all[ranks.rank()], own);
        for (unsigned round = 0; round < 20; ++round) {
            const unsigned written = 100 * round + ranks.rank();
            simt::copy_async(own.get(), &written, sizeof(written), stream.get());
            ranks.barrier(stream.get());
            std::vector<unsigned> read(3);
            for (unsigned rank = 0; rank < 3; ++rank)
                simt::copy_async(&read[rank], all[rank].get(), sizeof(unsigned), stream.get());
            ranks.barrier(stream.get());
            ranks.wait(stream.get());
            EXPECT_THAT(read, testing::ElementsAre(100 * round, 100 * round + 1, 100 * round + 2));
        }
    });
}

TEST(Communicator, SharedMemoryLivesAsLongAsARankHoldsIt) {
    const std::size_t held = simt::held_bytes();
    std::vector<std::shared_ptr<void>> kept;
    run_ranks(2, [&](Communicator& ranks) {
        auto all = ranks.share(distributed::shareable<unsigned>(ranks.rank() == 0 ? 64 : 0));
        if (ranks.rank() == 1) kept = std::move(all);
    });
    EXPECT_EQ(simt::held_bytes() - held, 64 * sizeof(unsigned));
    EXPECT_EQ(kept[1], nullptr);
    kept.clear();
    EXPECT_EQ(simt::held_bytes(), held);
}

TEST(Communicator, RefusesAnExchangeWithNoRankOrWithoutAPartner) {
    const auto exchanged = [](unsigned to, unsigned from, bool receives) {
        run_ranks(2, [=](Communicator& ranks) {
            simt::DeviceArray<int> out(1), in(1);
            const Communicator::Outgoing outgoing{to, out.data(), sizeof(int)};
            const Communicator::Incoming incoming{from, in.data(), sizeof(int)};
            ranks.exchange({&outgoing, 1}, {&incoming, receives ? 1u : 0u}, nullptr);
        });
    };
    EXPECT_THROW(exchanged(2, 0, false), std::invalid_argument);
    EXPECT_THROW(exchanged(0, 2, true), std::invalid_argument);
    EXPECT_THROW(exchanged(0, 0, false), std::logic_error);  // without a receiver
}

/// The error of each rank, and the exception of run_ranks, if rank 1 of 3 does `what`.
struct Failures {
    std::vector<std::string> seen;
    std::string thrown;
};
Failures where_rank_1(const std::function<void()>& what) {
    Failures failures{std::vector<std::string>(3), {}};
    try {
        run_ranks(3, [&](Communicator& ranks) {
            if (ranks.rank() == 1) return what();
            try {
                (void)ranks.all_gather({});
            } catch (const RankFailed& error) {
                failures.seen[ranks.rank()] = error.what();
                throw;
            }
        });
    } catch (const std::exception& error) {
        failures.thrown = error.what();
    }
    return failures;
}

TEST(Communicator, EndsAllWhereOneThrows) {
    const Failures failures = where_rank_1([] { throw std::runtime_error("no more"); });
    EXPECT_THAT(failures.seen, testing::ElementsAre("rank 1: no more", "", "rank 1: no more"));
    EXPECT_EQ(failures.thrown, "no more");
}

TEST(Communicator, EndsAllWhereOneLeaves) {
    const Failures failures = where_rank_1([] {});
    const std::string text = "rank 1 ended while others wait for it";
    EXPECT_THAT(failures.seen, testing::ElementsAre(text, "", text));
    EXPECT_EQ(failures.thrown, text);
}

/// Rank 1 waits until the others have given up.
TEST(Communicator, EndsAllWhereOneDoesNotCome) {
    std::atomic<int> given_up = 0;
    const auto texts = errors_of<RankFailed>(
        3,
        [&](Communicator& ranks) {
            while (ranks.rank() == 1 && given_up < 2) std::this_thread::yield();
            try {
                (void)ranks.all_gather({});
            } catch (const RankFailed&) {
                ++given_up;
                throw;
            }
        },
        std::chrono::milliseconds(20));
    EXPECT_THAT(texts, testing::Each(testing::StartsWith("rank ")));
    EXPECT_THAT(texts, testing::Each(HasSubstr(" did not arrive in time")));
}

TEST(Communicator, MayWaitForEver) {
    const auto texts = errors_of<RankFailed>(
        2,
        [](Communicator& ranks) {
            if (ranks.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            (void)ranks.all_gather({});
        },
        std::chrono::milliseconds::max());
    EXPECT_THAT(texts, testing::Each(""));
}

TEST(Communicator, IsOfNoUseAfterAFailure) {
    const auto texts = errors_of<RankFailed>(2, [](Communicator& ranks) {
        if (ranks.rank() == 0) ranks.fail("the first");
        if (ranks.rank() == 0) ranks.fail("the second");
        EXPECT_THROW((void)ranks.all_gather({}), RankFailed);
        (void)ranks.all_gather({});
    });
    EXPECT_THAT(texts, testing::Each("rank 0: the first"));
}

}  // namespace
}  // namespace stream_compaction
