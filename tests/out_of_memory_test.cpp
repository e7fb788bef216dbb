// A size that no device has memory for is an error, after which everything still works.
#include "simt/error.h"
#include "simt/memory.h"
#include "stream_compaction/registry.h"
#include "tests/inputs.h"
#include "tests/plan_arrays.h"
#include "tests/row_test.h"
#include "tests/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>

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

class AbsurdSize : public RowTest {};

TEST_P(AbsurdSize, IsAnErrorAndNothingElse) {
    const Registry& backend = *registry(simt::kBackend);
    // A row that waits for its result may also take its memory only when it is called.
    if (row().runs_on == Place::device && row().asynchronous &&
        row().workspace_bytes(kAbsurd, row().tuned) > backend.memory_info().total) {
        EXPECT_THROW(row().make_plan(kAbsurd, row().tuned), simt::OutOfMemory);
    }

    PlanArrays work(row().operation, row().runs_on, inputs::random(at_most(3000)));
    const auto plan = row().make_plan(work.size(), row().tuned);
    work.enqueue(*plan);
    work.expect_result();
}

INSTANTIATE_TEST_SUITE_P(Rows, AbsurdSize, testing::ValuesIn(all_rows()), name_of);

}  // namespace
}  // namespace stream_compaction
