// The registry's statements that can be checked without running a row, for every built backend.
#include "stream_compaction/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace stream_compaction {
namespace {

constexpr Operation kOperations[] = {Operation::scan, Operation::compact, Operation::sort};

class RegistryTest : public testing::TestWithParam<simt::Backend> {
  protected:
    void SetUp() override {
        if (registry(GetParam()) == nullptr) GTEST_SKIP() << "built without this backend";
    }
    const Registry& backend() const { return *registry(GetParam()); }
};

TEST_P(RegistryTest, IsOfItsBackend) { EXPECT_EQ(backend().backend, GetParam()); }

TEST_P(RegistryTest, KnowsTheVersionOfTheCubThatItHas) {
    const Algorithm& cub = *find(backend(), Operation::sort, "cub");
    EXPECT_EQ(backend().cub_version > 0, cub.unavailable.empty());
}

TEST_P(RegistryTest, NamesAreUniqueInAnOperation) {
    std::set<std::pair<Operation, std::string_view>> seen;
    for (const Algorithm& row : backend().rows)
        EXPECT_TRUE(seen.emplace(row.operation, row.name).second) << row.name;
}

TEST_P(RegistryTest, RowsSayWhatTheyAre) {
    for (const Algorithm& row : backend().rows) {
        SCOPED_TRACE(row.name);
        EXPECT_FALSE(row.name.empty());
        EXPECT_FALSE(row.description.empty());
        EXPECT_EQ(row.description.find('\n'), std::string_view::npos) << "more than one line";
    }
}

TEST_P(RegistryTest, AnOperationStartsWithItsReferenceOnTheCpu) {
    for (const Operation operation : kOperations) {
        SCOPED_TRACE(to_string(operation));
        const auto first = std::ranges::find(backend().rows, operation, &Algorithm::operation);
        ASSERT_NE(first, backend().rows.end());
        EXPECT_EQ(first->name, "cpu");
        EXPECT_EQ(first->runs_on, Place::host);
        EXPECT_TRUE(first->unavailable.empty());
    }
}

TEST_P(RegistryTest, OperationsAreShownOneAfterTheOther) {
    EXPECT_TRUE(std::ranges::is_sorted(backend().rows, {}, &Algorithm::operation));
}

TEST_P(RegistryTest, TheDefaultTuningIsLegal) {
    for (const Algorithm& row : backend().rows)
        EXPECT_TRUE(row.legal.contains(row.tuned)) << row.name;
}

TEST_P(RegistryTest, ARowRunsOrSaysWhyNot) {
    for (const Algorithm& row : backend().rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(row.run == nullptr, !row.unavailable.empty());
        EXPECT_EQ(row.make_plan == nullptr, !row.unavailable.empty());
        EXPECT_NE(row.workspace_bytes, nullptr);
    }
}

TEST_P(RegistryTest, OnlyCompactionsHavePhases) {
    for (const Algorithm& row : backend().rows)
        EXPECT_TRUE(!row.has_phases || row.operation == Operation::compact) << row.name;
}

TEST_P(RegistryTest, FindsEveryRowAndNoOther) {
    for (const Algorithm& row : backend().rows)
        EXPECT_EQ(find(backend(), row.operation, row.name), &row);
    EXPECT_EQ(find(backend(), Operation::scan, "radix"), nullptr) << "a sort";
    EXPECT_EQ(find(backend(), Operation::scan, ""), nullptr);
    EXPECT_EQ(find(backend(), Operation::scan, "CPU"), nullptr);
    EXPECT_EQ(find(backend(), Operation::scan, "cp"), nullptr);
}

TEST_P(RegistryTest, DeviceBytesAreInputOutputAndWorkspace) {
    constexpr std::size_t kSize = 1000, kArray = kSize * sizeof(int);
    const Algorithm& naive = *find(backend(), Operation::scan, "naive");
    EXPECT_EQ(device_bytes(naive, kSize, naive.tuned), 2 * kArray + 2 * kArray);
    EXPECT_EQ(device_bytes(naive, 0, naive.tuned), 0u);

    const Algorithm& cpu = *find(backend(), Operation::scan, "cpu");
    EXPECT_EQ(device_bytes(cpu, kSize, cpu.tuned), 0u);

    const Algorithm& streamed = *find(backend(), Operation::scan, "streamed");
    EXPECT_EQ(streamed.arrays_on(), Place::host);
    EXPECT_EQ(device_bytes(streamed, kSize, {}), streamed.workspace_bytes(kSize, {}));
    EXPECT_LT(device_bytes(streamed, std::size_t{1} << 40, {}), std::size_t{1} << 20);
}

INSTANTIATE_TEST_SUITE_P(Backends, RegistryTest,
                         testing::Values(simt::Backend::cuda, simt::Backend::emulated),
                         [](const testing::TestParamInfo<simt::Backend>& info) {
                             return info.param == simt::Backend::cuda ? "cuda" : "emulated";
                         });

TEST(Registries, AreThoseThatWereBuilt) {
#if defined(STREAM_COMPACTION_HAS_CUDA)
    EXPECT_NE(registry(simt::Backend::cuda), nullptr);
#else
    EXPECT_EQ(registry(simt::Backend::cuda), nullptr);
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
    EXPECT_NE(registry(simt::Backend::emulated), nullptr);
#else
    EXPECT_EQ(registry(simt::Backend::emulated), nullptr);
#endif
}

}  // namespace
}  // namespace stream_compaction
