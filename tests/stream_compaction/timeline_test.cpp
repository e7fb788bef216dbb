// What a Timeline notes of calls of `streamed`, in tiny pieces.
#include "stream_compaction/timeline.h"

#include "simt/memory.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/streamed.h"
#include "tests/inputs.h"
#include "tests/refused/calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kSize = 400, kPiece = 64, kPieces = ceil_div(kSize, kPiece);
constexpr unsigned kThreads = 2;
constexpr streamed::Limits kLimits{.threads = kThreads, .piece = kPiece};

/// The step's spans, by piece.
std::vector<Span> of_step(Step step, const Timeline& timeline) {
    std::vector<Span> found;
    for (const Span& span : timeline.spans())
        if (span.part.step == step) found.push_back(span);
    std::ranges::sort(found, {}, [](const Span& span) { return span.part.piece; });
    return found;
}

std::size_t bytes_of(const std::vector<Span>& spans) {
    std::size_t bytes = 0;
    for (const Span& span : spans) bytes += span.part.bytes;
    return bytes;
}

TEST(Timeline, HasAllStepsOfEachPieceInOrder) {
    const std::vector<int> input = inputs::random(kSize);
    std::vector<int> output(kSize);
    streamed::Scan scan(kSize, {}, kLimits);
    Timeline timeline;
    scan.enqueue(input.data(), output.data(), kSize);

    const auto copy_in = of_step(Step::copy_in, timeline), up = of_step(Step::up, timeline),
               kernel = of_step(Step::kernel, timeline), down = of_step(Step::down, timeline),
               copy_out = of_step(Step::copy_out, timeline);
    for (const auto& spans : {copy_in, up, kernel, down, copy_out}) {
        ASSERT_EQ(spans.size(), kPieces);
        for (std::size_t i = 0; i < kPieces; ++i) {
            EXPECT_EQ(spans[i].part.piece, i);
            EXPECT_GE(spans[i].begin.count(), 0);
            EXPECT_LE(spans[i].begin, spans[i].end);
            const Step step = spans[i].part.step;
            const bool is_kernel = step == Step::kernel;
            const bool is_of_a_thread = step == Step::copy_in || step == Step::copy_out;
            EXPECT_LT(spans[i].part.thread, is_of_a_thread ? kThreads : 1);
            EXPECT_EQ(spans[i].part.bytes, is_kernel         ? 0
                                           : i + 1 < kPieces ? kPiece * sizeof(int)
                                                             : kSize % kPiece * sizeof(int));
        }
    }
    for (std::size_t i = 0; i < kPieces; ++i) {  // by the device's clock alone
        EXPECT_LE(up[i].end, kernel[i].begin);
        EXPECT_LE(kernel[i].end, down[i].begin);
    }
}

TEST(Timeline, HasTheBytesOfWhatIsKept) {
    const std::vector<int> input = inputs::random(kSize);
    std::vector<int> output(kSize);
    streamed::Compact compact(kSize, {}, kLimits);
    Timeline timeline;
    std::size_t count = 0;
    compact.enqueue(input.data(), output.data(), &count, kSize);
    EXPECT_EQ(bytes_of(of_step(Step::up, timeline)), kSize * sizeof(int));
    EXPECT_EQ(bytes_of(of_step(Step::down, timeline)), count * sizeof(int));
    EXPECT_EQ(of_step(Step::kernel, timeline).size(), kPieces);
}

TEST(Timeline, HasNoStagingOfPinnedArrays) {
    const simt::PinnedArray<int> in(kSize), out(kSize);
    std::ranges::copy(inputs::random(kSize), in.data());
    streamed::Sort sort(kSize, {}, kLimits);
    Timeline timeline;
    sort.enqueue(in.data(), out.data(), kSize);
    EXPECT_EQ(of_step(Step::up, timeline).size(), kPieces);
    EXPECT_EQ(of_step(Step::kernel, timeline).size(), 1u);
    EXPECT_EQ(of_step(Step::down, timeline).size(), kPieces);
    EXPECT_TRUE(of_step(Step::copy_in, timeline).empty());
    EXPECT_TRUE(of_step(Step::copy_out, timeline).empty());
}

TEST(Timeline, IsItsThreadsAlone) {
    Timeline timeline;
    std::thread([] {
        const std::vector<int> input = inputs::random(kSize);
        std::vector<int> output(kSize);
        streamed::Scan scan(kSize, {}, kLimits);
        scan.enqueue(input.data(), output.data(), kSize);
    }).join();
    EXPECT_TRUE(timeline.spans().empty());
}

TEST(Timeline, LeavesNothingBehind) {
    const std::vector<int> input = inputs::random(kSize);
    std::vector<int> output(kSize);
    streamed::Scan scan(kSize, {}, kLimits);
    const auto before = simt::resources();
    {
        Timeline timeline;
        scan.enqueue(input.data(), output.data(), kSize);
        EXPECT_GT(simt::resources(), before);
    }
    EXPECT_EQ(simt::resources(), before);
    scan.enqueue(input.data(), output.data(), kSize);
    EXPECT_EQ(simt::resources(), before) << "an event of a piece";
}

}  // namespace
}  // namespace stream_compaction
