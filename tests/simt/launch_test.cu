// Launches: refused ones, concurrent blocks, many blocks; streams, events and graphs.
#include "simt/device.h"
#include "simt/kernel.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;
using testing::HasSubstr;

__global__ void count(unsigned* total) { atomicAdd(total, 1u); }

__global__ void add(unsigned* words, unsigned n, unsigned summand) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) words[i] += summand;
}

__global__ void scale(unsigned* words, unsigned n, unsigned factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) words[i] *= factor;
}

std::vector<unsigned> to_host(const simt::DeviceArray<unsigned>& device) {
    std::vector<unsigned> host(device.size());
    device.copy_to(host);
    return host;
}

void expect_refused(const simt::LaunchConfig& config) {
    simt::DeviceArray<unsigned> total(1);
    try {
        simt::launch(count, config, total.data());
        FAIL() << "should have been refused";
    } catch (const simt::Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("launch_test.cu:" + std::to_string(config.where.line())));
    }
}

TEST(Launch, RefusesWhatNoDeviceOffers) {
    expect_refused({0, 32});
    expect_refused({1, 0});
    expect_refused({1, 1025});
    expect_refused({1, dim3(32, 33)});
    expect_refused({1, dim3(1, 1, 65)});
    expect_refused({dim3(0x80000000), 32});
    expect_refused({dim3(1, 65536), 32});
    expect_refused({dim3(1, 1, 65536), 32});
    expect_refused({1, 32, simt::device_properties().shared_bytes_per_block + 1});
}

TEST(Launch, WorksAfterARefusal) {
    expect_refused({0, 32});
    auto total = to_device<unsigned>({0});
    simt::launch(count, {3, 100}, total.data());
    EXPECT_EQ(to_host(total)[0], 300u);
}

TEST(Launch, RunsEveryBlockOnce) {
    under_every_schedule([] {
        for (const unsigned blocks : {1u, 2u, 3u, 16u, 97u, 1000u}) {
            simt::DeviceArray<unsigned> words(blocks);
            simt::fill_async(words.data(), 0, blocks * sizeof(unsigned));
            simt::synchronize();
            simt::launch(add, {blocks, 1}, words.data(), blocks, 5u);
            EXPECT_EQ(to_host(words), std::vector<unsigned>(blocks, 5));
        }
    });
}

TEST(Launch, ManyTinyGrids) {
    auto words = to_device(std::vector<unsigned>(64));
    for (int i = 0; i < 1000; ++i) simt::launch(add, {2, 32}, words.data(), 64u, 1u);
    EXPECT_EQ(to_host(words), std::vector<unsigned>(64, 1000));
}

/// Correct only if all blocks run at once: each block waits for all others, repeatedly.
__global__ void rotate(unsigned* a, unsigned* b, unsigned* arrived) {
    const unsigned n = gridDim.x * blockDim.x;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned expected = 0;
    const auto sync_grid = [&] {
        __syncthreads();
        expected += gridDim.x;
        if (threadIdx.x == 0) {
            const simt::DeviceAtomic<unsigned> count(*arrived);
            count.fetch_add(1, simt::memory_order_release);
            while (count.load(simt::memory_order_acquire) < expected) simt::relax();
        }
        __syncthreads();
    };
    for (int round = 0; round < 4; ++round) {
        b[i] = a[(i + blockDim.x) % n];
        sync_grid();
        a[i] = b[i] + 1;
        sync_grid();
    }
}

TEST(Launch, AsManyBlocksAsMultiprocessorsRunAtOnce) {
    under_every_schedule([] {
        const auto blocks = static_cast<unsigned>(simt::device_properties().multiprocessors);
        const unsigned n = blocks * 64;
        std::vector<unsigned> words(n);
        for (unsigned i = 0; i < n; ++i) words[i] = i;
        auto a = to_device(words);
        simt::DeviceArray<unsigned> b(n);
        auto arrived = to_device<unsigned>({0});
        simt::launch(rotate, {blocks, 64}, a.data(), b.data(), arrived.data());
        for (unsigned i = 0; i < n; ++i) words[i] = (i + 4 * 64) % n + 4;
        EXPECT_EQ(to_host(a), words);
    });
}

/// Threads of a block may wait for each other without a barrier.
__global__ void pass_along(unsigned* turn) {
    const simt::DeviceAtomic<unsigned> next(*turn);
    const unsigned mine = blockDim.x - 1 - threadIdx.x;
    while (next.load(simt::memory_order_acquire) != mine) simt::relax();
    next.store(mine + 1, simt::memory_order_release);
}

TEST(Launch, ThreadsThatSpinLetOthersRun) {
    if (simt::kBackend == simt::Backend::cuda && simt::device_properties().compute_capability < 70)
        GTEST_SKIP() << "needs independent thread scheduling";
    under_every_schedule([] {
        auto turn = to_device<unsigned>({0});
        simt::launch(pass_along, {1, 100}, turn.data());
        EXPECT_EQ(to_host(turn)[0], 100u);
    });
}

TEST(Stream, KeepsItsOrder) {
    const simt::Stream stream;
    const auto one = to_device(std::vector<unsigned>(100, 1));
    simt::DeviceArray<unsigned> words(100);
    simt::fill_async(words.data(), 0xFF, 400, stream.get());
    simt::copy_async(words.data(), one.data(), 400, stream.get());
    simt::launch(add, {1, 100, 0, stream.get()}, words.data(), 100u, 2u);
    simt::launch(scale, {1, 100, 0, stream.get()}, words.data(), 100u, 10u);
    std::vector<unsigned> out(100);
    simt::copy_async(out.data(), words.data(), 400, stream.get());
    stream.synchronize();
    EXPECT_EQ(out, std::vector<unsigned>(100, 30));
}

TEST(Stream, MovesItsHandle) {
    simt::Stream first;
    const auto handle = first.get();
    EXPECT_NE(handle, nullptr);
    const simt::Stream second = std::move(first);
    EXPECT_EQ(second.get(), handle);
    EXPECT_EQ(first.get(), nullptr);
}

TEST(Event, MeasuresTime) {
    const simt::Stream stream;
    simt::Event start, middle, end;
    simt::DeviceArray<unsigned> words(1 << 16);
    simt::fill_async(words.data(), 0, words.size() * sizeof(unsigned), stream.get());
    start.record(stream.get());
    simt::launch(add, {256, 256, 0, stream.get()}, words.data(), 1u << 16, 1u);
    middle.record(stream.get());
    for (int i = 0; i < 20; ++i)
        simt::launch(add, {256, 256, 0, stream.get()}, words.data(), 1u << 16, 1u);
    end.record(stream.get());
    EXPECT_GT(middle.microseconds_since(start), 0);
    EXPECT_GT(end.microseconds_since(start), middle.microseconds_since(start));
    start.record(stream.get());  // again, and later than the others
    EXPECT_LE(end.microseconds_since(start), 0);
}

TEST(Event, HasNoTimeBeforeItIsRecorded) {
    simt::Event start, end;
    EXPECT_THROW(end.microseconds_since(start), simt::Error);
    start.record(nullptr);
    EXPECT_THROW(end.microseconds_since(start), simt::Error);
}

TEST(Event, HasNoTimeIfItWasMadeWithout) {
    simt::Event start, end = simt::Event::without_time();
    start.record(nullptr);
    end.record(nullptr);
    EXPECT_THROW(end.microseconds_since(start), simt::Error);
    EXPECT_THROW(start.microseconds_since(end), simt::Error);
}

TEST(Event, ThatWasMovedFromIsRefused) {
    const simt::Stream stream;
    simt::Event event;
    const simt::Event moved = std::move(event);
    const auto expect_refused = [](auto use) {
        try {
            use();
            FAIL() << "not refused";
        } catch (const std::logic_error& error) {
            EXPECT_STREQ(error.what(), "the event was moved from");
        }
    };
    expect_refused([&] { event.record(stream.get()); });
    expect_refused([&] { event.synchronize(); });
    expect_refused([&] { (void)event.is_reached(); });
    expect_refused([&] { (void)event.microseconds_since(moved); });
    expect_refused([&] { (void)moved.microseconds_since(event); });
    expect_refused([&] { stream.wait(event); });
    EXPECT_TRUE(moved.is_reached());
}

TEST(Graph, ThatWasMovedFromIsRefused) {
    simt::Graph graph([](simt::stream_t) {});
    const simt::Graph moved = std::move(graph);
    EXPECT_THROW(graph.launch(nullptr), std::logic_error);
    EXPECT_NO_THROW(moved.launch(nullptr));
}

TEST(Graph, RunsNothingUntilItIsLaunchedAndThenEverythingInOrder) {
    auto words = to_device(std::vector<unsigned>(100, 7));
    const auto one = to_device(std::vector<unsigned>(100, 1));
    unsigned summand = 2;
    const simt::Graph graph([&](simt::stream_t stream) {
        simt::fill_async(words.data(), 0xFF, 400, stream);
        simt::copy_async(words.data(), one.data(), 400, stream);
        simt::launch(add, {1, 100, 0, stream}, words.data(), 100u, summand);
        simt::launch(scale, {1, 100, 0, stream}, words.data(), 100u, 10u);
    });
    summand = 3;  // too late: it was captured by value
    EXPECT_EQ(to_host(words), std::vector<unsigned>(100, 7));
    const simt::Stream stream;
    graph.launch(stream.get());
    stream.synchronize();
    EXPECT_EQ(to_host(words), std::vector<unsigned>(100, 30));
    simt::launch(scale, {1, 100, 0, stream.get()}, words.data(), 100u, 0u);
    for (int i = 0; i < 3; ++i) graph.launch(stream.get());
    stream.synchronize();
    EXPECT_EQ(to_host(words), std::vector<unsigned>(100, 30));
}

TEST(Graph, MayBeEmpty) {
    const simt::Graph graph([](simt::stream_t) {});
    graph.launch(nullptr);
    simt::synchronize();
}

TEST(Graph, RefusesWhatCannotBeCaptured) {
    const simt::Stream other;
    const auto capture = [](auto work) { const simt::Graph graph(work); };
    EXPECT_THROW(capture([](simt::stream_t) { simt::synchronize(); }), simt::Error);
    EXPECT_THROW(capture([](simt::stream_t) { simt::DeviceArray<int> array(100); }), simt::Error);
    EXPECT_THROW(capture([](simt::stream_t) { to_device(std::vector<int>(4)); }), simt::Error);

    auto total = to_device<unsigned>({0});
    simt::launch(count, {1, 1}, total.data());  // nothing of it continues after the capture
    EXPECT_EQ(to_host(total)[0], 1u);
}

TEST(Graph, PassesOnWhatCapturingThrows) {
    EXPECT_THROW(simt::Graph([](simt::stream_t) { throw std::runtime_error("no"); }),
                 std::runtime_error);
    const simt::Graph graph([](simt::stream_t) {});
}

#if defined(SIMT_EMULATED)

// CUDA accepts these calls, or guarantees nothing: the emulated backend is stricter.
TEST(Graph, RefusesWorkForOtherStreams) {
    const simt::Stream other;
    simt::DeviceArray<unsigned> total(1);
    const simt::Graph empty([](simt::stream_t) {});
    simt::Event event;
    const auto capture = [](auto work) { const simt::Graph graph(work); };
    EXPECT_THROW(capture([&](simt::stream_t) {
                     simt::launch(count, {1, 1}, total.data());
                 }),
                 simt::Error);
    EXPECT_THROW(capture([&](simt::stream_t) {
                     simt::launch(count, {1, 1, 0, other.get()}, total.data());
                 }),
                 simt::Error);
    EXPECT_THROW(
        capture([&](simt::stream_t) { simt::fill_async(total.data(), 0, 4, other.get()); }),
        simt::Error);
    EXPECT_THROW(capture([&](simt::stream_t) { event.record(other.get()); }), simt::Error);
    EXPECT_THROW(capture([&](simt::stream_t) { other.synchronize(); }), simt::Error);
    EXPECT_THROW(capture([&](simt::stream_t stream) { empty.launch(stream); }), simt::Error);
    EXPECT_THROW(capture([&](simt::stream_t) { simt::Graph([](simt::stream_t) {}); }), simt::Error);
}

#endif

}  // namespace
