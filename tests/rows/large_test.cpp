// Every row with more elements than 31 and 32 bits can count. Inputs are created and results
// checked on the device.
#include "simt/device.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "src/check/device_check.h"
#include "src/input/device_input.h"
#include "src/program/host_memory.h"
#include "stream_compaction/cub.h"
#include "tests/rows/row_test.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kSizes[] = {(std::size_t{1} << 31) - 1, (std::size_t{1} << 31) + 1,
                                  (std::size_t{1} << 32) + 3};

class Large : public testing::TestWithParam<std::tuple<const Algorithm*, std::size_t>> {
  protected:
    const Algorithm& row() const { return *std::get<0>(GetParam()); }
    std::size_t n() const { return std::get<1>(GetParam()); }

    void SetUp() override {
        if (row().run == nullptr) GTEST_SKIP() << row().unavailable;
        try {
            // The check needs a word for every few thousand elements.
            const std::size_t needed = device_bytes(row(), n(), row().tuned) + n() / 64;
            const std::size_t free = simt::memory_info().free;
            if (needed > free)
                GTEST_SKIP() << "skipped: needs " << with_unit(needed) << ", " << with_unit(free)
                             << " free";
        } catch (const std::invalid_argument& refusal) {
            EXPECT_THROW(row().make_plan(n(), row().tuned), std::invalid_argument);
            GTEST_SKIP() << "skipped: " << refusal.what();
        }
    }
};

/// Why a row's result is wrong.
std::optional<std::string> call(const Algorithm& row, std::size_t n, std::optional<double> kept) {
    const simt::Stream stream;
    simt::DeviceArray<int> in(n), out(n + DeviceCheck::kGuard);
    simt::DeviceArray<std::size_t> count(1);
    enqueue_store({Distribution::uniform, kept, n, 1}, in.data(), stream.get());
    stream.synchronize();
    const DeviceCheck check(row.operation, in.data(), n, stream);
    check.prepare(out.data(), count.data(), stream);
    const auto plan = row.make_plan(n, row.tuned);
    simt::synchronize();
    plan->enqueue(in.data(), out.data(), count.data(), n, stream.get());
    stream.synchronize();
    return check.what_is_wrong(out.data(), count.data(), stream);
}

TEST_P(Large, IsRightToTheLastElement) {
    EXPECT_EQ(call(row(), n(), std::nullopt), std::nullopt);
    if (row().operation == Operation::compact) {
        EXPECT_EQ(call(row(), n(), 0.5), std::nullopt);
    }
}

/// CUB's limit is exact.
TEST(MostCompacted, IsRightWhereEverythingIsKept) {
    for (const Algorithm* row : all_rows()) {
        if (row->operation != Operation::compact || row->arrays_on() == Place::host) continue;
        SCOPED_TRACE(row->name);
        EXPECT_EQ(call(*row, cub::kMostCompacted, 1.0), std::nullopt);
    }
    EXPECT_THROW(cub::Compact(cub::kMostCompacted + 1), std::invalid_argument);
}

std::vector<const Algorithm*> device_rows() {
    std::vector<const Algorithm*> rows = all_rows();
    std::erase_if(rows, [](const Algorithm* row) { return row->arrays_on() == Place::host; });
    return rows;
}

std::string name_and_size(const testing::TestParamInfo<Large::ParamType>& info) {
    const Algorithm& row = *std::get<0>(info.param);
    return std::string(to_string(row.operation)) + '_' + std::string(row.name) + '_' +
           std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Rows, Large,
                         testing::Combine(testing::ValuesIn(device_rows()),
                                          testing::ValuesIn(kSizes)),
                         name_and_size);

}  // namespace
}  // namespace stream_compaction
