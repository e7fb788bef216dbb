// If a backend has no device, its rows throw, and host rows still work.
#include "simt/error.h"
#include "stream_compaction/registry.h"
#include "tests/inputs.h"
#include "tests/reference.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace stream_compaction {
namespace {

TEST(UnavailableDevice, IsAnErrorOfTheRowsThatNeedIt) {
    const Registry* const cuda = registry(simt::Backend::cuda);
    if (cuda == nullptr) GTEST_SKIP() << "built without the GPU backend";
    if (!cuda->unavailable_reason()) GTEST_SKIP() << "there is a GPU";

    EXPECT_THROW(cuda->device_properties(), simt::Error);
    EXPECT_THROW(cuda->memory_info(), simt::Error);
    const std::vector<int> input = inputs::random(1000);
    for (const Algorithm& row : cuda->rows) {
        SCOPED_TRACE(testing::Message() << to_string(row.operation) << ' ' << row.name);
        if (row.run == nullptr) continue;
        std::vector<int> output(input.size());
        if (row.runs_on == Place::device) {
            EXPECT_THROW(row.run(input, output, row.tuned), simt::Error);
        } else {
            const Outcome outcome = row.run(input, output, row.tuned);
            EXPECT_TRUE(
                equal(std::span(output).first(outcome.count), reference(row.operation, input)));
        }
    }
}

}  // namespace
}  // namespace stream_compaction
