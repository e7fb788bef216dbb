// Compactions and the radix sort split arrays that are too long for 32-bit positions into slices.
// Here the slices are small, so a few thousand elements make many of them.
#include "stream_compaction/efficient.h"
#include "stream_compaction/efficient_plus.h"
#include "stream_compaction/map_scan_scatter.h"
#include "stream_compaction/naive.h"
#include "stream_compaction/radix.h"
#include "stream_compaction/stopwatch.h"
#include "tests/inputs.h"
#include "tests/rows/plan_arrays.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace stream_compaction {
namespace {

/// A scan and its tuning.
struct Naive {
    using Scan = naive::Scan;
    static constexpr Tuning kTuning{.block_size = 64};
};
struct Efficient {
    using Scan = efficient::Scan;
    static constexpr Tuning kTuning{.block_size = 64};
};
struct EfficientPlus {
    using Scan = efficient_plus::Scan;
    static constexpr Tuning kTuning{.block_size = 64, .items_per_thread = 4};
};

template <class T>
class CompactionInSlices : public testing::Test {
  protected:
    using Compact = MapScanScatter<typename T::Scan>;
};
using Scans = testing::Types<Naive, Efficient, EfficientPlus>;
TYPED_TEST_SUITE(CompactionInSlices, Scans);

TYPED_TEST(CompactionInSlices, CarriesTheCountOver) {
    for (const std::size_t slice : {1, 30, 1000, 1024})
        for (const std::size_t n :
             without_too_large({slice - 1, slice, slice + 1, 2 * slice, 5 * slice + 37}))
            for (const Input& input : kInputs) {
                SCOPED_TRACE(testing::Message()
                             << "slices of " << slice << ", n = " << n << ", " << input.name);
                PlanArrays work(Operation::compact, Place::device, input.make(n));
                typename TestFixture::Compact plan(n, TypeParam::kTuning, slice);
                plan.enqueue(work.in(), work.out(), work.count(), n);
                work.expect_result();
            }
}

TYPED_TEST(CompactionInSlices, ServesSmallerSizesAgainAndAgain) {
    typename TestFixture::Compact plan(5000, TypeParam::kTuning, 100);
    for (const std::size_t n : without_too_large({5000, 301, 300, 99, 0, 1, 4999})) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        PlanArrays work(Operation::compact, Place::device, inputs::random(n));
        plan.enqueue(work.in(), work.out(), work.count(), n);
        work.expect_result();
    }
}

TYPED_TEST(CompactionInSlices, MarksThePhasesOfEverySlice) {
    PlanArrays work(Operation::compact, Place::device, inputs::random(250));
    typename TestFixture::Compact plan(work.size(), TypeParam::kTuning, 100);
    DeviceStopwatch watch;
    watch.mark();
    plan.enqueue(work.in(), work.out(), work.count(), work.size(), nullptr, &watch);
    watch.mark();
    EXPECT_EQ(watch.laps().size(), 3u * 3u);
    EXPECT_TRUE(outcome(work.size(), watch.laps()).phases.has_value());
}

TYPED_TEST(CompactionInSlices, NeedsAWorkspaceForOneSliceOnly) {
    using Compact = typename TestFixture::Compact;
    const Tuning& tuning = TypeParam::kTuning;
    const std::size_t one = Compact::workspace_bytes(1000, tuning, 1000);
    EXPECT_EQ(Compact::workspace_bytes(9000, tuning, 1000), one + 8 * sizeof(std::size_t));
}

constexpr Tuning kSortTuning{.block_size = 32, .items_per_thread = 4};

TEST(SortInSlices, CarriesPositionsOver) {
    for (const std::size_t slice : {128, 1024})
        for (const std::size_t n :
             without_too_large({slice - 1, slice, slice + 1, 2 * slice, 5 * slice + 37}))
            for (const Input& input : kInputs) {
                SCOPED_TRACE(testing::Message()
                             << "slices of " << slice << ", n = " << n << ", " << input.name);
                PlanArrays work(Operation::sort, Place::device, input.make(n));
                radix::Sort plan(n, kSortTuning, slice);
                plan.enqueue(work.in(), work.out(), n);
                work.expect_result();
            }
}

TEST(SortInSlices, ServesSmallerSizesAgainAndAgain) {
    radix::Sort plan(5000, kSortTuning, 128);
    for (const std::size_t n : without_too_large({5000, 257, 256, 100, 0, 1, 4999})) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        PlanArrays work(Operation::sort, Place::device, inputs::random(n));
        plan.enqueue(work.in(), work.out(), n);
        work.expect_result();
    }
}

TEST(SortInSlices, RefusesASliceThatABlockWouldStraddle) {
    EXPECT_THROW(radix::Sort(1000, kSortTuning, 100), std::invalid_argument);
    EXPECT_THROW(radix::Sort(1000, kSortTuning, 0), std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction
