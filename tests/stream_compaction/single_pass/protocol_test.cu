// The protocol between blocks tolerates delays, other streams, and other orders of blocks.
#include "simt/device.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/single_pass/compact.h"
#include "stream_compaction/single_pass/scan.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/single_pass/guarded.h"
#include "tests/stream_compaction/single_pass/paths.h"
#include "tests/stream_compaction/single_pass/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

/// The device, with the compute capability that the kernels were compiled for if that is lower.
simt::DeviceProperties device() { return device_for<ScanJob<int, Plus>>(); }

/// Keeps a warp busy for a time that depends only on the tile and the round.
__device__ void delay(std::size_t first, unsigned round) {
    unsigned x = static_cast<unsigned>(first / 1024) * 2654435761u ^ round * 0x9E3779B9u;
    x ^= x >> 16, x *= 0x7FEB352Du, x ^= x >> 15;
    for (unsigned turns = x % 8 == 0 ? x / 8 % 64 : 0; turns > 0; --turns) simt::relax();
}

struct DelayedScan : ScanJob<int, Plus> {
    unsigned round;

    template <bool kWhole, int kRows>
    __device__ int reduce(const Vector<int> (&rows)[kRows], std::size_t first,
                          const Extent& extent) const {
        delay(first, round);
        return ScanJob::reduce<kWhole>(rows, first, extent);
    }
};

struct DelayedCompact : CompactJob<int, NonZero, false> {
    unsigned round;

    template <bool kWhole, int kRows>
    __device__ unsigned reduce(const Vector<int> (&rows)[kRows], std::size_t first,
                               const Extent& extent) const {
        delay(first, round);
        return CompactJob::reduce<kWhole>(rows, first, extent);
    }
};

__global__ void count_differences(const int* a, const int* b, std::size_t n, unsigned* count) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
        if (a[i] != b[i]) atomicAdd(count, 1u);
}

/// How often each of five sizes is repeated; STREAM_COMPACTION_TEST_REPEATS increases it.
unsigned repeats() {
    const char* const text = std::getenv("STREAM_COMPACTION_TEST_REPEATS");
    if (text != nullptr) return static_cast<unsigned>(std::stoul(text));
    return simt::kBackend == simt::Backend::cuda ? 200 : 2;
}

/// Two streams at once, each with its own plan, with random delays of the blocks.
TEST(SinglePassProtocol, StandsDelaysAndAnotherStream) {
    const std::size_t unit = simt::kBackend == simt::Backend::cuda ? 1 << 18 : 1 << 13;
    for (const std::size_t n :
         without_too_large({unit / 4 + 1, unit, 3 * unit + 7, 6 * unit - 3, 9 * unit})) {
        const auto values = random_values<int>(n);
        std::vector<int> compacted;
        for (const int value : values)
            if (value % 2 != 0) compacted.push_back(value);
        std::vector<int> with_zeros = values;
        for (int& value : with_zeros)
            if (value % 2 == 0) value = 0;

        Guarded<int> in(values), sparse(with_zeros), sums(n), kept(n);
        Guarded<int> expected_sums(scanned<int, HostPlus>(values, ScanKind::exclusive));
        Guarded<int> expected_kept(compacted);
        simt::DeviceArray<unsigned> wrong(std::span<const unsigned>(std::vector<unsigned>(1)));
        simt::DeviceArray<std::size_t> count(1);
        const simt::Stream streams[2];
        for (const Path path : kPaths) {
            if (!is_available(path)) continue;
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            Workspace workspaces[2] = {{n, 4, 4}, {n, 4, 4}};
            for (unsigned round = 0; round < repeats(); ++round) {
                DelayedScan scan{{in.data(), sums.data(), false}, round};
                enqueue(scan, n, path, device(), workspaces[0], streams[0].get());
                simt::launch(count_differences, {64, 256, 0, streams[0].get()}, sums.data(),
                             expected_sums.data(), n, wrong.data());
                DelayedCompact compact{{sparse.data(), kept.data(), nullptr, count.data()}, round};
                enqueue(compact, n, path, device(), workspaces[1], streams[1].get());
                simt::launch(count_differences, {64, 256, 0, streams[1].get()}, kept.data(),
                             expected_kept.data(), compacted.size(), wrong.data());
            }
            for (const auto& stream : streams) stream.synchronize();
            unsigned differences = 1;
            wrong.copy_to(std::span(&differences, 1));
            EXPECT_EQ(differences, 0u);
            std::size_t kept_count = 0;
            count.copy_to(std::span(&kept_count, 1));
            EXPECT_EQ(kept_count, compacted.size());
        }
    }
}

TEST(SinglePassProtocol, StandsEveryOrderOfBlocks) {
    const std::size_t n = at_most(6 * 8192 + 5);
    const auto values = random_values<int>(n);
    const auto expected = scanned<int, HostPlus>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        simt::test::under_every_schedule([&] {
            BasicScan<int> plan(n, ScanKind::exclusive, path);
            Guarded<int> in(values), out(n);
            for (int run = 0; run < 2; ++run) plan.enqueue(in.data(), out.data(), n);
            EXPECT_TRUE(same_bytes(out.read(), expected));
        });
    }
}

/// More blocks than the emulated device runs at once: some find unpublished tiles of blocks that
/// cannot start before they end. They publish these tiles themselves, unless the input is
/// overwritten.
TEST(SinglePassProtocol, WaitsForNoBlockThatHasNotBegun) {
    simt::DeviceProperties large = device();
    large.multiprocessors = 40;
    const std::size_t n = at_most(20 * 1024 + 5);
    std::vector<int> values = random_values<int>(n), kept;
    for (int& value : values) value = value % 2 == 0 ? 0 : value;
    std::ranges::copy_if(values, std::back_inserter(kept), [](int value) { return value != 0; });
    const auto sums = scanned<int, HostPlus>(values, ScanKind::exclusive);
    const std::vector<double> numbers(values.begin(), values.end());
    const auto sums_of_numbers = scanned<double, HostPlus>(numbers, ScanKind::exclusive);
    simt::test::under_every_schedule([&] {
        Workspace workspace(n, 4, 4), workspace_of_numbers(n, 8, 8);
        simt::DeviceArray<std::size_t> count(1);
        for (const bool is_in_place : {false, true}) {
            SCOPED_TRACE(is_in_place ? "in place" : "from one array to another");
            Guarded<int> in(values), out(values), to_compact(values), compacted(n);
            Guarded<double> numbers_in(numbers), numbers_out(numbers);
            const ScanJob<int, Plus> scan{is_in_place ? out.data() : in.data(), out.data(), false};
            enqueue(scan, n, Path::automatic, large, workspace, nullptr);
            EXPECT_TRUE(same_bytes(out.read(), sums));

            Guarded<double>& sums_there = is_in_place ? numbers_in : numbers_out;
            const ScanJob<double, Plus> scan_numbers{numbers_in.data(), sums_there.data(), false};
            enqueue(scan_numbers, n, Path::automatic, large, workspace_of_numbers, nullptr);
            EXPECT_TRUE(same_bytes(sums_there.read(), sums_of_numbers));

            Guarded<int>& kept_there = is_in_place ? to_compact : compacted;
            const CompactJob<int, NonZero, false> compact{to_compact.data(), kept_there.data(),
                                                          nullptr, count.data()};
            enqueue(compact, n, Path::automatic, large, workspace, nullptr);
            std::size_t found = 0;
            count.copy_to(std::span(&found, 1));
            ASSERT_EQ(found, kept.size());
            std::vector<int> found_kept = is_in_place ? kept_there.read() : kept_there.read(found);
            found_kept.resize(found);
            EXPECT_TRUE(same_bytes(found_kept, kept));
        }
    });
}

TEST(SinglePassProtocol, ReplaysFromAGraphBetweenOtherSizes) {
    const std::size_t n = at_most(4 * 8192 + 1), smaller = n / 3;
    const auto values = random_values<int>(n);
    const auto expected = scanned<int, HostPlus>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        BasicScan<int> plan(n, ScanKind::exclusive, path);
        Guarded<int> in(values), out(n), out_of_smaller(n);
        const simt::Graph graph(
            [&](simt::stream_t stream) { plan.enqueue(in.data(), out.data(), n, stream); });
        const simt::Stream stream;
        for (int run = 0; run < 3; ++run) {
            graph.launch(stream.get());
            plan.enqueue(in.data(), out_of_smaller.data(), smaller, stream.get());
        }
        stream.synchronize();
        EXPECT_TRUE(same_bytes(out.read(), expected));
        EXPECT_TRUE(same_bytes(out_of_smaller.read(smaller),
                               {expected.begin(), expected.begin() + smaller}));
    }
}

/// Enough tiles that each block processes several, one warp looks back, and groups of tiles fill
/// up.
TEST(SinglePassProtocol, GivesABlockManyTiles) {
    constexpr std::size_t kTile = std::size_t{24} * 3 * 128, kTilesOfBlock = 10, kTiles = 70;
    const auto blocks = static_cast<std::size_t>(device().multiprocessors);
    const std::size_t n = std::max(kTilesOfBlock * blocks, kTiles) * kTile + 5;
    if (n > largest_size()) GTEST_SKIP() << "larger than STREAM_COMPACTION_TEST_LARGEST";
    std::vector<int> values = random_values<int>(n), kept;
    for (int& value : values) value = value % 2 == 0 ? 0 : value;
    std::ranges::copy_if(values, std::back_inserter(kept), [](int value) { return value != 0; });
    const auto sums = scanned<int, HostPlus>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        SCOPED_TRACE(testing::Message() << "path " << int(path));
        BasicScan<int> scan(n, ScanKind::exclusive, path);
        BasicCompact<int, NonZero> compact(n, path);
        for (int run = 0; run < 2; ++run) {
            Guarded<int> in(values), scanned_to(n), compacted_to(n);
            simt::DeviceArray<std::size_t> count(1);
            scan.enqueue(in.data(), scanned_to.data(), n);
            EXPECT_TRUE(same_bytes(scanned_to.read(), sums));
            compact.enqueue(in.data(), compacted_to.data(), count.data(), n);
            std::size_t found = 0;
            count.copy_to(std::span(&found, 1));
            ASSERT_EQ(found, kept.size());
            EXPECT_TRUE(same_bytes(compacted_to.read(found), kept));
        }
    }
}

/// Kernels of one stream may start early, but not read or write early.
TEST(SinglePassProtocol, CallsOfOneStreamSeeWhatTheCallsBeforeWrote) {
    constexpr int kCalls = 20;
    const unsigned scale = simt::kBackend == simt::Backend::cuda ? 64 : 1;
    for (const std::size_t n : without_too_large({1000, 5000, 40'001, scale * 30'000 + 5})) {
        std::vector<int> expected(n, 1);
        for (int call = 0; call < kCalls; ++call)
            expected = scanned<int, HostPlus>(expected, ScanKind::inclusive);
        for (const Path path : kPaths) {
            if (!is_available(path)) continue;
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            BasicScan<int> first(n, ScanKind::inclusive, path),
                second(n, ScanKind::inclusive, path);
            Guarded<int> a(std::vector<int>(n, 1)), b(n);
            const simt::Stream stream;
            for (int call = 0; call < kCalls; call += 2) {
                first.enqueue(a.data(), b.data(), n, stream.get());
                second.enqueue(b.data(), a.data(), n, stream.get());
            }
            stream.synchronize();
            EXPECT_TRUE(same_bytes(a.read(), expected));
        }
    }
}

TEST(SinglePassPlan, RefusesALargerSize) {
    BasicScan<int> scan(100);
    BasicCompact<int, NonZero> compact(100);
    simt::DeviceArray<int> in(101), out(101);
    simt::DeviceArray<std::size_t> count(1);
    EXPECT_THROW(scan.enqueue(in.data(), out.data(), 101), std::invalid_argument);
    EXPECT_THROW(compact.enqueue(in.data(), out.data(), count.data(), 101), std::invalid_argument);
}

TEST(SinglePassPlan, IsUsableAfterALaunchThatFailed) {
    const std::size_t n = at_most(20'000);
    const auto values = random_values<int>(n);
    BasicScan<int> plan(n);
    Guarded<int> in(values), out(n);
    {
        Workspace workspace(n, 4, 4);
        // A grid that no device supports: the launch fails, and no ticket has been drawn.
        const ScanJob<int, Plus> job{in.data(), out.data(), false};
        EXPECT_THROW(simt::launch(plain<ScanJob<int, Plus>, 8>, {0, 512, 0},
                                  make_launch(job, n, 8192, 0, workspace)),
                     simt::Error);
        enqueue(job, n, Path::automatic, device(), workspace, nullptr);
        EXPECT_TRUE(same_bytes(out.read(), scanned<int, HostPlus>(values, ScanKind::exclusive)));
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
