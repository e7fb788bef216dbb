// A moved-from plan reports an error, and the plan that it was moved to works. A compaction whose
// count has no address, or one within an array, reports an error.
#include "stream_compaction/cpu.h"
#if defined(STREAM_COMPACTION_HAS_OPENMP)
#include "stream_compaction/cpu_parallel.h"
#endif
#if !defined(SIMT_EMULATED)
#include "stream_compaction/cub.h"
#include "stream_compaction/cub_types.h"
#endif
#include "stream_compaction/efficient.h"
#include "stream_compaction/efficient_plus.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/naive.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/radix.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/streamed.h"
#if defined(STREAM_COMPACTION_HAS_THRUST)
#include "stream_compaction/thrust.h"
#endif
#include "tests/guarded_array.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

/// A plan of type P for n elements of type T.
template <class P, class T = int, Place kPlace = Place::device>
struct Case {
    using Plan = P;
    using Element = T;

    static P make(std::size_t n) {
        if constexpr (std::is_constructible_v<P, std::size_t>)
            return P(n);
        else  // map, scan and scatter: no default tuning
            return P(n, std::is_same_v<P, efficient_plus::Compact> ? efficient_plus::kTuned
                                                                   : naive::kTuned);
    }

    static void enqueue(P& plan, std::size_t n) {
        GuardedArray<std::int64_t> in(kPlace, 64), out(kPlace, 64);  // of any type
        GuardedArray<std::size_t> count(kPlace, 1);
        const T* const from = reinterpret_cast<const T*>(in.data());
        T* const to = reinterpret_cast<T*>(out.data());
        if constexpr (requires { plan.enqueue(from, to, n); })
            plan.enqueue(from, to, n);
        else if constexpr (requires { plan.enqueue(from, to, count.data(), n); })
            plan.enqueue(from, to, count.data(), n);
        else
            plan.enqueue(from, to, from + 64, to + 64, n);  // pairs: values are in the second half
        simt::synchronize();
    }
};

template <class Case>
class MovedPlans : public testing::Test {};

using Cases = testing::Types<
    Case<cpu::Scan, int, Place::host>, Case<cpu::Compact, int, Place::host>,
    Case<cpu::CompactWithScan, int, Place::host>, Case<cpu::Sort, int, Place::host>,
#if defined(STREAM_COMPACTION_HAS_OPENMP)
    Case<cpu_parallel::Scan, int, Place::host>, Case<cpu_parallel::Compact, int, Place::host>,
    Case<cpu_parallel::Sort, int, Place::host>,
#endif
#if !defined(SIMT_EMULATED)
    Case<cub::Scan>, Case<cub::Compact>, Case<cub::Sort>,
    Case<cub::CompactOf<std::int64_t>, std::int64_t>, Case<cub::SortOf<float>, float>,
    Case<cub::SortPairsOf<std::uint32_t, std::uint32_t>, std::uint32_t>,
#endif
#if defined(STREAM_COMPACTION_HAS_THRUST)
    Case<thrust::Scan<thrust::Memory::cached>>, Case<thrust::Compact<thrust::Memory::cached>>,
    Case<thrust::Sort<thrust::Memory::uncached>>,
#endif
    Case<naive::Scan>, Case<naive::Compact>, Case<efficient::Scan>, Case<efficient::Compact>,
    Case<efficient_plus::Scan>, Case<efficient_plus::Compact>, Case<radix::Sort>,
    Case<hybrid_radix::Sort<int>>, Case<hybrid_radix::Sort<double>, double>,
    Case<hybrid_radix::SortPairs<std::uint32_t, std::uint32_t>, std::uint32_t>,
    Case<onesweep::Sort<int>>,
    Case<onesweep::SortPairs<std::uint32_t, std::uint32_t>, std::uint32_t>,
    Case<single_pass::Scan<>>, Case<single_pass::Compact<>>,
    Case<single_pass::BasicCompact<std::int64_t, single_pass::IsNotZero>, std::int64_t>,
    Case<streamed::Scan, int, Place::host>, Case<streamed::Compact, int, Place::host>,
    Case<streamed::Sort, int, Place::host>, Case<single_pass::BasicScan<double>, double>>;
TYPED_TEST_SUITE(MovedPlans, Cases);

TYPED_TEST(MovedPlans, RefuseToWork) {
    auto first = TypeParam::make(20);
    auto second = std::move(first);
    TypeParam::enqueue(second, 20);
    for (const std::size_t n : {0, 1, 20})
        EXPECT_THROW(TypeParam::enqueue(first, n), std::logic_error) << "n = " << n;

    auto third = TypeParam::make(10);
    third = std::move(second);
    TypeParam::enqueue(third, 20);
    for (const std::size_t n : {0, 1, 10, 20})
        EXPECT_THROW(TypeParam::enqueue(second, n), std::logic_error) << "n = " << n;
}

TYPED_TEST(MovedPlans, RefuseToWorkAfterAMoveToThemselves) {
    auto plan = TypeParam::make(20);
    auto& same = plan;  // compilers warn of plan = std::move(plan)
    plan = std::move(same);
    for (const std::size_t n : {0, 1, 20})
        EXPECT_THROW(TypeParam::enqueue(plan, n), std::logic_error) << "n = " << n;
}

TYPED_TEST(MovedPlans, RefuseANullCount) {
    auto plan = TypeParam::make(20);
    using Element = typename TypeParam::Element;
    const Element* const in = nullptr;
    Element* const out = nullptr;
    if constexpr (requires {
                      plan.enqueue(in, out, static_cast<std::size_t*>(nullptr), 0, nullptr);
                  }) {
        for (const std::size_t n : {0, 20}) {
            try {
                plan.enqueue(in, out, static_cast<std::size_t*>(nullptr), n, nullptr);
                FAIL() << "not refused";
            } catch (const std::invalid_argument& error) {
                EXPECT_STREQ(error.what(), "the count of a compaction is a null pointer");
            }
        }
    }
}

TYPED_TEST(MovedPlans, RefuseACountWithinAnArray) {
    auto plan = TypeParam::make(20);
    using Element = typename TypeParam::Element;
    std::vector<Element> arrays(100);  // never read or written, so it may be anywhere
    const Element* const in = arrays.data();
    Element* const out = arrays.data() + 40;
    if constexpr (requires {
                      plan.enqueue(in, out, static_cast<std::size_t*>(nullptr), 0, nullptr);
                  })
        for (const Element* const word : {in, in + 19, in + 40, in + 50, in + 59}) {
            auto* const count = reinterpret_cast<std::size_t*>(const_cast<Element*>(word));
            EXPECT_THROW(plan.enqueue(in, out, count, 20, nullptr), std::invalid_argument);
        }
}

}  // namespace
}  // namespace stream_compaction
