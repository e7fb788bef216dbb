// The two backends in one executable: each computes with its own kernels.
#include "stream_compaction/registry.h"
#include "tests/inputs.h"
#include "tests/reference.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace stream_compaction {
namespace {

class BothBackends : public testing::Test {
  protected:
    void SetUp() override {
        if (cuda_ == nullptr || emulated_ == nullptr) GTEST_SKIP() << "built with one backend";
    }
    const Registry* cuda_ = registry(simt::Backend::cuda);
    const Registry* emulated_ = registry(simt::Backend::emulated);
};

TEST_F(BothBackends, ListTheSameRowsInTheSameOrder) {
    ASSERT_EQ(cuda_->rows.size(), emulated_->rows.size());
    for (std::size_t i = 0; i < cuda_->rows.size(); ++i) {
        const Algorithm &cuda = cuda_->rows[i], &emulated = emulated_->rows[i];
        SCOPED_TRACE(cuda.name);
        EXPECT_EQ(cuda.operation, emulated.operation);
        EXPECT_EQ(cuda.name, emulated.name);
        EXPECT_EQ(cuda.description, emulated.description);
        EXPECT_EQ(cuda.runs_on, emulated.runs_on);
        EXPECT_EQ(cuda.tuned, emulated.tuned);
        EXPECT_EQ(cuda.has_phases, emulated.has_phases);
        if (cuda.runs_on == Place::device) {
            EXPECT_NE(cuda.make_plan, emulated.make_plan) << "one backend's kernels in both";
        }
    }
}

TEST_F(BothBackends, HaveTheirOwnDevices) {
    EXPECT_NE(cuda_->device_properties, emulated_->device_properties);
    EXPECT_EQ(emulated_->unavailable_reason(), std::nullopt);
    EXPECT_EQ(emulated_->device_properties().driver_version, 0);
    if (cuda_->unavailable_reason() == std::nullopt)
        EXPECT_GT(cuda_->device_properties().driver_version, 0);
    else
        EXPECT_FALSE(cuda_->unavailable_reason()->empty());
}

TEST_F(BothBackends, ComputeTheSameInTurns) {
    const std::vector<int> input = inputs::random(3000);
    for (std::size_t i = 0; i < cuda_->rows.size(); ++i)
        for (const Registry* const backend : {cuda_, emulated_}) {
            const Algorithm& row = backend->rows[i];
            SCOPED_TRACE(row.name);
            const bool needs_device = row.runs_on == Place::device;
            if (row.run == nullptr || (needs_device && backend->unavailable_reason())) continue;
            std::vector<int> output(input.size());
            const Outcome outcome = row.run(input, output, row.tuned);
            EXPECT_TRUE(
                equal(std::span(output).first(outcome.count), reference(row.operation, input)));
        }
}

}  // namespace
}  // namespace stream_compaction
