// Sorts of a number of keys in device memory: only onesweep supports them.
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/parts/size_on_device.h"
#include "stream_compaction/single_pass.h"
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/size_word.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr onesweep::Thresholds kFewKeys[] = {{}, {.ranked = 1'000}, {.clustered = 100'000}};

/// From capacities for one block to those for which a block processes several tiles.
std::vector<std::size_t> capacities() { return without_too_large({1, 33, 700, 9'000, 40'001}); }

/// Large sizes after small ones: the state that a launch leaves must be right for both.
std::vector<std::size_t> sizes(std::size_t capacity) {
    return {capacity, 0, 1, capacity / 3, capacity - 1};
}

std::vector<int> made_by(const Pattern<unsigned>& pattern, std::size_t n) {
    return make_keys<int>(pattern, n, n);
}

/// In arrays that end after the n keys, in place and not.
template <class Sort>
void expect_sorted(Sort& sort, const std::vector<int>& keys, std::size_t capacity) {
    const std::size_t n = keys.size();
    const std::vector<int> sorted = reference(Operation::sort, keys);
    SizeWord size(n);
    const simt::DeviceArray<int> in{std::span<const int>(keys)};
    GuardedArray<int> out(Place::device, n);
    sort.enqueue(in.data(), out.data(), size.get());
    EXPECT_EQ(out.read(), sorted);
    out.assign(keys);
    sort.enqueue(out.data(), out.data(), size.get());
    EXPECT_EQ(out.read(), sorted) << "in place";
    EXPECT_FALSE(size.is_too_large()) << n << " of " << capacity;
}

template <class Sort>
void expect_any_size(Sort sort, std::size_t capacity, const Pattern<unsigned>& pattern) {
    for (const std::size_t n : sizes(capacity)) {
        SCOPED_TRACE(testing::Message() << n << " of " << capacity << ", " << pattern.name);
        expect_sorted(sort, made_by(pattern, n), capacity);
        if (testing::Test::HasFailure()) return;
    }
    // A size on the device leaves no state that affects a later call with a size on the host.
    const std::vector<int> keys = made_by(pattern, capacity);
    simt::DeviceArray<int> array{std::span<const int>(keys)};
    std::vector<int> got(capacity);
    sort.enqueue(array.data(), array.data(), capacity);
    array.copy_to(got);
    EXPECT_EQ(got, reference(Operation::sort, keys)) << "with a size on the host";
}

TEST(SortDeviceSize, IsReadByOnesweep) {
    constexpr int kSome[] = {0, 1, 2, 4};
    for (const std::size_t capacity : capacities())
        for (const int pattern : all_or_some(kSome))
            for (const onesweep::Thresholds& thresholds : kFewKeys)
                expect_any_size(onesweep::Sort<int>(capacity, {}, {}, thresholds), capacity,
                                kPatterns<unsigned>[pattern]);
}

/// Stable, with values and with indices.
TEST(SortDeviceSize, IsThatOfPairs) {
    const auto& pattern = kPatterns<unsigned>[2];  // keys that repeat
    for (const std::size_t capacity : capacities())
        for (const onesweep::Thresholds& thresholds : kFewKeys) {
            onesweep::SortPairs<int, unsigned> sort(capacity, {}, thresholds);
            for (const std::size_t n : sizes(capacity))
                for (const bool in_place : {false, true}) {
                    SCOPED_TRACE(testing::Message()
                                 << n << " of " << capacity << (in_place ? ", in place" : ""));
                    const std::vector<int> keys = made_by(pattern, n);
                    std::vector<unsigned> order(n), tripled(n), thrice(n);
                    std::iota(order.begin(), order.end(), 0u);
                    for (std::size_t i = 0; i < n; ++i) tripled[i] = 3 * order[i];
                    std::ranges::stable_sort(
                        order, [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
                    for (std::size_t i = 0; i < n; ++i) thrice[i] = 3 * order[i];

                    SizeWord size(n);
                    simt::DeviceArray<int> in{std::span<const int>(keys)};
                    simt::DeviceArray<unsigned> values{std::span<const unsigned>(tripled)};
                    GuardedArray<int> out(Place::device, n);
                    GuardedArray<unsigned> values_out(Place::device, n);
                    out.assign(keys);
                    values_out.assign(tripled);
                    const int* const keys_in = in_place ? out.data() : in.data();
                    sort.enqueue(keys_in, out.data(), in_place ? values_out.data() : values.data(),
                                 values_out.data(), size.get());
                    EXPECT_EQ(out.read(), reference(Operation::sort, keys));
                    EXPECT_EQ(values_out.read(), thrice);

                    out.assign(keys);
                    sort.enqueue(keys_in, out.data(), values_out.data(), size.get());
                    EXPECT_EQ(out.read(), reference(Operation::sort, keys)) << "with indices";
                    EXPECT_EQ(values_out.read(), order) << "indices";
                    if (HasFailure()) return;
                }
        }
}

template <class Sort>
void expect_clamped(Sort sort, std::size_t capacity) {
    const std::vector<int> keys = inputs::random(capacity);
    const simt::DeviceArray<int> in{std::span<const int>(keys)};
    GuardedArray<int> out(Place::device, capacity);
    for (const std::size_t n : {capacity + 1, ~std::size_t{0}}) {
        SCOPED_TRACE(n);
        SizeWord size(n);
        out.assign({});
        sort.enqueue(in.data(), out.data(), size.get());
        EXPECT_EQ(out.read(), reference(Operation::sort, keys));
        EXPECT_TRUE(size.is_too_large());
        out.assign({});
        sort.enqueue(in.data(), out.data(), DeviceSize{size.get().n});  // without a report
        EXPECT_EQ(out.read(), reference(Operation::sort, keys));
    }
}

TEST(SortDeviceSize, IsTheCapacityWhereItIsMore) {
    const std::size_t capacity = at_most(10'000);
    for (const onesweep::Thresholds& thresholds :
         {onesweep::Thresholds{}, {.ranked = capacity}, {.clustered = capacity}})
        expect_clamped(onesweep::Sort<int>(capacity, {}, {}, thresholds), capacity);
}

/// The count that a compaction stores is the n of the next calls.
TEST(SortDeviceSize, GoesFromCallToCallOfAGraph) {
    const std::size_t capacity = at_most(30'000);
    simt::DeviceArray<int> in(capacity), kept(capacity);
    GuardedArray<int> sorted(Place::device, capacity);
    simt::DeviceArray<std::size_t> count(1);
    SizeWord size(0);
    single_pass::Compact<> compact(capacity);
    onesweep::Sort<int> sort(capacity);
    const simt::Stream stream;
    const simt::Graph graph([&](simt::stream_t captured) {
        compact.enqueue(in.data(), kept.data(), count.data(), size.get(), captured);
        sort.enqueue(kept.data(), sorted.data(), DeviceSize{count.data()}, captured);
    });
    for (const std::size_t n : sizes(capacity)) {
        SCOPED_TRACE(n);
        const std::vector<int> values = inputs::random(capacity);
        in.copy_from(values);
        size.set(n);
        sorted.assign({});
        graph.launch(stream.get());
        stream.synchronize();
        const std::vector<int> first(values.begin(),
                                     values.begin() + static_cast<std::ptrdiff_t>(n));
        std::vector<int> expected =
            reference(Operation::sort, reference(Operation::compact, first));
        expected.resize(capacity, kSentinel);
        EXPECT_EQ(sorted.read(), expected);
    }
}

TEST(SortDeviceSize, NeedsAPlanThatIsThereAndNotTooLarge) {
    SizeWord size(1);
    onesweep::Sort<int> sort(10), none(0);
    const auto other = std::move(sort);
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, size.get()), std::logic_error);
    EXPECT_NO_THROW(none.enqueue(nullptr, nullptr, size.get()));
    constexpr std::size_t kMost = std::size_t{1} << 31;
    EXPECT_EQ(most_keys(Capacity(kMost)), kMost);
    EXPECT_THROW((void)most_keys(Capacity(kMost + 1)), std::invalid_argument);
}

TEST(SortDeviceSize, IsRefusedWithoutAWord) {
    for (const std::size_t capacity : {0, 10}) {
        onesweep::Sort<int> sort(capacity);
        EXPECT_THROW(sort.enqueue(nullptr, nullptr, DeviceSize{nullptr}), std::invalid_argument);
        onesweep::SortPairs<int, unsigned> argsort(capacity);
        EXPECT_THROW(argsort.enqueue(nullptr, nullptr, nullptr, DeviceSize{nullptr}),
                     std::invalid_argument);
    }
}

}  // namespace
}  // namespace stream_compaction
