// A size for which the device has no memory, or which exceeds the process's limit, is an error,
// after which everything still works.
#include "simt/device.h"
#include "simt/error.h"
#include "simt/memory.h"
#include "stream_compaction/counting.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/naive.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/registry.h"
#include "stream_compaction/single_pass.h"
#include "tests/inputs.h"
#include "tests/rows/plan_arrays.h"
#include "tests/rows/row_test.h"
#include "tests/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kAbsurd = std::size_t{1} << 50;

TEST(OutOfMemory, NamesThePlace) {
    for (const std::size_t n : {kAbsurd, std::numeric_limits<std::size_t>::max()}) try {
            const simt::DeviceArray<int> array(n);
            ADD_FAILURE() << n << " elements were allocated";
        } catch (const simt::OutOfMemory& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("out_of_memory_test.cpp:"));
        }
    const simt::DeviceArray<int> array(1);
    EXPECT_NE(array.data(), nullptr);
}

class AbsurdSize : public RowTest {
  protected:
    /// The row may refuse such a size.
    bool is_refused() const {
        try {
            (void)row().workspace_bytes(kAbsurd, row().tuned);
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    }
};

TEST_P(AbsurdSize, IsAnErrorAndNothingElse) {
    const Registry& backend = *registry(simt::kBackend);
    // A row that waits for its result may allocate its memory when it is called.
    if (is_refused()) {
        EXPECT_THROW(row().make_plan(kAbsurd, row().tuned), std::invalid_argument);
    } else if (row().runs_on == Place::device && row().asynchronous &&
               row().workspace_bytes(kAbsurd, row().tuned) > backend.memory_info().total) {
        EXPECT_THROW(row().make_plan(kAbsurd, row().tuned), simt::OutOfMemory);
    }

    PlanArrays work(row().operation, row().arrays_on(), inputs::random(at_most(3000)));
    const auto plan = row().make_plan(work.size(), row().tuned);
    work.enqueue(*plan);
    work.expect_result();
}

/// Limits the process's device memory while it lives.
class WithLimit {
  public:
    explicit WithLimit(std::size_t bytes) { simt::limit_memory(bytes); }
    WithLimit(const WithLimit&) = delete;
    WithLimit& operator=(const WithLimit&) = delete;
    ~WithLimit() { simt::limit_memory(std::numeric_limits<std::size_t>::max()); }
};

TEST(Limit, IsWhatTheDeviceSeemsToHave) {
    const std::size_t held = simt::held_bytes();
    const simt::DeviceArray<char> before(1000);
    EXPECT_EQ(simt::held_bytes(), held + 1000);
    const WithLimit limit(held + 5000);
    EXPECT_EQ(simt::memory_info().total, held + 5000);
    EXPECT_EQ(simt::memory_info().free, 4000u);

    const simt::DeviceArray<char> fitting(4000);
    EXPECT_EQ(simt::memory_info().free, 0u);
    EXPECT_THROW(simt::DeviceArray<char>(1), simt::OutOfMemory);
    EXPECT_EQ(simt::held_bytes(), held + 5000);
}

TEST(Limit, MayBeBelowWhatIsHeld) {
    const simt::DeviceArray<char> array(1000);
    const WithLimit limit(500);
    EXPECT_EQ(simt::memory_info().free, 0u);
    EXPECT_THROW(simt::DeviceArray<char>(1), simt::OutOfMemory);
}

/// Whether f reports that no memory is large enough, or refuses this n.
template <class F>
bool refuses(F f) {
    try {
        f();
        return false;
    } catch (const simt::OutOfMemory&) {
        return true;
    } catch (const std::invalid_argument&) {
        return true;
    }
}

/// Careless computations of their bytes in 64 bits overflow to small numbers.
constexpr std::size_t kImpossible[] = {(std::size_t{1} << 62) + 1, std::size_t{1} << 63,
                                       (std::size_t{1} << 63) + 1,
                                       std::numeric_limits<std::size_t>::max()};

void expect_no_small_allocation(const Algorithm& row) {
    const WithLimit limit(simt::held_bytes() + (std::size_t{1} << 28));
    for (const std::size_t n : kImpossible)
        EXPECT_TRUE(refuses([&] { (void)row.make_plan(n, row.tuned); })) << "n = " << n;
    if (row.arrays_on() == Place::host) return;
    const std::size_t element =
        row.variant != nullptr ? row.variant->in_bytes + row.variant->out_bytes : 2 * sizeof(int);
    for (std::size_t bit = 30; bit < 64; ++bit)
        for (const std::size_t n : {std::size_t{1} << bit, (std::size_t{1} << bit) + 1}) {
            std::size_t bytes = n;
            if (!refuses([&] { bytes = device_bytes(row, n, row.tuned); })) {
                EXPECT_GE(bytes / element, n) << "n = " << n;
            }
        }
}

class ImpossibleSize : public RowTest {};

TEST_P(ImpossibleSize, IsRefused) { expect_no_small_allocation(row()); }

TEST(Variants, RefuseAnImpossibleSize) {
    for (const Algorithm& row : registry_with_variants(simt::kBackend)->variants) {
        SCOPED_TRACE(testing::Message() << row.variant->name << ' ' << row.name);
        expect_no_small_allocation(row);
    }
}

TEST(Slices, OfOneElementAreRefusedForAnImpossibleSize) {
    using naive::Compact;
    for (const std::size_t n : kImpossible) {
        EXPECT_TRUE(refuses([=] { (void)Compact::workspace_bytes(n, naive::kTuned, 1); }));
        EXPECT_TRUE(refuses([=] { Compact(n, naive::kTuned, 1); }));
    }
}

TEST(Buckets, OfTwoKeysAreRefusedForAnImpossibleSize) {
    using Sort = hybrid_radix::BitsSort<unsigned>;
    for (std::size_t bit = 56; bit < 64; ++bit) {
        const std::size_t n = (std::size_t{1} << bit) + 1;
        std::size_t bytes = n;
        if (!refuses([&] { bytes = Sort::workspace_bytes(n, {0, 2}); })) {
            EXPECT_GE(bytes / 8, n);
        }
    }
}

/// Whether f refuses a size itself, and not for lack of memory.
template <class F>
bool refuses_size(F f) {
    try {
        f();
        return false;
    } catch (const simt::OutOfMemory& error) {
        return std::string(error.what()).find(" bytes held") == std::string::npos;
    } catch (const std::invalid_argument&) {
        return true;
    }
}

TEST(WorkspaceBytes, AreThoseOfThePlansThatThereAre) {
    const WithLimit limit(0);  // nothing can be allocated
    const Registry& backend = *registry_with_variants(simt::kBackend);
    std::vector<Algorithm> rows(backend.rows.begin(), backend.rows.end());
    rows.insert(rows.end(), backend.variants.begin(), backend.variants.end());
    for (const Algorithm& row : rows) {
        if (row.make_plan == nullptr) continue;
        SCOPED_TRACE(testing::Message() << to_string(row.operation) << ' ' << row.name << ' '
                                        << (row.variant != nullptr ? row.variant->name : ""));
        for (const unsigned bit : {31, 32, 40, 48, 55, 56, 57, 59, 60, 61, 62, 63})
            for (const std::size_t above : {-1, 0, 1}) {
                const std::size_t n = (std::size_t{1} << bit) + above;
                const bool is_refused =
                    refuses_size([&] { (void)row.workspace_bytes(n, row.tuned); });
                if (row.runs_on == Place::host && !is_refused) continue;  // it would be allocated
                EXPECT_EQ(refuses_size([&] { (void)row.make_plan(n, row.tuned); }), is_refused)
                    << "n = " << n;
            }
    }
}

/// Whether the plan's size and its constructor refuse the same sizes.
template <class Plan>
void expect_same_refusals() {
    for (const unsigned bit : {31, 32, 40, 48, 55, 56, 57, 59, 60, 61, 62, 63})
        for (const std::size_t above : {-1, 0, 1}) {
            const std::size_t n = (std::size_t{1} << bit) + above;
            EXPECT_EQ(refuses_size([=] { Plan plan(n); }),
                      refuses_size([=] { (void)Plan::workspace_bytes(n); }))
                << "n = " << n;
        }
}

TEST(WorkspaceBytes, OfPlansWithoutARowAreThoseOfThePlansThatThereAre) {
    const WithLimit limit(0);  // nothing can be allocated
    expect_same_refusals<onesweep::SortPairs<std::uint64_t, std::uint32_t>>();
    expect_same_refusals<onesweep::SortPairs<double, std::int64_t>>();
    expect_same_refusals<hybrid_radix::SortPairs<float, int>>();
    expect_same_refusals<hybrid_radix::Sort<std::uint64_t>>();
    expect_same_refusals<counting::Sort<signed char>>();
    expect_same_refusals<single_pass::BasicScan<double, single_pass::Max>>();
    expect_same_refusals<single_pass::BasicCompact<Record<16>, single_pass::IsNotZero>>();
}

class Limited : public RowTest {};

TEST_P(Limited, TakesNoMoreMemoryThanItsRowSays) {
    const std::size_t n = at_most(3000);
    const std::size_t held = simt::held_bytes();
    {
        const WithLimit limit(held + row().workspace_bytes(n, row().tuned));
        EXPECT_NO_THROW(row().make_plan(n, row().tuned));
    }
    EXPECT_EQ(simt::held_bytes(), held);
}

TEST_P(Limited, LeavesNothingBehindWhereMemoryEnds) {
    const std::vector<int> input = inputs::random(at_most(3000));
    const std::vector<int> expected = reference(row().operation, input);
    const std::size_t held = simt::held_bytes();
    // In a call, Thrust's host backend allocates more than its row reports.
    const std::size_t enough = 4 * device_bytes(row(), input.size(), row().tuned);
    const std::size_t for_input_alone = input.size() * sizeof(int);
    for (const std::size_t bytes : {enough, for_input_alone, std::size_t{0}}) {
        std::vector<int> output(input.size(), kSentinel);
        const WithLimit limit(held + bytes);
        try {
            const Outcome outcome = row().run(input, output, row().tuned);
            EXPECT_TRUE(equal(std::span(output).first(outcome.count), expected));
            EXPECT_GE(bytes, device_bytes(row(), input.size(), row().tuned));
        } catch (const simt::OutOfMemory&) {
            EXPECT_LT(bytes, enough);
            EXPECT_EQ(output, std::vector<int>(input.size(), kSentinel));
        }
        EXPECT_EQ(simt::held_bytes(), held);
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, ImpossibleSize, testing::ValuesIn(all_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, Limited, testing::ValuesIn(all_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Rows, AbsurdSize, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
