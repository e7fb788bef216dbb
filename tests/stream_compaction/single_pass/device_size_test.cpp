// Sizes that only the device knows.
#include "simt/memory.h"
#include "simt/stream.h"
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/size_word.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/single_pass/paths.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

constexpr Path kAllPaths[] = {Path::automatic, Path::plain, Path::pipelined};

std::vector<int> scanned(const std::vector<int>& in) { return reference(Operation::scan, in); }
std::vector<int> compacted(const std::vector<int>& in) { return reference(Operation::compact, in); }

/// The beginning of a result; the rest must not have been written.
std::vector<int> expected(std::vector<int> result, std::size_t capacity) {
    result.resize(capacity, kSentinel);
    return result;
}

std::vector<int> first(const std::vector<int>& elements, std::size_t n) {
    return {elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// From capacities for one block to those for which a block processes several tiles.
std::vector<std::size_t> capacities() { return without_too_large({1, 3, 1'000, 30'000, 400'003}); }
std::vector<std::size_t> sizes(std::size_t capacity) {
    return {capacity, 0, capacity / 2, capacity - 1, 1, capacity};
}

TEST(SinglePassDeviceSize, IsReadByScans) {
    for (const Path path : kAllPaths) {
        if (!is_available(path)) continue;
        for (const std::size_t capacity : capacities()) {
            const std::vector<int> in = inputs::random(capacity);
            const simt::DeviceArray<int> on_device{std::span<const int>(in)};
            GuardedArray<int> out(Place::device, capacity);
            BasicScan<int> scan(capacity, ScanKind::exclusive, path);
            for (const std::size_t n : sizes(capacity)) {
                SCOPED_TRACE(testing::Message()
                             << n << " of " << capacity << ", path " << int(path));
                SizeWord size(n);
                out.assign({});
                scan.enqueue(on_device.data(), out.data(), size.get());
                EXPECT_EQ(out.read(), expected(scanned(first(in, n)), capacity));
                EXPECT_FALSE(size.is_too_large());
                out.assign(first(in, n));
                scan.enqueue(out.data(), out.data(), size.get());
                EXPECT_EQ(out.read(), expected(scanned(first(in, n)), capacity)) << "in place";
            }
        }
    }
}

TEST(SinglePassDeviceSize, IsReadByCompactions) {
    for (const Path path : kAllPaths) {
        if (!is_available(path)) continue;
        for (const std::size_t capacity : capacities()) {
            const std::vector<int> in = inputs::random(capacity);
            const simt::DeviceArray<int> on_device{std::span<const int>(in)};
            GuardedArray<int> out(Place::device, capacity);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<int, NonZero> compact(capacity, path);
            for (const std::size_t n : sizes(capacity)) {
                SCOPED_TRACE(testing::Message()
                             << n << " of " << capacity << ", path " << int(path));
                SizeWord size(n);
                out.assign({});
                compact.enqueue(on_device.data(), out.data(), count.data(), size.get());
                const std::vector<int> kept = compacted(first(in, n));
                EXPECT_EQ(out.read(), expected(kept, capacity));
                std::size_t counted = ~std::size_t{0};
                count.copy_to(std::span<std::size_t>(&counted, 1));
                EXPECT_EQ(counted, kept.size());
            }
        }
    }
}

/// The arrays have n elements, and only the device knows n: what is behind them is not theirs.
TEST(SinglePassDeviceSize, AllowsACountBehindArraysThatAreShorterThanTheCapacity) {
    constexpr std::size_t n = 1000;
    const std::vector<int> in = inputs::random(n);
    std::vector<int> content = in;
    content.resize(2 * n + sizeof(std::size_t) / sizeof(int));
    simt::DeviceArray<int> all{std::span<const int>(content)};
    int *const out = all.data() + n, *const count = out + n;
    SizeWord size(n);
    BasicCompact<int, NonZero> compact(5 * n);
    compact.enqueue(all.data(), out, reinterpret_cast<std::size_t*>(count), size.get());
    all.copy_to(content);
    const std::vector<int> kept = compacted(in);
    EXPECT_EQ(first({content.begin() + n, content.end()}, kept.size()), kept);
    std::size_t counted = 0;
    std::memcpy(&counted, &content[2 * n], sizeof counted);
    EXPECT_EQ(counted, kept.size());
}

TEST(SinglePassDeviceSize, IsTheCapacityWhereItIsMore) {
    const std::size_t capacity = at_most(10'000);
    const std::vector<int> in = inputs::none_zero(capacity);
    const simt::DeviceArray<int> on_device{std::span<const int>(in)};
    GuardedArray<int> out(Place::device, capacity);
    Scan<> scan(capacity);
    for (const std::size_t n : {capacity + 1, ~std::size_t{0}}) {
        SizeWord size(n);
        out.assign({});
        scan.enqueue(on_device.data(), out.data(), size.get());
        EXPECT_EQ(out.read(), scanned(in));
        EXPECT_TRUE(size.is_too_large());
        scan.enqueue(on_device.data(), out.data(), DeviceSize{size.get().n});  // without a report
        EXPECT_EQ(out.read(), scanned(in));
    }
}

TEST(SinglePassDeviceSize, GoesFromCallToCallOfAGraph) {
    const std::size_t capacity = at_most(50'000);
    simt::DeviceArray<int> in(capacity), kept(capacity);
    GuardedArray<int> sums(Place::device, capacity);
    simt::DeviceArray<std::size_t> count(1);
    SizeWord size(0);
    Compact<> compact(capacity);
    Scan<> scan(capacity);
    const simt::Stream stream;
    const simt::Graph graph([&](simt::stream_t captured) {
        compact.enqueue(in.data(), kept.data(), count.data(), size.get(), captured);
        scan.enqueue(kept.data(), sums.data(), DeviceSize{count.data()}, captured);
    });
    for (const std::size_t n : sizes(capacity)) {
        SCOPED_TRACE(n);
        const std::vector<int> values = inputs::random(capacity);
        in.copy_from(values);
        size.set(n);
        sums.assign({});
        graph.launch(stream.get());
        stream.synchronize();
        EXPECT_EQ(sums.read(), expected(scanned(compacted(first(values, n))), capacity));
    }
}

TEST(SinglePassDeviceSize, NeedsAPlanThatIsThere) {
    SizeWord size(1);
    Scan<> scan(10);
    const Scan<> other = std::move(scan);
    EXPECT_THROW(scan.enqueue(nullptr, nullptr, size.get()), std::logic_error);
    Scan<> none(0);
    EXPECT_NO_THROW(none.enqueue(nullptr, nullptr, size.get()));
}

TEST(SinglePassDeviceSize, IsRefusedWithoutAWord) {
    for (const std::size_t capacity : {0, 10}) {
        simt::DeviceArray<std::size_t> count(1);
        Scan<> scan(capacity);
        EXPECT_THROW(scan.enqueue(nullptr, nullptr, DeviceSize{nullptr}), std::invalid_argument);
        Compact<> compact(capacity);
        EXPECT_THROW(compact.enqueue(nullptr, nullptr, count.data(), DeviceSize{nullptr}),
                     std::invalid_argument);
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
