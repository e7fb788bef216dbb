// Arrays that are distributed over several ranks, as threads of this process: with any number of
// ranks, and any parts.
#include "stream_compaction/distributed.h"

#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/distributed/parts.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

std::vector<unsigned> rank_counts() {
    if (is_slow()) return {3};
    return {1, 2, 3, 4, 7};
}

void for_all_divisions(const std::function<void(unsigned, const Division&)>& f) {
    for (const unsigned ranks : rank_counts())
        for (const Division& division : kDivisions) {
            SCOPED_TRACE(std::to_string(ranks) + " ranks, " + division.name);
            f(ranks, division);
        }
}

TEST(Distributed, ScansAnyParts) {
    for_all_divisions([](unsigned ranks, const Division& division) {
        for (const std::size_t n : without_too_large({0, 1, 6, 5000}))
            run_ranks(ranks, [&](Communicator& each) {
                for (const auto make : {inputs::random, inputs::none_zero})
                    expect_scan(make(n), division.sizes(n, ranks), each);
            });
    });
}

TEST(Distributed, CompactsAnyParts) {
    for_all_divisions([](unsigned ranks, const Division& division) {
        for (const std::size_t n : without_too_large({0, 1, 6, 5000}))
            run_ranks(ranks, [&](Communicator& each) {
                for (const auto make : {inputs::random, inputs::all_zero, inputs::last_alone})
                    expect_compact(make(n), division.sizes(n, ranks), each);
            });
    });
}

TEST(Distributed, SortsAnyPartsIntoAnyOthers) {
    for_all_divisions([](unsigned ranks, const Division& division) {
        run_ranks(ranks, [&](Communicator& each) {
            for (const std::size_t n : {0, 1, 6})
                expect_sort(inputs::random(n), division.sizes(n, ranks), {}, each);
            const std::size_t n = is_slow() ? 100 : 300;
            for (const Division& wanted : all_or_some(kDivisions))
                expect_sort(inputs::extremes(n), division.sizes(n, ranks), wanted.sizes(n, ranks),
                            each);
        });
    });
}

TEST(Distributed, SortsAllKindsOfKeys) {
    for (const std::size_t n : without_too_large({300, 5000}))
        for (unsigned ranks = is_slow() ? 3 : 2; ranks <= 3; ++ranks)
            run_ranks(ranks, [&](Communicator& each) {
                for (const Input& input : all_or_some(kInputs)) {
                    SCOPED_TRACE(input.name);
                    expect_sort(input.make(n), kDivisions[3].sizes(n, ranks), {}, each);
                }
            });
}

/// Each block of the kernels has several tiles.
TEST(Distributed, SortsManyKeys) {
    if (is_slow()) GTEST_SKIP() << "needs more keys than a slow build sorts";
    const std::size_t n = at_most(200'000);
    const std::vector<int> input = inputs::none_zero(n);
    run_ranks(2, [&](Communicator& each) {
        expect_sort(input, kDivisions[0].sizes(n, 2), {}, each, {.few = 100});
    });
}

std::vector<int> keys_of(std::size_t n, const std::function<unsigned(unsigned)>& key_of_hash) {
    std::vector<int> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
        unsigned hash = static_cast<unsigned>(i) * 0x9e3779b9u;
        hash = (hash ^ hash >> 15) * 0x85ebca6bu;
        keys[i] = std::bit_cast<int>(key_of_hash(hash ^ hash >> 13));
    }
    return keys;
}

/// Few distinct values are counted instead of moved, unless another one is outside the samples.
TEST(Distributed, SortsFewDistinctValues) {
    const std::size_t n = at_most(6'000);
    const auto expect_sorted = [n](unsigned values, bool has_another, const Division& division,
                                   Communicator& ranks) {
        SCOPED_TRACE(std::to_string(values) + (has_another ? " values and one" : " values"));
        std::vector<int> keys =
            keys_of(n, [&](unsigned hash) { return hash % values * 0x4000001u; });
        if (has_another) keys[n - 2] = -77;  // no sample
        expect_sort(keys, division.sizes(n, 3), {}, ranks);
    };
    run_ranks(3, [&](Communicator& each) {
        for (const unsigned values : is_slow() ? std::vector{64u} : std::vector{1u, 64u, 65u})
            for (const bool has_another : {false, true})
                expect_sorted(values, has_another, kDivisions[0], each);
        for (const Division& division : all_or_some(kDivisions))
            expect_sorted(64, false, division, each);
    });
}

/// The first partition is the exchange: the ranges of the ranks are sorted by the second digit.
/// Cuts are inside and between bins of both digits, and some bins are too large for a block.
TEST(Distributed, SortsRangesThatArrivePartitioned) {
    const std::size_t n = at_most(30'000);
    const std::vector<int> even = keys_of(n, [](unsigned hash) { return hash; });
    const std::vector<int> bins =
        keys_of(n, [](unsigned hash) { return hash & 0xffe00000u; });  // one value each
    const std::vector<int> crowded =
        keys_of(n, [](unsigned hash) { return hash % 3 == 0 ? hash : 0x12345678u ^ hash >> 12; });
    const Sizes unequal{n / 2 + 1, 0, n / 3, n - n / 2 - 1 - n / 3};
    if (!is_slow())
        run_ranks(4, [&](Communicator& each) {
            for (const auto& keys : {even, bins, crowded}) {
                expect_sort(keys, kDivisions[0].sizes(n, 4), {}, each);
                expect_sort(keys, unequal, kDivisions[3].sizes(n, 4), each);
            }
        });
    run_ranks(2, [&](Communicator& each) {
        expect_sort(even, {n - 3, 3}, {n / 4, n - n / 4}, each);
    });
}

/// The high bits that the samples share are not counted, unless a key differs in them.
TEST(Distributed, SortsKeysThatShareTheirHighBits) {
    const std::size_t n = at_most(9'000);
    for (const unsigned low_bits : is_slow() ? std::vector{20u} : std::vector{9u, 20u}) {
        SCOPED_TRACE(std::to_string(low_bits) + " low bits");
        const std::vector<int> keys = keys_of(n, [&](unsigned hash) {
            return (0x52345678u >> low_bits << low_bits) + (hash >> (32 - low_bits));
        });
        run_ranks(3, [&](Communicator& each) {
            for (const int other : {keys[n - 2], keys[n - 2] & 0xff, 0x7fffffff, -77}) {
                std::vector<int> with_other = keys;
                with_other[n - 2] = other;  // no sample
                expect_sort(with_other, kDivisions[0].sizes(n, 3), {}, each);
            }
        });
    }
}

/// The exchanged bins are even, but one bin of both digits has more keys than a block sorts.
TEST(Distributed, SortsRangesWithAnOverfullBin) {
    if (is_slow()) GTEST_SKIP() << "needs more keys than a slow build sorts";
    const std::size_t n = at_most(160'000);
    const std::vector<int> keys =
        keys_of(n, [](unsigned hash) { return hash % 12 == 0 ? 0x12345678u ^ hash >> 12 : hash; });
    run_ranks(2, [&](Communicator& each) {
        expect_sort(keys, kDivisions[0].sizes(n, 2), {}, each, {.few = 100});
    });
}

/// So many ranks that bins are searched among many splits, and there is no room for a digit.
TEST(Distributed, SortsForManyRanks) {
    const std::size_t n = is_slow() ? 700 : 5'000;
    const std::vector<int> keys = keys_of(n, [](unsigned hash) { return hash; });
    // ThreadSanitizer has room for 8128 threads and fibers; a rank may need 1024.
    const unsigned ranks = is_slow() ? 5 : 70;
    run_ranks(ranks, [&](Communicator& each) {
        expect_sort(keys, kDivisions[0].sizes(n, ranks), {}, each);
    });
}

template <class Key>
class DistributedSort : public testing::Test {};
using Keys = testing::Types<std::uint32_t, float, std::int64_t, double>;
TYPED_TEST_SUITE(DistributedSort, Keys);

TYPED_TEST(DistributedSort, KnowsTheOrderOfItsKeys) {
    using Bits = KeyBits<sizeof(TypeParam)>;
    const std::size_t n = is_slow() ? 100 : 400;
    for (const auto& pattern : all_or_some(kPatterns<Bits>)) {
        SCOPED_TRACE(pattern.name);
        const std::vector<TypeParam> input = make_keys<TypeParam>(pattern, n, 3);
        std::vector<TypeParam> whole = input;
        std::ranges::stable_sort(whole, comes_before<TypeParam>);
        run_ranks(3, [&](Communicator& ranks) {
            const Sizes sizes = kDivisions[3].sizes(n, 3), gets = kDivisions[0].sizes(n, 3);
            const auto own = part_of<TypeParam>(input, sizes, ranks.rank());
            const auto expected = part_of<TypeParam>(whole, gets, ranks.rank());
            const simt::DeviceArray<TypeParam> in(own);
            simt::DeviceArray<TypeParam> out(expected.size());
            distributed::Sort<TypeParam> sort(own.size(), expected.size(), ranks, kTiny);
            sort.enqueue(in.data(), own.size(), out.data());
            std::vector<TypeParam> got(expected.size());
            out.copy_to(got);
            EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.size_bytes()), 0);
        });
    }
}

TEST(Distributed, NeedsNoMoreMemoryThanItSays) {
    for (const std::size_t n : without_too_large({1, 300, 40'000}))
        for (const SortLimits limits : {SortLimits{}, SortLimits{.few = 10}}) {
            const std::size_t held = simt::held_bytes();
            run_ranks(1, [&](Communicator& ranks) {
                const distributed::Scan scan(n, ranks);
                EXPECT_LE(simt::held_bytes() - held, distributed::Scan::workspace_bytes(n));
            });
            run_ranks(1, [&](Communicator& ranks) {
                const distributed::Compact compact(n, ranks);
                EXPECT_LE(simt::held_bytes() - held, distributed::Compact::workspace_bytes(n));
            });
            run_ranks(1, [&](Communicator& ranks) {
                const distributed::Sort<int> sort(n, n / 2, ranks, limits);
                EXPECT_LE(simt::held_bytes() - held,
                          distributed::Sort<int>::workspace_bytes(n, n / 2, 1, limits));
            });
        }
}

/// To receive, to send if GPUs cannot store to each other, and to sort.
TEST(Distributed, SortsWithThreeMoreArrays) {
    const std::size_t n = std::size_t{1} << 28;
    EXPECT_LE(distributed::Sort<int>::workspace_bytes(n, n, 2), n * sizeof(int) * 315 / 100);
    EXPECT_LE(distributed::Sort<double>::workspace_bytes(n, n, 2), n * sizeof(double) * 315 / 100);
}

}  // namespace
}  // namespace stream_compaction
