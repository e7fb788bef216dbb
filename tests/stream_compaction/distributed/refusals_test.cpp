// Errors on one of several ranks, and calls that it refuses: all ranks end with its message, as
// threads of this process.
#include "stream_compaction/distributed.h"

#include "simt/error.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/refused/calls.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/distributed/errors_of.h"
#include "tests/stream_compaction/distributed/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

using testing::AnyOf;
using testing::HasSubstr;

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
                all_are("rank 1: has room for 5 elements, but needs 6"));
    EXPECT_THAT(refused([](Communicator& ranks, auto& array) {
                    distributed::Compact compact(5, ranks);
                    compact.enqueue(array.data(), array.data(), ranks.rank() == 2 ? 6 : 5);
                }),
                all_are("rank 2: has room for 5 elements, but needs 6"));
    EXPECT_THAT(refused([](Communicator& ranks, auto& array) {
                    simt::DeviceArray<int> out(10);
                    distributed::even_out(ranks, array.data(), 5, out.data(),
                                          ranks.rank() == 0 ? 4 : 5);
                }),
                all_are("rank 0: has room for 4 elements, but needs 5"));
    // The sums of these numbers wrap around, to 4 and to 6.
    for (const std::size_t count : {kMost, kMost / 2 + 1})
        EXPECT_THAT(refused([=](Communicator& ranks, auto& array) {
                        simt::DeviceArray<int> out(10);
                        const std::size_t own = ranks.rank() == 0 ? 6 : count;
                        distributed::even_out(ranks, array.data(), own, out.data(), 10);
                    }),
                    all_are("rank 1: has " + std::to_string(count) +
                            " elements; all ranks together may have at most 72057594037927936"));
    struct Case {
        std::size_t n;
        std::optional<std::size_t> n_out;
        SortLimits limits;
        std::string text;
    };
    const Case cases[] = {
        // of rank 1; the others: 5, 5, kTiny
        {6, 5, kTiny, "rank 1: has room for 5 elements, but needs 6"},
        {5, 6, kTiny, "rank 1: has room for 5 elements, but needs 6"},
        {5, kMost, kTiny, "rank 1: has room for 5 elements, but needs 18446744073709551615"},
        {5, 4, kTiny, "the ranks have 15 keys, but ask for 14"},
        {5, std::nullopt, kTiny, "some ranks specify how many keys they receive"},
        {5, 5, {.few = 9}, "different limits"},
        {5, 5, {.few = 8, .stores_to_peers = false}, "different limits"}};
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

/// On two ranks: the first rank's call, and the second rank's.
using Calls = std::pair<std::function<void(Communicator&, int*)>, std::string>;

template <class Key>
void sort(Communicator& ranks, int* array) {
    distributed::Sort<Key>(5, 5, ranks, kTiny)
        .enqueue(reinterpret_cast<Key*>(array), 5, reinterpret_cast<Key*>(array));
}

TEST(Distributed, AllRanksRefuseToCallDifferentOperations) {
    const Calls calls[] = {{[](Communicator& ranks, int* array) {
                                distributed::Scan(5, ranks).enqueue(array, array, 5);
                            },
                            "scan of int32"},
                           {[](Communicator& ranks, int* array) {
                                (void)distributed::Compact(5, ranks).enqueue(array, array, 5);
                            },
                            "compact of int32"},
                           {[](Communicator& ranks, int* array) {
                                (void)distributed::even_out(ranks, array, 5, array + 10, 5);
                            },
                            "even_out of int32"},
                           {sort<int>, "sort of int32"},
                           {sort<unsigned>, "sort of uint32"},
                           {sort<float>, "sort of float32"},
                           {sort<std::uint64_t>, "sort of uint64"}};
    for (const auto& [one, name] : calls)
        for (const auto& [other, other_name] : calls) {
            if (name == other_name) continue;
            const auto texts = errors_of<std::invalid_argument>(2, [&](Communicator& ranks) {
                simt::DeviceArray<int> array(std::vector<int>(20, 1));
                (ranks.rank() == 0 ? one : other)(ranks, array.data());
            });
            EXPECT_THAT(texts,
                        testing::Each("rank 0 calls " + name + " as its call 1, rank 1 calls " +
                                      other_name + " as its call 1; all must make the same call"));
        }
}

TEST(Distributed, AllRanksRefuseToCallWhatOthersHaveBehindThem) {
    const auto texts = errors_of<std::invalid_argument>(3, [&](Communicator& ranks) {
        if (ranks.rank() == 2) (void)ranks.next_call();
        distributed::Scan(0, ranks).enqueue(nullptr, nullptr, 0);
    });
    EXPECT_THAT(texts, testing::Each(HasSubstr("rank 2 calls scan of int32 as its call 2")));
    EXPECT_THAT(errors_of<std::invalid_argument>(2,
                                                 [](Communicator& ranks) {
                                                     const std::uint64_t words[2] = {};
                                                     (void)ranks.all_gather(
                                                         std::span(words, ranks.rank() + 1));
                                                 }),
                testing::Each("ranks gather different numbers of words"));
}

TEST(Distributed, AllRanksRefuseArraysOfOneThatOverlap) {
    const auto refused = [](auto f) {
        EXPECT_THAT(errors_of<std::invalid_argument>(
                        3,
                        [&](Communicator& ranks) {
                            simt::DeviceArray<int> array(std::vector<int>(20, 1));
                            f(ranks, array.data(), array.data() + (ranks.rank() == 1 ? 4 : 5));
                        }),
                    testing::Each(HasSubstr("rank 1: two arrays of a call overlap")));
    };
    refused([](Communicator& ranks, int* in, int* out) {
        distributed::Scan(5, ranks).enqueue(in, out, 5);
    });
    refused([](Communicator& ranks, int* in, int* out) {
        (void)distributed::Compact(5, ranks).enqueue(in, out, 5);
    });
    refused([](Communicator& ranks, int* in, int* out) {
        (void)distributed::even_out(ranks, in, 5, out, 5);
    });
    refused([](Communicator& ranks, int* in, int* out) {
        (void)distributed::Sort<int>(5, 5, ranks, kTiny).enqueue(in, 5, out);
    });
    refused([](Communicator& ranks, int* in, int* out) {  // as many keys as it has, and more
        (void)distributed::Sort<int>(5, 5, ranks, kTiny).enqueue(out, 5, in, 5);
    });
}

TEST(Distributed, APlanCanBeUsedAfterWhatWasRefused) {
    run_ranks(3, [](Communicator& ranks) {
        const std::vector<int> input = inputs::random(30);
        distributed::Sort<int> sort(10, 10, ranks, kTiny);
        simt::DeviceArray<int> array(part_of<int>(input, {10, 10, 10}, ranks.rank()));
        EXPECT_THROW(sort.enqueue(array.data(), 10, array.data(), 9), std::invalid_argument);
        if (ranks.rank() == 1) {
            EXPECT_THROW(distributed::Scan(0, ranks).enqueue(nullptr, nullptr, 0),
                         std::invalid_argument);
        } else {
            EXPECT_THROW(sort.enqueue(array.data(), 10, array.data()), std::invalid_argument);
        }
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
        EXPECT_EQ(ranks.all_gather({}).size(), 0u) << "the other ranks were not stopped";
    });
}

TEST(Distributed, NeedsARank) {
    try {
        run_ranks(0, [](Communicator&) { ADD_FAILURE() << "there is a rank"; });
        ADD_FAILURE() << "not refused";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "run_ranks: given 0 ranks, expected at least 1");
    }
}

/// Each call of the device is refused in turn, on whichever rank makes it.
TEST(Distributed, EndsAllRanksWhereACallOfOneIsRefused) {
    const std::size_t n = 60;
    const std::vector<int> input = inputs::random(n);
    const auto work = [&](Communicator& ranks) {
        const Sizes sizes = kDivisions[0].sizes(n, ranks.size());
        const std::size_t own = sizes[ranks.rank()];
        simt::DeviceArray<int> in(part_of<int>(input, sizes, ranks.rank())), out(own);
        distributed::Scan scan(own, ranks);
        distributed::Compact compact(own, ranks);
        distributed::Sort<int> sort(own, own, ranks, {.few = 2});
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

}  // namespace
}  // namespace stream_compaction
