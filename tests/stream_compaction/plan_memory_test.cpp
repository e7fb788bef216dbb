// Plans in memory that the caller gives: they use all of it, and allocate nothing; and its size can
// be computed before there is a device.
#include "simt/device_profile.h"
#include "simt/memory.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/single_pass.h"
#include "tests/guarded_array.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

/// The results of the plans for the numbers from n down to 1.
struct CallArrays {
    std::vector<int> in;
    simt::DeviceArray<int> from, to, values_to;
    simt::DeviceArray<std::size_t> count{1};

    explicit CallArrays(std::size_t n) : in(n), from(0), to(n), values_to(n) {
        std::iota(in.rbegin(), in.rend(), 1);
        from = simt::DeviceArray<int>(std::span<const int>(in));
    }
    std::vector<int> result() const {
        std::vector<int> out(in.size());
        to.copy_to(out);
        return out;
    }
};

struct Scan : single_pass::Scan<> {
    explicit Scan(std::size_t n, std::span<std::byte> memory)
        : single_pass::Scan<>(n, {}, memory) {}
    void run(CallArrays& arrays) {
        enqueue(arrays.from.data(), arrays.to.data(), arrays.in.size());
        std::vector<int> expected(arrays.in.size());
        std::exclusive_scan(arrays.in.begin(), arrays.in.end(), expected.begin(), 0);
        EXPECT_EQ(arrays.result(), expected);
    }
};

struct Compact : single_pass::Compact<> {
    explicit Compact(std::size_t n, std::span<std::byte> memory)
        : single_pass::Compact<>(n, {}, memory) {}
    void run(CallArrays& arrays) {
        enqueue(arrays.from.data(), arrays.to.data(), arrays.count.data(), arrays.in.size());
        EXPECT_EQ(arrays.result(), arrays.in);
    }
};

void expect_sorted(const CallArrays& arrays) {
    std::vector<int> expected = arrays.in;
    std::ranges::sort(expected);
    EXPECT_EQ(arrays.result(), expected);
}

template <class P>
struct Sort : P {
    explicit Sort(std::size_t n, std::span<std::byte> memory) : P(n, {}, {.memory = memory}) {}
    void run(CallArrays& arrays) {
        P::enqueue(arrays.from.data(), arrays.to.data(), arrays.in.size());
        expect_sorted(arrays);
    }
};

template <class P>
struct SortPairs : P {
    explicit SortPairs(std::size_t n, std::span<std::byte> memory) : P(n, {.memory = memory}) {}
    void run(CallArrays& arrays) {
        P::enqueue(arrays.from.data(), arrays.to.data(), arrays.from.data(),
                   arrays.values_to.data(), arrays.in.size());
        expect_sorted(arrays);
    }
};

template <class Plan>
class PlanMemory : public testing::Test {};
using Plans =
    testing::Types<Scan, Compact, Sort<onesweep::Sort<int>>, Sort<hybrid_radix::Sort<int>>,
                   SortPairs<onesweep::SortPairs<int, int>>,
                   SortPairs<hybrid_radix::SortPairs<int, int>>>;
TYPED_TEST_SUITE(PlanMemory, Plans);

/// Memory of this size between guard words.
class Memory {
  public:
    explicit Memory(std::size_t bytes)
        : bytes_(bytes), words_(Place::device, (bytes + sizeof(int) - 1) / sizeof(int)) {}
    std::span<std::byte> span() { return {reinterpret_cast<std::byte*>(words_.data()), bytes_}; }
    void expect_guards() const { (void)words_.read(); }

  private:
    std::size_t bytes_;
    GuardedArray<int> words_;
};

TYPED_TEST(PlanMemory, MayBeTheCallers) {
    for (const std::size_t n : without_too_large({1, 1000, 30'000})) {
        SCOPED_TRACE(n);
        CallArrays arrays(n);
        Memory memory(TypeParam::workspace_bytes(n));
        const std::size_t held = simt::held_bytes();
        {
            TypeParam plan(n, memory.span());
            EXPECT_EQ(simt::held_bytes(), held) << "the plan has allocated memory";
            plan.run(arrays);
            TypeParam other = std::move(plan);
            other.run(arrays);
        }
        EXPECT_EQ(simt::held_bytes(), held) << "the plan has given back what is not its own";
        memory.expect_guards();
    }
}

template <class Plan>
class LentMemory : public testing::Test {};
TYPED_TEST_SUITE(LentMemory, Plans);

TYPED_TEST(LentMemory, IsOfOnePlanAtATime) {
    const std::size_t n = at_most(30'000), bytes = TypeParam::workspace_bytes(n);
    CallArrays arrays(n);
    Memory memory(2 * ceil_div(bytes, 256) * 256);
    const auto half = memory.span().size() / 2;
    const auto expect_refusal = [&] {
        EXPECT_THROW(TypeParam(n, memory.span()), std::invalid_argument);
        EXPECT_THROW(TypeParam(n, memory.span().subspan(half - 256)), std::invalid_argument);
    };
    {
        TypeParam plan(n, memory.span());
        expect_refusal();
        plan.run(arrays);
        TypeParam beside_it(n, memory.span().subspan(half));
        TypeParam moved = std::move(plan);
        expect_refusal();
        moved.run(arrays);
        beside_it.run(arrays);
    }
    TypeParam next(n, memory.span().subspan(256));
    next.run(arrays);
}

TYPED_TEST(LentMemory, HasNoArrayOfACall) {
    const std::size_t n = at_most(1000);
    CallArrays arrays(n);
    Memory memory(TypeParam::workspace_bytes(n));
    TypeParam first(n, memory.span());
    TypeParam plan = std::move(first);
    const auto expect_refusal = [&](simt::DeviceArray<int>& array, std::byte* address) {
        simt::DeviceArray<int> own = std::exchange(
            array, simt::DeviceArray<int>::borrowed(reinterpret_cast<int*>(address), n));
        EXPECT_THROW(plan.run(arrays), std::invalid_argument);
        array = std::move(own);
    };
    std::byte* const begin = memory.span().data();
    for (std::byte* const address : {begin, begin - (n - 1) * sizeof(int), begin + 256}) {
        expect_refusal(arrays.from, address);
        expect_refusal(arrays.to, address);
    }
    plan.run(arrays);
}

TYPED_TEST(LentMemory, IsFreeAfterAMoveAssignmentToItsPlan) {
    const std::size_t n = at_most(30'000), bytes = TypeParam::workspace_bytes(n);
    CallArrays arrays(n);
    Memory memory(bytes), others(bytes);
    TypeParam plan(n, memory.span()), other(n, others.span());
    plan = std::move(other);
    EXPECT_THROW(TypeParam(n, others.span()), std::invalid_argument);
    TypeParam next(n, memory.span());
    plan.run(arrays);
    next.run(arrays);
}

TYPED_TEST(PlanMemory, MustNotBeNullWithASize) {
    const std::size_t bytes = TypeParam::workspace_bytes(1000);
    const std::span<std::byte> null(static_cast<std::byte*>(nullptr), bytes);
    for (int time = 0; time < 2; ++time) {
        try {
            const TypeParam plan(1000, null);
            FAIL() << "not refused";
        } catch (const std::invalid_argument& error) {
            EXPECT_EQ(error.what(), "a plan was given " + std::to_string(bytes) +
                                        " bytes of memory at a null pointer");
        }
    }
}

TYPED_TEST(PlanMemory, MustBeLargeEnough) {
    const std::size_t n = 30'000, bytes = TypeParam::workspace_bytes(n);
    ASSERT_GT(bytes, 0u);
    Memory memory(bytes);
    EXPECT_THROW(TypeParam(n, memory.span().first(bytes - 1)), std::invalid_argument);
    EXPECT_THROW(TypeParam(n, memory.span().first(0)), std::invalid_argument);
    memory.expect_guards();
}

TYPED_TEST(PlanMemory, MustBeAligned) {
    const std::size_t n = 30'000, bytes = TypeParam::workspace_bytes(n);
    Memory memory(bytes + 128);
    EXPECT_THROW(TypeParam(n, memory.span().subspan(128)), std::invalid_argument);
    memory.expect_guards();
}

/// Powers of two, their neighbours, and sizes in between.
std::vector<std::size_t> sizes() {
    std::vector<std::size_t> sizes{0};
    for (std::size_t power = 1; power < std::size_t{1} << 40; power *= 2)
        for (const std::size_t n : {power - 1, power, power + 1, power / 4 * 5, power / 4 * 7})
            sizes.push_back(n);
    std::ranges::sort(sizes);
    return sizes;
}

TYPED_TEST(PlanMemory, DoesNotFallAsTheSizeGrows) {
    std::size_t before = 0;
    for (const std::size_t n : sizes()) {
        const std::size_t bytes = TypeParam::workspace_bytes(n);
        EXPECT_GE(bytes, before) << n;
        before = bytes;
    }
}

simt::DeviceProperties device_of(const simt::DeviceProfile& profile) {
    simt::DeviceProperties device;
    device.shared_bytes_per_block = profile.shared_bytes_per_block;
    device.shared_bytes_per_multiprocessor = profile.shared_bytes_per_multiprocessor;
    device.multiprocessors = profile.multiprocessors;
    device.reserved_shared_bytes = profile.reserved_shared_bytes;
    return device;
}

TEST(HybridRadixWorkspace, FollowsFromWhatTheDeviceIsSaidToBe) {
    using Sort = hybrid_radix::Sort<int>;
    for (const simt::DeviceProfile& profile : simt::device_profiles()) {
        SCOPED_TRACE(profile.name);
        const simt::DeviceProperties device = device_of(profile);
        std::size_t before = 0;
        for (const std::size_t n : sizes()) {
            const std::size_t bytes = Sort::workspace_bytes(n, device);
            EXPECT_GE(bytes, before) << n;
            before = bytes;
        }
        const std::size_t few = hybrid_radix::BitsSort<unsigned>::default_thresholds(device).few;
        EXPECT_EQ(Sort::workspace_bytes(few, device), onesweep::Sort<int>::workspace_bytes(few));
        EXPECT_GT(Sort::workspace_bytes(few + 1, device),
                  onesweep::Sort<int>::workspace_bytes(few + 1));
    }
    for (const std::size_t n : {1'000, 10'000, 1'000'000})
        EXPECT_EQ(Sort::workspace_bytes(n), Sort::workspace_bytes(n, simt::device_properties()));
}

using WidthsOfKeys = testing::Types<int, std::int64_t>;
template <class Key>
class HybridRadixWorkspaceOf : public testing::Test {};
TYPED_TEST_SUITE(HybridRadixWorkspaceOf, WidthsOfKeys);

TYPED_TEST(HybridRadixWorkspaceOf, IsWhatTheHeaderSays) {
    for (const simt::DeviceProfile& profile : simt::device_profiles())
        for (const std::size_t n : sizes()) {
            if (n > std::size_t{1} << 31) continue;  // sorted by onesweep
            EXPECT_LE(hybrid_radix::Sort<TypeParam>::workspace_bytes(n, device_of(profile)),
                      n * sizeof(TypeParam) + 6'000'000)
                << n << " keys on " << profile.name;
        }
}

}  // namespace
}  // namespace stream_compaction
