// Host functions with staged arrays, in tiny pieces: every boundary, pinned arrays, faults.
#include "stream_compaction/parts/host_copies.h"

#include "simt/error.h"
#include "simt/memory.h"
#include "src/program/host_memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/naive.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/pieces.h"
#include "stream_compaction/single_pass.h"
#include "tests/guarded_array.h"
#include "tests/inputs.h"
#include "tests/reference.h"
#include "tests/refused/calls.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace stream_compaction {
namespace {

/// All non-empty arrays are staged.
constexpr StagingOptions kTiny{.least = 1, .threads = 2, .piece = 64};

/// Copies to the device and back; back only the first `kept` elements.
void expect_right(HostCopies& copies, const std::vector<int>& input, std::size_t kept) {
    GuardedArray<int> in(Place::host, input.size(), 1), out(Place::host, input.size(), 3);
    in.assign(input);
    out.assign({});
    std::vector<int> expected = out.read();
    std::copy_n(input.begin(), kept, expected.begin());
    simt::DeviceArray<int> device(input.size());
    copies.up({in.data(), input.size()}, device);
    copies.down(device, {out.data(), kept});
    EXPECT_TRUE(equal(out.read(), expected));
    EXPECT_TRUE(equal(in.read(), input)) << "the input was written";
}

TEST(HostCopies, AreRightAroundThePieces) {
    for (const unsigned threads : {1u, 3u})
        for (const std::size_t piece : {1u, 16u, 65u}) {
            const std::size_t round = piece * threads;
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, piece - 1, piece, piece + 1,
                                        round, 2 * round - 1, 2 * round + 1, 7 * round + 3})
                for (const std::size_t kept : {n, n - n / 3, n / 2, std::size_t{0}}) {
                    SCOPED_TRACE(testing::Message()
                                 << threads << " threads, pieces of " << piece << ", n = " << n
                                 << ", of which " << kept << " come back");
                    HostCopies copies({.least = 1, .threads = threads, .piece = piece});
                    expect_right(copies, inputs::random(n), kept);
                }
        }
}

TEST(HostCopies, ServeOneArrayAfterTheOther) {
    for (const std::size_t piece : {64, 0}) {
        HostCopies copies({.least = 100, .threads = 3, .piece = piece});
        for (const std::size_t n : {200, 99, 100, 400, 1000, 150}) {
            SCOPED_TRACE(testing::Message() << "pieces of " << piece << ", n = " << n);
            expect_right(copies, inputs::random(n), n);
            expect_right(copies, inputs::extremes(n), n / 2);
        }
    }
}

TEST(HostCopies, OfManyElementsAreRightWithTheMachinesChoice) {
    constexpr std::size_t kLeast = std::size_t{1} << 20;
    const std::size_t n = at_most(kLeast + 12'345);
    HostCopies copies({.least = kLeast});
    expect_right(copies, inputs::random(n), n);
}

TEST(HostCopies, TakeNoMoreOfTheHostThanTheySay) {
    constexpr std::size_t kBytesPerElement = 4;
    static_assert(kBytesPerElement <= kHostPlanBytes, "what the programs expect");
    for (std::size_t n = StagingOptions{}.least; n < std::size_t{1} << 31; n += n / 3) {
        const std::size_t piece = piece_for(n, usual_piece(kMostBuffers));
        EXPECT_LE(buffers_for(n, piece) * piece * sizeof(int), kBytesPerElement * n) << "n = " << n;
    }
}

template <class Plan>
void expect_right(Operation operation, const std::vector<int>& input, const Tuning& tuning) {
    std::vector<int> output(input.size() + 1, kSentinel);
    std::vector<int> expected = output;
    const std::vector<int> result = reference(operation, input);
    std::ranges::copy(result, expected.begin());
    EXPECT_EQ(call_on_device<Plan>(input, output, tuning, kTiny).count, result.size());
    EXPECT_TRUE(equal(output, expected));
}

TEST(StagedHostFunctions, AnswerAsTheReference) {
    for (const std::size_t n : {std::size_t{64}, at_most(3000)})
        for (const Input& input : kInputs) {
            SCOPED_TRACE(testing::Message() << input.name << ", n = " << n);
            const std::vector<int> in = input.make(n);
            expect_right<naive::Scan>(Operation::scan, in, naive::kTuned);
            expect_right<single_pass::Compact<>>(Operation::compact, in, {});
            expect_right<hybrid_radix::Sort<int>>(Operation::sort, in, {});
        }
}

TEST(StagedHostFunctions, RunBesideEachOther) {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 3; ++k)
        threads.emplace_back([=] {
            for (int round = 0; round < 3; ++round)
                expect_right<single_pass::Compact<>>(Operation::compact, inputs::random(400 - k),
                                                     {});
        });
}

/// A plan whose output is its input.
class Copy {
  public:
    Copy(std::size_t, const Tuning&) {}
    void enqueue(const int* in, int* out, std::size_t n) {
        simt::copy_async(out, in, n * sizeof(int));
    }
};

class StagedCopies : public testing::Test {
  protected:
    static constexpr std::size_t kSize = 400, kPieces = 7;

    /// From and to pinned memory or not, with each call refused.
    /// @return the number of calls of the device
    std::uint64_t calls(bool from_pinned, bool to_pinned, const StagingOptions& staging) const {
        const simt::PinnedArray<int> pinned_in(kSize), pinned_out(kSize);
        std::ranges::copy(input_, pinned_in.data());
        std::vector<int> pageable_out(kSize);
        const std::span<const int> in(from_pinned ? pinned_in.data() : input_.data(), kSize);
        const std::span<int> out(to_pinned ? pinned_out.data() : pageable_out.data(), kSize);
        const auto call = [&] { (void)call_on_device<Copy>(in, out, {}, staging); };
        return refuse_each_call(call, [&] {
            std::ranges::fill(out, kSentinel);
            call();
            EXPECT_TRUE(equal(out, input_));
        });
    }

    const std::vector<int> input_ = inputs::random(kSize);
};

// The exact number of calls: the emulated device copies at once, so a missing wait would not be
// seen.
TEST_F(StagedCopies, TellOfEachFault) {
    const std::uint64_t unstaged = calls(false, false, {.least = kSize + 1});
    constexpr std::uint64_t kPlainCopies = 2 + 3;         // copy, wait; wait, copy, wait
    constexpr std::uint64_t kPipeline = 3 + 1 + kPieces;  // streams, memory, a buffer's event
    // Whether a buffer's event is reached: a GPU is asked repeatedly, and this call never fails.
    constexpr std::uint64_t kQuestion = simt::kBackend == simt::Backend::emulated ? 1 : 0;
    // The pointer of an array, and two waits, for the device's work and for its own; for each
    // piece: pointer, copy, event and wait.
    constexpr std::uint64_t kUp = 3 + (4 + kQuestion) * kPieces;
    constexpr std::uint64_t kDown = kUp + 1;  // an event
    EXPECT_EQ(calls(false, false, kTiny), unstaged - kPlainCopies + kPipeline + kUp + kDown);
}

TEST_F(StagedCopies, AreThoseOfLargePageableArrays) {
    const std::uint64_t unstaged = calls(false, false, {.least = kSize + 1});
    EXPECT_EQ(calls(false, false, {}), unstaged);
    EXPECT_EQ(calls(true, true, kTiny), unstaged + 2) << "only the question whether they are";
    for (const bool from_pinned : {false, true})
        EXPECT_GE(calls(from_pinned, !from_pinned, kTiny), unstaged + 5 * kPieces);
}

/// A plan that fails when the arrays are on the device.
class Fails {
  public:
    struct Failure {};

    Fails(std::size_t, const Tuning&) {}
    void enqueue(const int*, int*, std::size_t) { throw Failure(); }
};

TEST_F(StagedCopies, LeaveNothingBehindWhereAPlanFails) {
    const std::int64_t before = simt::resources();
    std::vector<int> out(kSize, kSentinel);
    EXPECT_THROW(call_on_device<Fails>(input_, out, {}, kTiny), Fails::Failure);
    EXPECT_EQ(simt::resources(), before);
    EXPECT_EQ(out, std::vector<int>(kSize, kSentinel));
}

}  // namespace
}  // namespace stream_compaction
