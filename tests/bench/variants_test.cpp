// The rows of variants: other types, operators and predicates.
#include "src/check/variant_check.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/registry.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// An output that a plan wrote, and its check.
struct Call {
    VariantCheck check;
    simt::DeviceArray<int> in, out;
    simt::DeviceArray<std::size_t> count{1};
    simt::Stream stream;

    Call(const Algorithm& row, std::size_t n)
        : check(*row.variant,
                {row.operation == Operation::sort ? Distribution::uniform : Distribution::uniform50,
                 row.operation == Operation::compact ? std::optional(0.5) : std::nullopt, n, 1}),
          in(ceil_div(n * row.variant->in_bytes, sizeof(int))),
          out(ceil_div(n * row.variant->out_bytes, sizeof(int))) {
        check.store(in.data(), stream);
        check.prepare(out.data(), count.data(), stream);
        const std::unique_ptr<Plan> plan = row.make_plan(n, {});
        plan->enqueue(in.data(), out.data(), count.data(), n, stream.get());
    }
    std::optional<std::string> what_is_wrong() const {
        return check.what_is_wrong(out.data(), count.data(), stream);
    }
};

class Variants : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Variants, AreRightAtEverySize) {
    for (const std::size_t n : without_too_large({1, 2, 33, 1000, 4099, 20'001, 300'007}))
        EXPECT_EQ(std::nullopt, Call(*GetParam(), n).what_is_wrong()) << n << " elements";
}

TEST_P(Variants, AreSeenToBeWrong) {
    const std::size_t n = 1000;
    Call call(*GetParam(), n);
    ASSERT_EQ(std::nullopt, call.what_is_wrong());
    // The second half of the first array is either always written, or must not be written.
    int word = 0;
    const std::size_t at = call.out.size() * 3 / 5;
    simt::copy_async(&word, call.out.data() + at, sizeof word, call.stream.get());
    call.stream.synchronize();
    ++word;
    simt::copy_async(call.out.data() + at, &word, sizeof word, call.stream.get());
    EXPECT_NE(std::nullopt, call.what_is_wrong());
}

TEST_P(Variants, TellTheMemoryThatTheyTake) {
    const Algorithm& row = *GetParam();
    EXPECT_EQ(device_bytes(row, 1 << 20, {}) - row.workspace_bytes(1 << 20, {}),
              (row.variant->in_bytes + row.variant->out_bytes) << 20);
}

std::vector<const Algorithm*> variant_rows_here() {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : registry_with_variants(simt::kBackend)->variants)
        rows.push_back(&row);
    return rows;
}

INSTANTIATE_TEST_SUITE_P(Rows, Variants, testing::ValuesIn(variant_rows_here()),
                         [](const auto& info) {
                             return std::string(to_string(info.param->operation)) + '_' +
                                    std::string(info.param->variant->name) + '_' +
                                    std::string(info.param->name);
                         });

TEST(VariantNames, AreUniqueInTheirOperation) {
    std::set<std::tuple<Operation, std::string_view, std::string_view>> seen;
    for (const Algorithm* row : variant_rows_here()) {
        ASSERT_NE(row->variant, nullptr);
        EXPECT_EQ(row->variant->operation, row->operation);
        EXPECT_TRUE(seen.emplace(row->operation, row->variant->name, row->name).second);
    }
    EXPECT_FALSE(seen.empty());
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
