// Scans of every type, with every operator, as the library has them compiled.
#include "stream_compaction/single_pass.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/single_pass/guarded.h"
#include "tests/stream_compaction/single_pass/paths.h"
#include "tests/stream_compaction/single_pass/reference.h"
#include "tests/typed_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

template <class T, class Device, class Host>
struct ScanCase {
    using Element = T;
    using DeviceOperator = Device;
    using HostOperator = Host;
};

template <class Case>
class TypedScan : public testing::Test {};

using ScanCases =
    AllOrFirst<6, ScanCase<std::int32_t, Plus, HostPlus>, ScanCase<std::int32_t, Max, HostMax>,
               ScanCase<std::int32_t, Min, HostMin>, ScanCase<std::int64_t, Plus, HostPlus>,
               ScanCase<std::int64_t, Max, HostMax>, ScanCase<std::int64_t, Min, HostMin>,
               ScanCase<std::uint32_t, Plus, HostPlus>, ScanCase<std::uint32_t, Max, HostMax>,
               ScanCase<std::uint32_t, Min, HostMin>, ScanCase<std::uint64_t, Plus, HostPlus>,
               ScanCase<std::uint64_t, Max, HostMax>, ScanCase<std::uint64_t, Min, HostMin>,
               ScanCase<float, Plus, HostPlus>, ScanCase<float, Max, HostMax>,
               ScanCase<float, Min, HostMin>, ScanCase<double, Plus, HostPlus>,
               ScanCase<double, Max, HostMax>, ScanCase<double, Min, HostMin>>;
TYPED_TEST_SUITE(TypedScan, ScanCases);

TYPED_TEST(TypedScan, AnswersAsTheReference) {
    using T = typename TypeParam::Element;
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        for (const ScanKind kind : {ScanKind::exclusive, ScanKind::inclusive})
            for (const std::size_t n : sizes(sizeof(T))) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path)
                                                << (kind == ScanKind::inclusive ? ", incl" : ""));
                const auto values = random_values<T>(n);
                Guarded<T> in(values), out(n);
                BasicScan<T, typename TypeParam::DeviceOperator> plan(n, kind, path);
                plan.enqueue(in.data(), out.data(), n);
                EXPECT_TRUE(same_bytes(out.read(),
                                       scanned<T, typename TypeParam::HostOperator>(values, kind)));
                EXPECT_TRUE(same_bytes(in.read(), values)) << "the input was written";
            }
    }
}

TYPED_TEST(TypedScan, WorksInPlaceAndAnywhere) {
    using T = typename TypeParam::Element;
    const std::size_t n = at_most(3 * 32 * 1024 / sizeof(T) + 7);
    const auto values = random_values<T>(n);
    const auto expected = scanned<T, typename TypeParam::HostOperator>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        BasicScan<T, typename TypeParam::DeviceOperator> plan(n, ScanKind::exclusive, path);
        for (std::size_t offset = 0; offset < 16 / sizeof(T); ++offset) {
            SCOPED_TRACE(testing::Message() << "offset " << offset << ", path " << int(path));
            Guarded<T> in_place(values, offset), in(values, offset), out(n, 1);
            plan.enqueue(in_place.data(), in_place.data(), n);
            plan.enqueue(in.data(), out.data(), n);
            EXPECT_TRUE(same_bytes(in_place.read(), expected));
            EXPECT_TRUE(same_bytes(out.read(), expected));
        }
    }
}

template <class Case>
class FloatScanOf : public testing::Test {};
using FloatCases = testing::Types<ScanCase<float, Plus, HostPlus>, ScanCase<float, Max, HostMax>,
                                  ScanCase<float, Min, HostMin>, ScanCase<double, Plus, HostPlus>,
                                  ScanCase<double, Max, HostMax>, ScanCase<double, Min, HostMin>>;
TYPED_TEST_SUITE(FloatScanOf, FloatCases);

/// Sums propagate NaN; extremes ignore it, wherever it is.
TYPED_TEST(FloatScanOf, TreatsNaNAsTheHeaderSays) {
    using T = typename TypeParam::Element;
    const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    const std::size_t tile = 32 * 1024 / sizeof(T);
    for (const std::size_t n : without_too_large({1, 4, 33, 257, tile - 1, 5 * tile - 3})) {
        struct NaNs {
            std::size_t first, step;
        };
        for (const auto& [first, step] :
             {NaNs{0, 1}, NaNs{0, 7}, NaNs{0, n}, NaNs{n / 2, n}, NaNs{n - 1, n}}) {
            std::vector<T> values = random_values<T>(n);
            for (std::size_t i = first; i < n; i += step)
                values[i] = (i % 2 == 0 ? 1 : -1) * std::numeric_limits<T>::quiet_NaN();
            Guarded<T> in(values), out(n);
            for (const Path path : kPaths)
                for (const ScanKind kind : {ScanKind::exclusive, ScanKind::inclusive}) {
                    if (!is_available(path)) continue;
                    SCOPED_TRACE(testing::Message()
                                 << "n = " << n << ", path " << int(path) << ", NaN from " << first
                                 << " on, every " << step);
                    BasicScan<T, typename TypeParam::DeviceOperator> plan(n, kind, path);
                    plan.enqueue(in.data(), out.data(), n);
                    EXPECT_TRUE(std::ranges::equal(
                        out.read(), scanned<T, typename TypeParam::HostOperator>(values, kind),
                        same));
                }
        }
    }
}

/// Floating-point sums depend on the order, which must always be the same.
template <class T>
void expect_the_same_bits_in_every_run() {
    const std::size_t n = at_most(7 * 8192 + 11);
    std::mt19937 random(7);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> values(n);
    for (T& value : values) value = uniform(random);
    std::vector<double> exact(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        exact[i] = sum;
        sum += static_cast<double>(values[i]);
    }
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        BasicScan<T> plan(n, ScanKind::exclusive, path);
        std::vector<T> first;
        simt::test::under_every_schedule([&] {
            for (int run = 0; run < 3; ++run) {
                Guarded<T> in(values), out(n);
                plan.enqueue(in.data(), out.data(), n);
                const std::vector<T> result = out.read();
                if (first.empty()) first = result;
                ASSERT_TRUE(same_bytes(result, first));
            }
        });
        // An error of half a unit in the last place for each addition along a path.
        const double bound =
            64 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<T>::epsilon();
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_NEAR(static_cast<double>(first[i]), exact[i], bound) << "element " << i;
    }
}

TEST(FloatScan, GivesTheSameBitsInEveryRun) {
    expect_the_same_bits_in_every_run<float>();
    expect_the_same_bits_in_every_run<double>();
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
