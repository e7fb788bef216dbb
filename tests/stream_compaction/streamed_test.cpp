// Host arrays in tiny pieces: every boundary, small devices, faults, several plans at once.
#include "stream_compaction/streamed.h"
#include "stream_compaction/hybrid_radix.h"

#include "simt/error.h"
#include "simt/memory.h"
#include "stream_compaction/streamed/cut.h"
#include "stream_compaction/transfer_watch.h"
#include "tests/child_process.h"
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/refused/calls.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

using streamed::Limits;

template <class Plan>
constexpr Operation kOperation = Operation::scan;
template <>
constexpr Operation kOperation<streamed::Compact> = Operation::compact;
template <>
constexpr Operation kOperation<streamed::Sort> = Operation::sort;

/// The number of elements that the plan reports.
template <class Plan>
std::size_t call(Plan& plan, const int* in, int* out, std::size_t n) {
    std::size_t count = n;
    if constexpr (kOperation<Plan> == Operation::compact)
        plan.enqueue(in, out, &count, n);
    else
        plan.enqueue(in, out, n);
    return count;
}

/// In an array with guard words; if not in place, the input must not change.
template <class Plan>
void expect_right(Plan& plan, const std::vector<int>& input, bool in_place = false) {
    const std::size_t n = input.size();
    GuardedArray<int> in(Place::host, n, 1), out(Place::host, n, 3);
    in.assign(input);
    out.assign({});
    GuardedArray<int>& to = in_place ? in : out;
    const std::vector<int> result = reference(kOperation<Plan>, input);
    std::vector<int> expected = to.read();
    std::ranges::copy(result, expected.begin());
    EXPECT_EQ(call(plan, in.data(), to.data(), n), result.size());
    EXPECT_TRUE(equal(to.read(), expected));
    if (!in_place) {
        EXPECT_TRUE(equal(in.read(), input)) << "the input was written";
    }
}

template <class Plan>
class Streamed : public testing::Test {};
using Plans = testing::Types<streamed::Scan, streamed::Compact, streamed::Sort>;
struct Names {
    template <class Plan>
    static std::string GetName(int) {
        return std::string(to_string(kOperation<Plan>));
    }
};
TYPED_TEST_SUITE(Streamed, Plans, Names);

TYPED_TEST(Streamed, IsRightAroundThePieces) {
    for (const unsigned threads : {1u, 3u})
        for (const std::size_t piece : {1u, 16u, 65u}) {
            const std::size_t round = piece * threads;
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, piece - 1, piece, piece + 1,
                                        round, 2 * round - 1, 2 * round + 1, 7 * round + 3}) {
                SCOPED_TRACE(testing::Message()
                             << threads << " threads, pieces of " << piece << ", n = " << n);
                TypeParam plan(n, {}, {.threads = threads, .piece = piece});
                for (const bool in_place : {false, true})
                    for (const auto make : {inputs::random, inputs::extremes, inputs::all_zero})
                        expect_right(plan, make(n), in_place);
            }
        }
}

TYPED_TEST(Streamed, ServesEverySmallerSize) {
    const std::size_t most = at_most(3000);
    TypeParam plan(most, {}, {.threads = 2, .piece = 64});
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, most / 7, most - 1, most})
        expect_right(plan, inputs::random(n));
    EXPECT_THROW(expect_right(plan, inputs::random(most + 1)), std::invalid_argument);
}

TYPED_TEST(Streamed, IsRightInManyPieces) {
    const std::size_t n = at_most(100'000);
    TypeParam plan(n, {}, {.threads = 4, .piece = 100});
    for (const Input& input : kInputs) {
        SCOPED_TRACE(input.name);
        expect_right(plan, input.make(n));
    }
}

TYPED_TEST(Streamed, TakesPinnedArrays) {
    const std::size_t n = at_most(3000);
    const std::vector<int> input = inputs::random(n);
    const std::vector<int> expected = reference(kOperation<TypeParam>, input);
    const simt::PinnedArray<int> in(n), out(n);
    std::vector<int> pageable(n);
    TypeParam plan(n, {}, {.threads = 2, .piece = 64});
    const auto expect_right = [&](const int* from, int* to) {
        std::fill_n(to, n, kSentinel);
        std::ranges::copy(input, in.data());
        ASSERT_EQ(call(plan, from, to, n), expected.size());
        EXPECT_TRUE(equal({to, expected.size()}, expected));
    };
    expect_right(in.data(), out.data());
    expect_right(in.data(), pageable.data());
    expect_right(input.data(), out.data());
    std::ranges::copy(input, in.data());
    ASSERT_EQ(call(plan, in.data(), in.data(), n), expected.size());
    EXPECT_TRUE(equal({in.data(), expected.size()}, expected)) << "in place";
}

TYPED_TEST(Streamed, RunsBesideOthersOfItsKind) {
    const std::size_t n = at_most(3000);
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 3; ++k)
        threads.emplace_back([=] {
            TypeParam plan(n, {}, {.threads = 2, .piece = 64});
            for (int round = 0; round < 3; ++round) expect_right(plan, inputs::random(n - k));
        });
}

/// Another thread checks that the progress never exceeds the expectation and never decreases.
class Onlooker {
  public:
    explicit Onlooker(const TransferWatch& watch) : thread_([this, &watch] { look_at(watch); }) {}
    Onlooker(const Onlooker&) = delete;
    Onlooker& operator=(const Onlooker&) = delete;
    ~Onlooker() { has_ended_ = true; }

  private:
    void look_at(const TransferWatch& watch) {
        std::size_t moved = 0;
        while (!has_ended_) {
            const TransferWatch::Progress call = watch.progress();
            EXPECT_LE(call.moved, call.expected);
            EXPECT_GE(call.moved, moved);
            moved = call.moved;
        }
    }

    std::atomic<bool> has_ended_ = false;
    std::jthread thread_;  // last, so that it ends first
};

/// The memory of a sort whose keys are on the device all at once.
std::size_t bytes_at_once(std::size_t n) {
    return n * sizeof(int) + hybrid_radix::Sort<int>::workspace_bytes(n);
}

TYPED_TEST(Streamed, TellsHowFarItIs) {
    for (const std::size_t n : without_too_large({1, 400, 9000}))
        for (const std::size_t max_device_bytes : {std::size_t{0}, TypeParam::workspace_bytes(n)}) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", limit " << max_device_bytes);
            const std::vector<int> input = inputs::random(n);
            std::vector<int> output(n);
            TypeParam plan(n, {},
                           {.threads = 2, .piece = 64, .max_device_bytes = max_device_bytes});
            TransferWatch watch;
            std::size_t count = 0;
            {
                const Onlooker onlooker(watch);
                count = call(plan, input.data(), output.data(), n);
            }
            // Everything is copied up, and the output is copied down.
            std::size_t bytes = (n + count) * sizeof(int);
            const bool sorts_runs = kOperation<TypeParam> == Operation::sort &&
                                    TypeParam::workspace_bytes(n) < bytes_at_once(n);
            if (sorts_runs && max_device_bytes != 0) bytes *= 2;
            EXPECT_EQ(watch.progress().moved, bytes);
            EXPECT_EQ(watch.progress().expected, bytes);
            EXPECT_FALSE(watch.progress().is_running);
        }
}

/// Limits the memory that the process can allocate in addition while this lives.
class WithRoom {
  public:
    explicit WithRoom(std::size_t bytes) { simt::limit_memory(simt::held_bytes() + bytes); }
    WithRoom(const WithRoom&) = delete;
    WithRoom& operator=(const WithRoom&) = delete;
    ~WithRoom() { simt::limit_memory(std::numeric_limits<std::size_t>::max()); }
};

TYPED_TEST(Streamed, NeedsNoMoreOfTheDeviceThanItSays) {
    for (const std::size_t n : without_too_large({1, 300, 5000, 40'000, 300'000})) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        const std::size_t least = TypeParam::workspace_bytes(n);
        for (const std::size_t bytes : {least, least + least / 2, 3 * least}) {
            const WithRoom room(bytes);
            TypeParam plan(n);
            expect_right(plan, inputs::random(n));
        }
        const WithRoom room(least - 1);
        EXPECT_THROW(TypeParam{n}, simt::OutOfMemory);
    }
}

TYPED_TEST(Streamed, TakesWhatItIsGivenOfTheDevice) {
    const std::size_t n = at_most(40'000), held = simt::held_bytes();
    const std::size_t least = TypeParam::workspace_bytes(n);
    for (const std::size_t bytes : {least, 2 * least}) {
        TypeParam plan(n, {}, {.threads = 3, .piece = 1000, .max_device_bytes = bytes});
        EXPECT_LE(simt::held_bytes() - held, bytes);
        expect_right(plan, inputs::random(n));
    }
    EXPECT_EQ(simt::held_bytes(), held);
}

TYPED_TEST(Streamed, RefusesLessOfTheDeviceThanItNeeds) {
    for (const std::size_t n : without_too_large({1, 300, 9000})) {
        const std::size_t least = TypeParam::workspace_bytes(n);
        for (const std::size_t bytes : {std::size_t{1}, least - 1}) {
            try {
                TypeParam(n, Tuning(), Limits{.max_device_bytes = bytes});
                ADD_FAILURE() << "not refused: " << bytes;
            } catch (const std::invalid_argument& error) {
                EXPECT_EQ(error.what(), "streamed::Limits::max_device_bytes: given " +
                                            std::to_string(bytes) + ", allowed are at least " +
                                            std::to_string(least) + " for " + std::to_string(n) +
                                            " elements");
            }
        }
    }
    TypeParam(0, Tuning(), Limits{.max_device_bytes = 1});
}

TYPED_TEST(Streamed, IsOverWhereItFails) {
    const std::size_t n = 400;
    const std::vector<int> input = inputs::random(n);
    std::vector<int> output(n);
    TypeParam plan(n, {}, {.threads = 2, .piece = 64});
    TransferWatch watch;
    const WithRefusal refusal(20);
    EXPECT_THROW((void)call(plan, input.data(), output.data(), n), simt::Error);
    EXPECT_GT(watch.progress().expected, 0u);
    EXPECT_FALSE(watch.progress().is_running);
}

TYPED_TEST(Streamed, TellsOfEachFaultAndCanBeUsedAgain) {
    const std::size_t n = 400;
    const std::vector<int> input = inputs::random(n);
    std::vector<int> output(n);
    TypeParam plan(n, {}, {.threads = 2, .piece = 64});
    TypeParam small(n, {},
                    {.threads = 2, .piece = 64, .max_device_bytes = TypeParam::workspace_bytes(n)});
    for (TypeParam* const tested : {&plan, &small}) {
        const std::uint64_t calls =
            refuse_each_call([&] { (void)call(*tested, input.data(), output.data(), n); },
                             [&] { expect_right(*tested, input); });
        // For each piece: pointer, buffer, copy, event; in both directions.
        EXPECT_GE(calls, 2 * 7 * 4u);
    }
}

TYPED_TEST(Streamed, LeavesNothingBehindWhereItCannotBeMade) {
    const auto make = [] { TypeParam(5000, {}, {.threads = 2, .piece = 1000}); };
    EXPECT_GE(refuse_each_call(make, [] {}), 3 + 1 + 2 * 5u);  // streams, memory, events
}

/// A child has none of the threads of its parent's plans.
TYPED_TEST(Streamed, RefusesThreadsThatNoMachineHas) {
    for (const unsigned threads : {1025u, ~0u}) {
        try {
            TypeParam(100, Tuning(), Limits{.threads = threads});
            FAIL() << "not refused";
        } catch (const std::invalid_argument& error) {
            EXPECT_EQ(error.what(), "streamed::Limits::threads: given " + std::to_string(threads) +
                                        ", allowed are at most 1024");
        }
    }
}

TYPED_TEST(Streamed, WorksInAChildOfItsProcess) {
    if (!kForks || simt::kBackend == simt::Backend::cuda)
        GTEST_SKIP() << "CUDA does not work there, and ThreadSanitizer allows no threads";
    const std::vector<int> input = inputs::random(250);
    auto plan = std::make_unique<TypeParam>(250, Tuning(), Limits{.threads = 3, .piece = 64});
    expect_right(*plan, input);
    EXPECT_TRUE(succeeds_in_child([&] {
        expect_right(*plan, input);
        plan.reset();
        return !testing::Test::HasFailure();
    }));
    EXPECT_TRUE(succeeds_in_child([&] {
        plan.reset();  // without having been used
        return true;
    }));
    expect_right(*plan, input);
}

/// A batch is a third of the device: several batches, and the last one shorter.
TEST(StreamedSort, SortsWhatTheDeviceHasNoRoomFor) {
    for (const std::size_t n : without_too_large({30'000, 65'536})) {
        const std::size_t least = streamed::Sort::workspace_bytes(n);
        ASSERT_LT(least, bytes_at_once(n)) << "all fits";
        for (const std::size_t piece : {0, 500})
            for (const std::size_t bytes : {least, least + n}) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", pieces of " << piece << ", "
                                                << bytes << " bytes");
                streamed::Sort sort(n, {},
                                    {.threads = 3, .piece = piece, .max_device_bytes = bytes});
                for (const Input& input : kInputs) {
                    SCOPED_TRACE(input.name);
                    expect_right(sort, input.make(n));
                }
                expect_right(sort, inputs::random(n), true);
                expect_right(sort, inputs::extremes(n / 2 + 7));
                expect_right(sort, inputs::random(1000));
            }
    }
}

/// The smallest size with several runs and parts: three of each.
TEST(StreamedSort, SortsInThreeRuns) {
    for (const std::size_t n : without_too_large({9000})) {
        ASSERT_LT(streamed::Sort::workspace_bytes(n), bytes_at_once(n)) << "all fits";
        streamed::Sort sort(
            n, {},
            {.threads = 2, .piece = 500, .max_device_bytes = streamed::Sort::workspace_bytes(n)});
        expect_right(sort, inputs::random(n));
    }
}

TEST(StreamedCut, GivesEachRunItsShareOfTheSmallest) {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::vector<int>> runs(1 + random() % 5);
        std::vector<int> all;
        const unsigned range = round % 2 == 0 ? 4 : std::numeric_limits<unsigned>::max();
        for (std::vector<int>& run : runs) {
            run.resize(random() % 20);
            for (int& key : run) key = static_cast<int>(random() % range - range / 2);
            if (random() % 4 == 0 && !run.empty()) run[0] = std::numeric_limits<int>::max();
            if (random() % 4 == 0 && !run.empty()) run[0] = std::numeric_limits<int>::min();
            std::ranges::sort(run);
            all.insert(all.end(), run.begin(), run.end());
        }
        std::ranges::sort(all);
        const std::vector<std::span<const int>> spans(runs.begin(), runs.end());
        for (std::size_t rank = 0; rank <= all.size(); ++rank) {
            const std::vector<std::size_t> ends = streamed::cut(spans, rank);
            std::vector<int> smallest;
            for (std::size_t i = 0; i < runs.size(); ++i) {
                ASSERT_LE(ends[i], runs[i].size());
                smallest.insert(smallest.end(), runs[i].begin(),
                                runs[i].begin() + static_cast<std::ptrdiff_t>(ends[i]));
            }
            std::ranges::sort(smallest);
            ASSERT_TRUE(equal(smallest, std::span(all).first(rank)));
        }
    }
}

}  // namespace
}  // namespace stream_compaction
