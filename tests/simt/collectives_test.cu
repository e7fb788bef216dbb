// Collectives of the threads of a block and the lanes of a warp, compared with a plain reference.
#include "simt/kernel.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;
using Wide = unsigned long long;

constexpr unsigned kAll = ~0u;

// ---- Threads of a block -----------------------------------------------------------------------

__global__ void vote(int* out, int limit) {
    const int i = static_cast<int>(threadIdx.x);
    out[3 * i] = __syncthreads_count(i < limit);
    out[3 * i + 1] = __syncthreads_or(i < limit) != 0;
    out[3 * i + 2] = __syncthreads_and(i < limit) != 0;
}

TEST(Vocabulary, BlockVotes) {
    under_every_schedule([] {
        for (const int limit : {0, 1, 33, 70}) {
            const auto out = device_result<int>(210, vote, {1, 70}, limit);
            for (std::size_t i = 0; i < out.size(); i += 3) {
                EXPECT_EQ(out[i], limit);
                EXPECT_EQ(out[i + 1], limit > 0);
                EXPECT_EQ(out[i + 2], limit == 70);
            }
        }
    });
}

struct Indices {
    uint3 thread, block;
    dim3 threads, blocks;
};

__global__ void store_indices(Indices* out) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = {threadIdx, blockIdx, blockDim,
                                                                  gridDim};
}

TEST(Vocabulary, Indices) {
    const dim3 blocks(3, 2, 4);
    const dim3 threads(5, 7, 2);
    under_every_schedule([&] {
        const auto out = device_result<Indices>(24 * 70, store_indices, {blocks, threads});
        for (unsigned i = 0; i < out.size(); ++i) {
            const unsigned thread = i % 70;
            const unsigned block = i / 70;
            EXPECT_EQ(out[i].thread.x, thread % 5);
            EXPECT_EQ(out[i].thread.y, thread / 5 % 7);
            EXPECT_EQ(out[i].thread.z, thread / 35);
            EXPECT_EQ(out[i].block.x, block % 3);
            EXPECT_EQ(out[i].block.y, block / 3 % 2);
            EXPECT_EQ(out[i].block.z, block / 6);
            EXPECT_EQ(out[i].threads.z, 2u);
            EXPECT_EQ(out[i].blocks.y, 2u);
        }
    });
}

// ---- Lanes of a warp --------------------------------------------------------------------------

/// Votes, ballots and matches of the lanes in `mask`; the value of a lane is lane * factor % 5.
__global__ void vote_in_warp(unsigned* out, unsigned mask, unsigned factor) {
    const unsigned lane = threadIdx.x;
    if ((mask >> lane & 1) == 0) return;
    const unsigned value = lane * factor % 5;
    unsigned* const mine = out + 5 * lane;
    mine[0] = __ballot_sync(mask, value == 2);
    mine[1] = __any_sync(mask, value == 2) != 0;
    mine[2] = __all_sync(mask, value < 4) != 0;
    mine[3] = __match_any_sync(mask, value);
    mine[4] = __match_any_sync(mask, Wide{value} << 40);
    __syncwarp(mask);
}

TEST(Vocabulary, WarpVotes) {
    under_every_schedule([] {
        for (const unsigned mask : {kAll, 0xFFFFu, 0xAAAAAAAAu, 0x80000000u, 0x00010010u})
            for (const unsigned factor : {0u, 1u, 3u}) {
                unsigned twos = 0;
                bool all = true;
                std::map<unsigned, unsigned> peers;
                for (unsigned lane = 0; lane < 32; ++lane) {
                    if ((mask >> lane & 1) == 0) continue;
                    const unsigned value = lane * factor % 5;
                    twos |= unsigned{value == 2} << lane;
                    all = all && value < 4;
                    peers[value] |= 1u << lane;
                }
                const auto out = device_result<unsigned>(160, vote_in_warp, {1, 32}, mask, factor);
                for (unsigned lane = 0; lane < 32; ++lane) {
                    if ((mask >> lane & 1) == 0) continue;
                    EXPECT_EQ(out[5 * lane], twos);
                    EXPECT_EQ(out[5 * lane + 1], twos != 0);
                    EXPECT_EQ(out[5 * lane + 2], all);
                    EXPECT_EQ(out[5 * lane + 3], peers[lane * factor % 5]);
                    EXPECT_EQ(out[5 * lane + 4], peers[lane * factor % 5]);
                }
            }
    });
}

enum class Shuffle { any, up, exclusive_or };

/// Each lane gets another lane's index, times a factor that needs all bits of a T.
template <class T>
__global__ void shuffle(T* out, Shuffle kind, int argument, int width, T factor) {
    const T value = static_cast<T>(threadIdx.x) * factor;
    const auto delta = static_cast<unsigned>(argument);
    T got{};
    switch (kind) {
        case Shuffle::any:
            got = __shfl_sync(kAll, value, argument, width);
            break;
        case Shuffle::up:
            got = __shfl_up_sync(kAll, value, delta, width);
            break;
        case Shuffle::exclusive_or:
            got = __shfl_xor_sync(kAll, value, argument, width);
            break;
    }
    out[threadIdx.x] = got;
}

int shuffle_source(Shuffle kind, int lane, int argument, int width) {
    const int first = lane / width * width;
    int from = lane;
    switch (kind) {
        case Shuffle::any:
            return first + (argument % width + width) % width;
        case Shuffle::up:
            from = lane - argument;
            break;
        case Shuffle::exclusive_or:  // earlier parts of the warp can be read, later ones cannot
            from = lane ^ argument;
            return from < first + width ? from : lane;
    }
    return from >= first && from < first + width ? from : lane;
}

template <class T>
void check_shuffles(T factor) {
    for (const Shuffle kind : {Shuffle::any, Shuffle::up, Shuffle::exclusive_or})
        for (const int width : {1, 2, 4, 8, 16, 32})
            for (const int argument : {0, 1, 2, 5, 16, 31}) {
                const auto out =
                    device_result<T>(32, shuffle<T>, {1, 32}, kind, argument, width, factor);
                for (int lane = 0; lane < 32; ++lane)
                    EXPECT_EQ(out[lane],
                              static_cast<T>(shuffle_source(kind, lane, argument, width)) * factor)
                        << "kind " << static_cast<int>(kind) << ", width " << width << ", argument "
                        << argument << ", lane " << lane;
            }
}

TEST(Vocabulary, ShuffleOfInt) {
    under_every_schedule([] { check_shuffles<int>(-7); });
}
TEST(Vocabulary, ShuffleOfWideTypes) {
    check_shuffles<Wide>((Wide{1} << 40) + 1);
    check_shuffles<long long>(-(1ll << 40) - 1);
    check_shuffles<float>(0.25f);
    check_shuffles<double>(1.0 / 3);
}

/// Only odd lanes pass their values on; the block's last warp has 8 lanes.
__global__ void shuffle_among_some(int* out) {
    const unsigned lane = threadIdx.x % 32;
    int value = static_cast<int>(threadIdx.x);
    if (lane % 2 == 1) {
        const unsigned mask = threadIdx.x < 32 ? 0xAAAAAAAA : 0xAA;
        value = __shfl_sync(mask, value, 3);
    }
    out[threadIdx.x] = value;
}

TEST(Vocabulary, PartialMaskInPartialWarp) {
    under_every_schedule([] {
        const auto out = device_result<int>(40, shuffle_among_some, {1, 40});
        for (int i = 0; i < 40; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? i : i / 32 * 32 + 3);
    });
}

template <class T>
__global__ void reduce(T* out, unsigned mask, const T* in) {
    const unsigned lane = threadIdx.x;
    if ((mask >> lane & 1) == 0) return;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    T* const mine = out + 3 * lane;
    const T value = in[lane];
    mine[0] = __reduce_add_sync(mask, value);
    mine[1] = __reduce_min_sync(mask, value);
    mine[2] = __reduce_max_sync(mask, value);
#endif
}

template <class T>
void check_reductions() {
    std::vector<T> values;
    for (unsigned i = 0; i < 32; ++i) values.push_back(static_cast<T>((i + 1) * 2654435761u));
    const auto in = to_device(values);
    for (const unsigned mask : {kAll, 0xFFFFu, 0xAAAAAAAAu, 0x80000000u, 0x00010010u}) {
        unsigned sum = 0;
        T least = std::numeric_limits<T>::max();
        T greatest = std::numeric_limits<T>::min();
        for (unsigned lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            sum += static_cast<unsigned>(values[lane]);
            least = std::min(least, values[lane]);
            greatest = std::max(greatest, values[lane]);
        }
        const std::vector<T> expected{static_cast<T>(sum), least, greatest};
        const auto out = device_result<T>(96, reduce<T>, {1, 32}, mask, in.data());
        for (unsigned lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            const auto mine = out.begin() + 3 * lane;
            EXPECT_EQ(std::vector<T>(mine, mine + 3), expected);
        }
    }
}

TEST(Vocabulary, WarpReductions) {
    if (simt::compute_capability_of(reduce<int>) < 80)
        GTEST_SKIP() << "needs compute capability 8.0";
    under_every_schedule([] {
        check_reductions<int>();
        check_reductions<unsigned>();
    });
}

}  // namespace
