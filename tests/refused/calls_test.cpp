// One after another, the 1st, 2nd, ... call of the device's runtime fails in every function of a
// row: the caller gets an exception of the right type, nothing is left behind, and the next call
// works.
#include "tests/refused/calls.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/counting.h"
#include "stream_compaction/stopwatch.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/rows/plan_arrays.h"
#include "tests/rows/row_test.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

/// Thrust (3.0) copies a count to the host, or a sorted array to its destination, and ignores the
/// result of the wait after that copy. That is harmless: a copy to pageable memory has finished
/// when it returns, and Thrust checks the waits before the first and after the second.
bool may_ignore(const Algorithm& row, simt::Call refused) {
    return refused == simt::Call::wait && !row.asynchronous;
}

/// @param f does its work with the row, and checks the result
/// @return the number of calls of the runtime
template <class F>
std::uint64_t refuse_calls_of(const Algorithm& row, F f) {
    f();  // makes allocations that are kept for ever, for example by CUDA's runtime
    const std::uint64_t calls =
        refuse_each_call(f, f, [&](simt::Call refused) { return may_ignore(row, refused); });
    testing::Test::RecordProperty("calls", std::to_string(calls));
    return calls;
}

class RefusedCalls : public RowTest {
  protected:
    std::vector<int> input_ = inputs::random(at_most(3000));
};

TEST_P(RefusedCalls, OfAHostFunction) {
    const std::vector<int> expected = reference(row().operation, input_);
    const std::uint64_t calls = refuse_calls_of(row(), [&] {
        std::vector<int> output(input_.size(), kSentinel);
        const Outcome outcome = row().run(input_, output, row().tuned);
        EXPECT_TRUE(equal(std::span(output).first(outcome.count), expected));
    });
    if (row().runs_on == Place::device) {
        EXPECT_GE(calls, 10u);  // 3 allocations, 2 copies, 4 for the time, 1 for the work
    } else {
        EXPECT_EQ(calls, 0u);
    }
}

TEST_P(RefusedCalls, OfAPlanOnAStream) {
    refuse_calls_of(row(), [&] {
        const simt::Stream stream;
        PlanArrays work(row().operation, row().arrays_on(), input_);
        const auto plan = row().make_plan(input_.size(), row().tuned);
        work.enqueue(*plan, stream.get());
        stream.synchronize();
        work.expect_result();
    });
}

TEST_P(RefusedCalls, OfAGraph) {
    if (!row().asynchronous) GTEST_SKIP() << "the row cannot be captured";
    refuse_calls_of(row(), [&] {
        const simt::Stream stream;
        PlanArrays work(row().operation, row().arrays_on(), input_);
        const auto plan = row().make_plan(input_.size(), row().tuned);
        simt::synchronize();
        const simt::Graph graph([&](simt::stream_t captured) { work.enqueue(*plan, captured); });
        graph.launch(stream.get());
        stream.synchronize();
        work.expect_result();
    });
}

/// A sort of three launches: a later launch clears the counts of an earlier one.
TEST(RefusedCallsOfCounting, LeaveThePlanUsable) {
    std::vector<std::uint8_t> keys(1000), sorted(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint8_t>(i * i);
    const simt::DeviceArray<std::uint8_t> in{std::span<const std::uint8_t>(keys)};
    simt::DeviceArray<std::uint8_t> out(keys.size());
    constexpr std::size_t kNoneRanked = 0;
    counting::Sort<std::uint8_t> sort(keys.size(), {}, kNoneRanked);
    std::ranges::sort(keys);
    unsigned refused = 0;
    for (std::uint64_t k = 1;; ++k) {
        const auto thrown = [&] {
            const WithRefusal refusal(k);
            return thrown_by([&] { sort.enqueue(in.data(), out.data(), keys.size()); });
        }();
        if (!thrown) break;
        ++refused;
        sort.enqueue(in.data(), out.data(), keys.size());
        out.copy_to(sorted);
        ASSERT_EQ(sorted, keys) << "after call " << k << " was refused: " << thrown->text;
    }
    EXPECT_GE(refused, 3u);
}

INSTANTIATE_TEST_SUITE_P(Rows, RefusedCalls, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
