// Arrays that several ranks hold together, as threads of this process: however many ranks there
// are, whatever their parts, and whoever fails.
#include "stream_compaction/distributed.h"

#include "simt/error.h"
#include "stream_compaction/distributed/cuts.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/refused/calls.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/distributed_parts.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::vector<unsigned> rank_counts() {
    if (is_slow()) return {3};
    return {1, 2, 3, 4, 7};
}

void for_all_divisions(const std::function<void(unsigned, const Division&)>& f) {
    for (const unsigned ranks : rank_counts())
        for (const Division& division : kDivisions) {
            SCOPED_TRACE(std::to_string(ranks) + " ranks, " + division.name);
            f(ranks, division);
        }
}

TEST(Distributed, ScansAnyParts) {
    for_all_divisions([](unsigned ranks, const Division& division) {
        for (const std::size_t n : without_too_large({0, 1, 6, 5000}))
            run_ranks(ranks, [&](Communicator& each) {
                for (const auto make : {inputs::random, inputs::none_zero})
                    expect_scan(make(n), division.sizes(n, ranks), each);
            });
    });
}

TEST(Distributed, CompactsAnyParts) {
    for_all_divisions([](unsigned ranks, const Division& division) {
        for (const std::size_t n : without_too_large({0, 1, 6, 5000}))
            run_ranks(ranks, [&](Communicator& each) {
                for (const auto make : {inputs::random, inputs::all_zero, inputs::last_alone})
                    expect_compact(make(n), division.sizes(n, ranks), each);
            });
    });
}

TEST(Distributed, SortsAnyPartsIntoAnyOthers) {
    for_all_divisions([](unsigned ranks, const Division& division) {
        run_ranks(ranks, [&](Communicator& each) {
            for (const std::size_t n : {0, 1, 6})
                expect_sort(inputs::random(n), division.sizes(n, ranks), {}, each);
            const std::size_t n = is_slow() ? 100 : 300;
            for (const Division& wanted : kDivisions)
                expect_sort(inputs::extremes(n), division.sizes(n, ranks), wanted.sizes(n, ranks),
                            each);
        });
    });
}

TEST(Distributed, SortsAllKindsOfKeys) {
    for (const std::size_t n : without_too_large({300, 5000}))
        for (unsigned ranks = is_slow() ? 3 : 2; ranks <= 3; ++ranks)
            run_ranks(ranks, [&](Communicator& each) {
                for (const Input& input : kInputs) {
                    SCOPED_TRACE(input.name);
                    expect_sort(input.make(n), kDivisions[3].sizes(n, ranks), {}, each);
                }
            });
}

/// Where a block of the kernels has several tiles.
TEST(Distributed, SortsManyKeys) {
    const std::size_t n = at_most(200'000);
    const std::vector<int> input = inputs::none_zero(n);
    run_ranks(2, [&](Communicator& each) {
        expect_sort(input, kDivisions[0].sizes(n, 2), {}, each, {.piece = n / 6, .few = 100});
    });
}

template <class Key>
class DistributedSort : public testing::Test {};
using Keys = testing::Types<std::uint32_t, float, std::int64_t, double>;
TYPED_TEST_SUITE(DistributedSort, Keys);

TYPED_TEST(DistributedSort, KnowsTheOrderOfItsKeys) {
    using Bits = KeyBits<sizeof(TypeParam)>;
    const std::size_t n = is_slow() ? 100 : 400;
    for (const auto& pattern : all_or_some(kPatterns<Bits>)) {
        SCOPED_TRACE(pattern.name);
        const std::vector<TypeParam> input = make_keys<TypeParam>(pattern, n, 3);
        std::vector<TypeParam> whole = input;
        std::ranges::stable_sort(whole, comes_before<TypeParam>);
        run_ranks(3, [&](Communicator& ranks) {
            const Sizes sizes = kDivisions[3].sizes(n, 3), gets = kDivisions[0].sizes(n, 3);
            const auto own = part_of<TypeParam>(input, sizes, ranks.rank());
            const auto expected = part_of<TypeParam>(whole, gets, ranks.rank());
            const simt::DeviceArray<TypeParam> in(own);
            simt::DeviceArray<TypeParam> out(expected.size());
            distributed::Sort<TypeParam> sort(own.size(), expected.size(), ranks, kTiny);
            sort.enqueue(in.data(), own.size(), out.data());
            std::vector<TypeParam> got(expected.size());
            out.copy_to(got);
            EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.size_bytes()), 0);
        });
    }
}

TEST(Distributed, NeedsNoMoreMemoryThanItSays) {
    for (const std::size_t n : without_too_large({1, 300, 40'000}))
        for (const SortLimits limits : {SortLimits{}, SortLimits{.piece = 100, .few = 10}}) {
            const std::size_t held = simt::held_bytes();
            run_ranks(1, [&](Communicator& ranks) {
                const distributed::Scan scan(n, ranks);
                EXPECT_LE(simt::held_bytes() - held, distributed::Scan::workspace_bytes(n));
            });
            run_ranks(1, [&](Communicator& ranks) {
                const distributed::Compact compact(n, ranks);
                EXPECT_LE(simt::held_bytes() - held, distributed::Compact::workspace_bytes(n));
            });
            run_ranks(1, [&](Communicator& ranks) {
                const distributed::Sort<int> sort(n, n / 2, ranks, limits);
                EXPECT_LE(simt::held_bytes() - held,
                          distributed::Sort<int>::workspace_bytes(n, n / 2, 1, limits));
            });
        }
}

/// An eighth of the result and a sixteenth of the input are far less than the whole.
TEST(Distributed, SortsWithLittleMoreThanASecondArray) {
    const std::size_t n = std::size_t{1} << 28;
    EXPECT_LE(distributed::Sort<int>::workspace_bytes(n, n, 2), n * sizeof(int) * 115 / 100);
    EXPECT_LE(distributed::Sort<double>::workspace_bytes(n, n, 2), n * sizeof(double) * 115 / 100);
}

/// What f throws, on each rank; the empty string where it throws nothing.
template <class Error>
std::vector<std::string> errors_of(unsigned ranks, const std::function<void(Communicator&)>& f,
                                   std::chrono::milliseconds patience = distributed::kPatience) {
    std::vector<std::string> texts(ranks);
    run_ranks(
        ranks,
        [&](Communicator& each) {
            try {
                f(each);
            } catch (const Error& error) {
                texts[each.rank()] = error.what();
            }
        },
        patience);
    return texts;
}

TEST(Distributed, AllRanksRefuseWhatOneCannotDo) {
    const auto all_are = [](const std::string& text) { return testing::Each(HasSubstr(text)); };
    const auto refused = [](const std::function<void(Communicator&, simt::DeviceArray<int>&)>& f) {
        return errors_of<std::invalid_argument>(3, [&](Communicator& ranks) {
            simt::DeviceArray<int> array(10);
            f(ranks, array);
        });
    };
    EXPECT_THAT(refused([](Communicator& ranks, auto& array) {
                    distributed::Scan scan(5, ranks);
                    scan.enqueue(array.data(), array.data(), ranks.rank() == 1 ? 6 : 5);
                }),
                all_are("rank 1: room for 5 elements, and there are 6"));
    EXPECT_THAT(refused([](Communicator& ranks, auto& array) {
                    distributed::Compact compact(5, ranks);
                    compact.enqueue(array.data(), array.data(), ranks.rank() == 2 ? 6 : 5);
                }),
                all_are("rank 2: room for 5 elements, and there are 6"));
    EXPECT_THAT(refused([](Communicator& ranks, auto& array) {
                    simt::DeviceArray<int> out(10);
                    distributed::even_out(ranks, array.data(), 5, out.data(),
                                          ranks.rank() == 0 ? 4 : 5);
                }),
                all_are("rank 0: room for 4 elements, and there are 5"));
    struct Case {
        std::size_t n;
        std::optional<std::size_t> n_out;
        SortLimits limits;
        std::string text;
    };
    const Case cases[] = {// of rank 1; the others: 5, 5, kTiny
                          {6, 5, kTiny, "rank 1: room for 5 elements, and there are 6"},
                          {5, 6, kTiny, "rank 1: room for 5 elements, and there are 6"},
                          {5, 4, kTiny, "the ranks have 15 keys, and would get 14"},
                          {5, std::nullopt, kTiny, "some ranks say how many keys they get"},
                          {5, 5, {.piece = 50, .few = 9}, "different limits"},
                          {5, 5, {.piece = 51, .few = 8}, "different limits"}};
    for (const Case& its : cases) {
        SCOPED_TRACE(its.text);
        EXPECT_THAT(refused([&](Communicator& ranks, auto& array) {
                        const Case other{5, 5, kTiny, {}};
                        const Case& own = ranks.rank() == 1 ? its : other;
                        array.copy_from(std::vector<int>(10, 3));
                        distributed::Sort<int> sort(5, 5, ranks, own.limits);
                        sort.enqueue(array.data(), own.n, array.data(), own.n_out);
                    }),
                    all_are(its.text));
    }
}

TEST(Distributed, APlanCanBeUsedAfterWhatWasRefused) {
    run_ranks(3, [](Communicator& ranks) {
        const std::vector<int> input = inputs::random(30);
        distributed::Sort<int> sort(10, 10, ranks, kTiny);
        simt::DeviceArray<int> array(part_of<int>(input, {10, 10, 10}, ranks.rank()));
        EXPECT_THROW(sort.enqueue(array.data(), 10, array.data(), 9), std::invalid_argument);
        sort.enqueue(array.data(), 10, array.data(), 10);
        std::vector<int> sorted(10);
        array.copy_to(sorted);
        const std::vector<int> whole = reference(Operation::sort, input);
        EXPECT_TRUE(equal(sorted, part_of<int>(whole, {10, 10, 10}, ranks.rank())));
    });
}

TEST(Distributed, PlansThatWereMovedFromSaySo) {
    run_ranks(1, [](Communicator& ranks) {
        const auto expect_gone = [&](auto plan) {
            const auto other = std::move(plan);
            try {
                (void)plan.enqueue(nullptr, 0, nullptr);
                FAIL() << "it was used";
            } catch (const std::logic_error& error) {
                EXPECT_STREQ(error.what(), "the plan was moved from");
            }
        };
        expect_gone(distributed::Sort<int>(10, 10, ranks, kTiny));
        const auto expect_gone_from_array = [&](auto plan) {
            const auto other = std::move(plan);
            EXPECT_THROW((void)plan.enqueue(nullptr, nullptr, 0), std::logic_error);
        };
        expect_gone_from_array(distributed::Scan(10, ranks));
        expect_gone_from_array(distributed::Compact(10, ranks));
        EXPECT_EQ(ranks.all_gather({}).size(), 0u) << "nobody else was stopped";
    });
}

TEST(Distributed, SortsForNoMoreRanksThanItHasCuts) {
    EXPECT_THROW((void)distributed::Sort<int>::workspace_bytes(1, 1, 513), std::invalid_argument);
    EXPECT_GT(distributed::Sort<int>::workspace_bytes(1, 1, 512), 0u);
}

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
        // To rank r go first one, then two words that tell from whom and to whom.
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

/// What each rank sees, and what run_ranks throws, where rank 1 of 3 does `what`.
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
    const std::string text = "rank 1 has left while others wait for it";
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
    EXPECT_THAT(texts, testing::Each(HasSubstr(" did not come in time")));
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

/// Each call of the device in turn is refused, to whichever rank that happens.
TEST(Distributed, EndsAllRanksWhereACallOfOneIsRefused) {
    const std::size_t n = 60;
    const std::vector<int> input = inputs::random(n);
    const auto work = [&](Communicator& ranks) {
        const Sizes sizes = kDivisions[0].sizes(n, ranks.size());
        const std::size_t own = sizes[ranks.rank()];
        simt::DeviceArray<int> in(part_of<int>(input, sizes, ranks.rank())), out(own);
        distributed::Scan scan(own, ranks);
        distributed::Compact compact(own, ranks);
        distributed::Sort<int> sort(own, own, ranks, {.piece = 5, .few = 2});
        scan.enqueue(in.data(), out.data(), own);
        (void)compact.enqueue(in.data(), out.data(), own);
        (void)sort.enqueue(in.data(), own, out.data());
    };
    for (std::uint64_t k = 1;; k += is_slow() ? 61 : k < 20 ? 1 : 13) {
        SCOPED_TRACE("call " + std::to_string(k) + " was refused");
        const std::int64_t before = simt::resources();
        std::atomic<int> refused = 0, told = 0;
        bool has_thrown = false, was_refused = false;
        {
            const WithRefusal refusal(k);
            try {
                run_ranks(3, [&](Communicator& ranks) {
                    try {
                        work(ranks);
                    } catch (const RankFailed& error) {
                        EXPECT_THAT(error.what(), AnyOf(HasSubstr("refused"), HasSubstr("cuda")));
                        ++told;
                        throw;
                    } catch (const simt::Error&) {
                        ++refused;
                        throw;
                    }
                });
            } catch (const simt::Error&) {
                has_thrown = true;
            }
            was_refused = simt::refused_call().has_value();
        }
        EXPECT_EQ(simt::resources(), before) << "something was left behind";
        if (!was_refused) {
            EXPECT_GT(k, 100u);
            EXPECT_EQ(refused + told, 0);
            break;
        }
        EXPECT_TRUE(has_thrown);
        EXPECT_EQ(refused, 1);
        if (testing::Test::HasFailure()) break;
    }
}

/// By counting, on the host.
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

}  // namespace
}  // namespace stream_compaction
