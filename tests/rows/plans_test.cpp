// Every row's plan: on arrays in its own memory, on streams, and captured in graphs.
#include "simt/error.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/stopwatch.h"
#include "tests/inputs.h"
#include "tests/rows/plan_arrays.h"
#include "tests/rows/row_test.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace stream_compaction {
namespace {

class Plans : public RowTest {
  protected:
    PlanArrays arrays(const std::vector<int>& input, PlanArrays::Options options = {}) const {
        return {row().operation, row().arrays_on(), input, options};
    }

    void expect_right(const std::vector<int>& input, const Tuning& tuning,
                      PlanArrays::Options options = {}) const {
        PlanArrays work = arrays(input, options);
        const auto plan = row().make_plan(input.size(), tuning);
        work.enqueue(*plan);
        work.expect_result();
    }

    std::unique_ptr<Stopwatch> stopwatch(simt::stream_t stream) const {
        if (row().arrays_on() == Place::host) return std::make_unique<HostStopwatch>();
        return std::make_unique<DeviceStopwatch>(stream);
    }

    /// The smallest value of each parameter of the row.
    Tuning smallest_tuning() const {
        const auto least = [](std::span<const int> legal) {
            return legal.empty() ? 0 : std::ranges::min(legal);
        };
        return {least(row().legal.block_sizes), least(row().legal.items_per_thread)};
    }
};

TEST_P(Plans, AnswerAsTheReference) {
    for (const std::size_t n : small_sizes(row().tuned))
        for (const Input& input : kInputs) {
            SCOPED_TRACE(testing::Message() << input.name << ", n = " << n);
            expect_right(input.make(n), row().tuned);
        }
}

TEST_P(Plans, AnswerAsTheReferenceForLargeInputs) {
    for (const std::size_t n : large_sizes()) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        expect_right(inputs::random(n), row().tuned);
    }
}

TEST_P(Plans, TakeAnyNumberOfLevels) {
    const Tuning tuning = smallest_tuning();
    for (const std::size_t n : sizes_of_levels(tuning)) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        expect_right(inputs::none_zero(n), tuning);
        expect_right(inputs::random(n), tuning);
    }
}

TEST_P(Plans, TakeAnySizeWithAnyTuning) {
    const auto any_of = [](std::span<const int> legal, std::mt19937& random) {
        return legal.empty() ? 0 : legal[random() % legal.size()];
    };
    std::mt19937 random(4);
    for (int round = 0; round < 30; ++round) {
        const std::size_t n = random() % at_most(20'000);
        const Tuning tuning{any_of(row().legal.block_sizes, random),
                            any_of(row().legal.items_per_thread, random)};
        SCOPED_TRACE(testing::Message() << "n = " << n << ", block size " << tuning.block_size
                                        << ", items per thread " << tuning.items_per_thread);
        expect_right(inputs::random(n), tuning);
    }
}

TEST_P(Plans, TakeArraysThatStartAnywhere) {
    for (const std::size_t n : without_too_large({33, 1025, 2500}))
        for (std::size_t in_offset = 0; in_offset < 4; ++in_offset)
            for (std::size_t out_offset = 0; out_offset < 4; ++out_offset) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", input at word " << in_offset
                                                << ", output at word " << out_offset);
                expect_right(inputs::random(n), row().tuned,
                             {.in_offset = in_offset, .out_offset = out_offset});
            }
}

TEST_P(Plans, WorkInPlaceWhereTheRowSaysSo) {
    if (!row().in_place) GTEST_SKIP() << "not promised by this row";
    for (const std::size_t n : small_sizes(row().tuned))
        for (const Input& input : kInputs) {
            SCOPED_TRACE(testing::Message() << input.name << ", n = " << n);
            expect_right(input.make(n), row().tuned, {.in_offset = n % 4, .in_place = true});
        }
    for (const std::size_t n : without_too_large({std::size_t{1} << 18})) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        expect_right(inputs::random(n), row().tuned, {.in_place = true});
    }
}

TEST_P(Plans, ServeEverySmallerSize) {
    const std::size_t largest = at_most(5000);
    const auto plan = row().make_plan(largest, row().tuned);
    for (const std::size_t n :
         without_too_large({largest, largest - 1, 2048, 1025, 33, 2, 1, 0, 3, largest})) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        PlanArrays work = arrays(inputs::random(n));
        work.enqueue(*plan);
        work.expect_result();
    }
}

TEST_P(Plans, RefuseALargerSize) {
    const auto plan = row().make_plan(100, row().tuned);
    PlanArrays work = arrays(inputs::random(101));
    EXPECT_THROW(work.enqueue(*plan), std::invalid_argument);
    work.expect_untouched();

    PlanArrays fitting = arrays(inputs::random(100));
    fitting.enqueue(*plan);
    fitting.expect_result();
}

TEST_P(Plans, RefuseArraysThatOverlap) {
    constexpr std::ptrdiff_t n = 100;
    const auto plan = row().make_plan(n, row().tuned);
    const std::vector<int> input = inputs::random(3 * n);
    GuardedArray<int> array(row().arrays_on(), 3 * n);
    GuardedArray<std::size_t> count(row().arrays_on(), 1);
    array.assign(input);
    int* const in = array.data() + n;
    const auto enqueue_at = [&](std::ptrdiff_t distance) {
        plan->enqueue(in, in + distance, count.data(), n, nullptr, nullptr);
    };
    for (const std::ptrdiff_t distance :
         {1 - n, -n / 2, std::ptrdiff_t{-1}, std::ptrdiff_t{1}, n / 2, n - 1})
        EXPECT_THROW(enqueue_at(distance), std::invalid_argument) << distance;
    if (!row().in_place) {
        EXPECT_THROW(enqueue_at(0), std::invalid_argument);
    }
    EXPECT_TRUE(equal(array.read(), input)) << "something was written";
    EXPECT_NO_THROW(enqueue_at(-n));
    EXPECT_NO_THROW(enqueue_at(n));
}

/// The host must know the number of elements.
TEST(VariantPlans, RefuseArraysThatOverlap) {
    constexpr std::size_t n = 100;
    for (const Algorithm& row : registry_with_variants(simt::kBackend)->variants) {
        if (row.variant->name == "n_on_device") continue;
        SCOPED_TRACE(testing::Message() << row.variant->name << ' ' << row.name);
        const auto plan = row.make_plan(n, row.tuned);
        simt::DeviceArray<int> array(100 * n);
        simt::DeviceArray<std::size_t> count(1);
        for (const std::size_t distance : {std::size_t{4}, n * row.variant->in_bytes / 8 * 4}) {
            int* const in = array.data() + 50 * n;
            const auto at = static_cast<std::ptrdiff_t>(distance / sizeof(int));
            EXPECT_THROW(plan->enqueue(in, in + at, count.data(), n, nullptr, nullptr),
                         std::invalid_argument);
            EXPECT_THROW(plan->enqueue(in, in - at, count.data(), n, nullptr, nullptr),
                         std::invalid_argument);
        }
    }
}

TEST_P(Plans, ServeTwoCallsOneRightAfterTheOther) {
    const std::size_t n = at_most(20'000);
    const auto plan = row().make_plan(n, row().tuned);
    PlanArrays first = arrays(inputs::random(n)), second = arrays(inputs::extremes(n - 1));
    first.enqueue(*plan);
    second.enqueue(*plan);
    first.expect_result();
    second.expect_result();
}

TEST_P(Plans, WorkOnTwoStreamsAtOnce) {
    const simt::Stream streams[2];
    const std::size_t n = at_most(50'000);
    PlanArrays work[] = {arrays(inputs::random(n)), arrays(inputs::extremes(n))};
    const std::unique_ptr<Plan> plans[] = {row().make_plan(n, row().tuned),
                                           row().make_plan(n, row().tuned)};
    for (int round = 0; round < 3; ++round)
        for (int k = 0; k < 2; ++k) work[k].enqueue(*plans[k], streams[k].get());
    for (int k = 0; k < 2; ++k) {
        streams[k].synchronize();
        work[k].expect_result();
    }
}

TEST_P(Plans, AreCapturedInAGraphAndReplayed) {
    if (!row().asynchronous) GTEST_SKIP() << "this row waits for its result";
    for (const std::size_t n : without_too_large({0, 1, 33, 1025, 10'000})) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        const auto plan = row().make_plan(n, row().tuned);
        PlanArrays work = arrays(inputs::random(n));
        const simt::Graph graph([&](simt::stream_t stream) { work.enqueue(*plan, stream); });
        work.expect_untouched();

        const simt::Stream stream;
        for (const auto make : {inputs::random, inputs::alternating, inputs::extremes}) {
            work.replace_input(make(n));
            graph.launch(stream.get());
            stream.synchronize();
            work.expect_result();
        }
    }
}

TEST_P(Plans, RefuseTheCaptureIfTheyWait) {
    if (row().asynchronous) GTEST_SKIP() << "this row can be captured";
    if (row().runs_on == Place::host) GTEST_SKIP() << "this row does nothing on a stream";
    if (simt::kBackend == simt::Backend::cuda) GTEST_SKIP() << "CUDA itself ends the capture";
    const auto plan = row().make_plan(1025, row().tuned);
    PlanArrays work = arrays(inputs::random(1025));
    const auto capture = [&] {
        const simt::Graph graph([&](simt::stream_t stream) { work.enqueue(*plan, stream); });
    };
    EXPECT_THROW(capture(), simt::Error);
    work.expect_untouched();
    work.enqueue(*plan);  // the plan may keep memory that a later call need not allocate
    work.expect_result();
    EXPECT_THROW(capture(), simt::Error);
}

TEST_P(Plans, MarkTheirPhases) {
    const simt::Stream stream;
    PlanArrays work = arrays(inputs::random(at_most(5000)));
    const auto plan = row().make_plan(work.size(), row().tuned);
    const auto watch = stopwatch(stream.get());
    watch->mark();
    work.enqueue(*plan, stream.get(), watch.get());
    watch->mark();

    const std::vector<Microseconds> laps = watch->laps();
    EXPECT_EQ(laps.size(), row().has_phases ? 3u : 1u);
    for (const Microseconds lap : laps) EXPECT_GE(lap.count(), 0);
    work.expect_result();
}

INSTANTIATE_TEST_SUITE_P(Rows, Plans, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
