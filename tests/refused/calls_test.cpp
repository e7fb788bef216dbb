// The 1st, 2nd, ... call of the device's runtime is refused, one at a time, in whatever a row does:
// the caller gets an exception of the right type, nothing is left behind, and the next call works.
#include "tests/refused/calls.h"
#include "simt/error.h"
#include "simt/stream.h"
#include "stream_compaction/stopwatch.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/rows/plan_arrays.h"
#include "tests/rows/row_test.h"
#include "tests/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

/// Refuses nothing any more when it is destroyed.
class WithRefusal {
  public:
    explicit WithRefusal(std::uint64_t k) { simt::refuse_call(k); }
    WithRefusal(const WithRefusal&) = delete;
    WithRefusal& operator=(const WithRefusal&) = delete;
    ~WithRefusal() { simt::refuse_call(0); }
};

/// What f threw.
struct Thrown {
    std::string text;
    bool out_of_memory = false;
};
template <class F>
std::optional<Thrown> thrown_by(F f) {
    try {
        f();
        return std::nullopt;
    } catch (const simt::OutOfMemory& error) {
        return Thrown{error.what(), true};
    } catch (const simt::Error& error) {
        return Thrown{error.what()};
    }
}

/// Thrust (3.0) copies a count to the host, or a sorted array to where it belongs, and does not
/// look at what the wait behind that copy answers. That does no harm: a copy to pageable memory is
/// done when it returns, and Thrust looks at the wait that comes before the one and after the
/// other.
bool may_ignore(const Algorithm& row, simt::Call refused) {
    return refused == simt::Call::wait && !row.asynchronous;
}

/// @param f does its work with the row, and checks it
/// @return how many calls of the runtime it makes
template <class F>
std::uint64_t refuse_each_call(const Algorithm& row, F f) {
    f();  // what is kept for ever, by CUDA's runtime for example, is made now
    for (std::uint64_t k = 1;; ++k) {
        SCOPED_TRACE(testing::Message() << "call " << k << " was refused");
        const std::int64_t before = simt::resources();
        std::optional<Thrown> thrown;
        std::optional<simt::Call> refused;
        {
            const WithRefusal refusal(k);
            thrown = thrown_by(f);
            refused = simt::refused_call();
        }
        EXPECT_EQ(simt::resources(), before) << "something was left behind";
        if (thrown || !refused || !may_ignore(row, *refused)) {
            EXPECT_EQ(thrown.has_value(), refused.has_value());
        }
        if (!refused) {
            testing::Test::RecordProperty("calls", std::to_string(k - 1));
            return k - 1;
        }
        if (thrown) {
            EXPECT_EQ(thrown->out_of_memory, *refused == simt::Call::allocation) << thrown->text;
            EXPECT_THAT(thrown->text, testing::ContainsRegex("[a-z_]+\\.(h|cpp|cu):[0-9]+: ."));
        }
        f();
        if (testing::Test::HasFailure()) return k;
    }
}

class RefusedCalls : public RowTest {
  protected:
    std::vector<int> input_ = inputs::random(at_most(3000));
};

TEST_P(RefusedCalls, OfAHostFunction) {
    const std::vector<int> expected = reference(row().operation, input_);
    const std::uint64_t calls = refuse_each_call(row(), [&] {
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
    refuse_each_call(row(), [&] {
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
    refuse_each_call(row(), [&] {
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

INSTANTIATE_TEST_SUITE_P(Rows, RefusedCalls, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
