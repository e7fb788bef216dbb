// Threads that copy on the host: every boundary of their shares, and abandoned copies.
#include "stream_compaction/parts/copiers.h"

#include "simt/memory.h"
#include "stream_compaction/parts/pipeline.h"
#include "stream_compaction/transfer_watch.h"
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

TEST(Copiers, CopyAllAndNothingElse) {
    constexpr std::size_t kLeastShare = std::size_t{1} << 14;
    for (const unsigned threads : {0u, 1u, 3u}) {
        Copiers copiers(threads);
        for (const std::size_t n :
             without_too_large({1, 7, kLeastShare - 1, kLeastShare, kLeastShare + 1,
                                8 * kLeastShare - 1, 8 * kLeastShare + 1, 100'003})) {
            SCOPED_TRACE(testing::Message() << threads << " threads, n = " << n);
            const std::vector<int> input = inputs::random(n);
            GuardedArray<int> out(Place::host, n, 1);
            out.assign({});
            std::vector<int> expected = out.read();
            std::ranges::copy(input, expected.begin());
            std::atomic<std::size_t> left = 0;
            copiers.copy(input.data(), out.data(), n, left);
            while (left > 0)
                if (!copiers.help()) std::this_thread::yield();
            EXPECT_TRUE(equal(out.read(), expected));
            EXPECT_FALSE(copiers.help());
        }
    }
}

TEST(Copiers, GiveUpWhatNobodyHasBegun) {
    const std::vector<int> input = inputs::random(100);
    std::vector<int> output(100, kSentinel);
    Copiers copiers(0);
    std::atomic<std::size_t> left = 0;
    copiers.copy(input.data(), output.data(), 100, left);
    EXPECT_EQ(left, 1u);
    copiers.abandon();
    EXPECT_EQ(left, 0u);
    EXPECT_FALSE(copiers.help());
    EXPECT_EQ(output, std::vector<int>(100, kSentinel));
}

TEST(Copiers, AreDoneWhenTheyHaveGivenUp) {
    Copiers copiers(3);
    const std::vector<int> input = inputs::random(at_most(2'000'000));
    for (int round = 0; round < 20; ++round) {
        std::vector<int> output(input.size());
        std::atomic<std::size_t> left = 0;
        copiers.copy(input.data(), output.data(), input.size(), left);
        for (const std::size_t all = left; left > 0 && left == all;) std::this_thread::yield();
        copiers.abandon();  // while the threads are copying
        EXPECT_EQ(left, 0u);
    }
}

TEST(Pipeline, SendsNoPieceBeforeTheStreamWaitsForTheOneThatHadItsBuffer) {
    constexpr std::size_t kPiece = 64;
    const std::vector<int> input = inputs::random(2 * kPiece);
    simt::DeviceArray<int> device(input.size());
    Pipeline pipeline(2, kPiece, 1);
    const TransferWatch watch;
    pipeline.run([&] {
        for (const std::size_t i : {std::size_t{0}, kPiece})
            pipeline.upload(input.data() + i, device.data() + i, kPiece, 0);
        while (!pipeline.can_take_upload()) std::this_thread::yield();
        for (int i = 0; i < 20; ++i) {  // there is time to copy the second one
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            EXPECT_TRUE(pipeline.can_take_upload());
        }
        EXPECT_EQ(watch.progress().moved, kPiece * sizeof(int));
        pipeline.take_upload();
        pipeline.take_upload();
    });
    EXPECT_EQ(watch.progress().moved, input.size() * sizeof(int));
}

TEST(Pipeline, BeginsADownloadAtOnce) {
    constexpr std::size_t kPiece = 64;
    const std::vector<int> input = inputs::random(kPiece);
    const simt::DeviceArray<int> device(input);
    const simt::PinnedArray<int> output(kPiece);
    const volatile int& last = output.data()[kPiece - 1] = ~input.back();
    simt::Event ready = simt::Event::without_time();
    Pipeline pipeline(1, kPiece, 1);
    pipeline.run([&] {
        ready.record(pipeline.stream());
        pipeline.download(device.data(), output.data(), kPiece, ready);
        for (int i = 0; i < 1000 && last != input.back(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(last, input.back());
    });
}

}  // namespace
}  // namespace stream_compaction
