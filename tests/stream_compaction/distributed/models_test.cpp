// The distributed sort of keys of all distributions and of random models.
#include "src/input/input.h"
#include "stream_compaction/distributed.h"
#include "tests/reference.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stream_compaction {
namespace {

using distributed::even_begin;

/// Equal parts, on this many ranks.
void expect_right(const Distribution& distribution, std::size_t n, unsigned ranks,
                  distributed::SortLimits limits) {
    SCOPED_TRACE(describe(distribution, n));
    const std::vector<int> input = make_input(distribution, std::nullopt, n, 1);
    const std::vector<int> sorted = reference(Operation::sort, input);
    distributed::run_ranks(ranks, [&](distributed::Communicator& each) {
        const std::size_t begin = even_begin(n, each.rank(), ranks);
        const std::size_t own = even_begin(n, each.rank() + 1, ranks) - begin;
        simt::DeviceArray<int> keys(std::span<const int>(input).subspan(begin, own));
        distributed::Sort<int> sort(own, own, each, limits);
        sort.enqueue(keys.data(), own, keys.data());
        std::vector<int> got(own);
        keys.copy_to(got);
        EXPECT_TRUE(equal(got, std::span(sorted).subspan(begin, own)));
    });
}

TEST(DistributedModels, SortsEachDistribution) {
    const std::size_t n = at_most(4000);
    for (const Distribution::Kind kind : kDistributions)
        for (const std::size_t few : {n / 300, n / 8}) expect_right(kind, n, 3, {.few = few});
}

TEST(DistributedModels, SortsKeysOfRandomModels) {
    const std::size_t n = at_most(3000);
    for (std::uint64_t model = 1; model <= 20; ++model)
        expect_right(Distribution::of_model(model), n, static_cast<unsigned>(2 + model % 4),
                     {.few = model % 3 * n / 100});
}

}  // namespace
}  // namespace stream_compaction
