// Kernels with known memory accesses.
#include "src/counts/recorder.h"

#include "simt/emulated/executor.h"
#include "simt/kernel.h"
#include "simt/memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

constexpr unsigned kWarp = 32;
constexpr std::size_t kInts = 4096;

class Recorded : public testing::Test {
  public:
    Recorded() {
        simt::set_options({.workers = 1});
        simt::fill_async(in_.data(), 0, kInts * sizeof(int));
        simt::fill_async(out_.data(), 0, kInts * sizeof(int));
    }
    ~Recorded() override { simt::set_options({}); }

  protected:
    /// The counts of a launch of kernel(in, out).
    LaunchCounts count(void (*kernel)(int*, int*), unsigned threads = kWarp, unsigned blocks = 1,
                       std::size_t shared_bytes = 0) {
        simt::launch(kernel, {blocks, threads, shared_bytes}, in_.data(), out_.data());
        const auto launches = recorder_.take();
        EXPECT_EQ(launches.size(), 1u);
        return launches.front().counts;
    }

    Recorder recorder_;  // before the arrays, so that it sees them
    simt::DeviceArray<int> in_{kInts}, out_{kInts};
};

// ---- Global memory ----------------------------------------------------------------------------

__global__ void copy(int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

TEST_F(Recorded, NeighboursAreOneRequest) {
    const LaunchCounts counts = count(copy);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(counts.accesses.shared, SharedCounts{});
    EXPECT_EQ(counts.threads, 32u);
    EXPECT_EQ(counts.active_threads, 32u);
}

__global__ void copy_blocks(int* in, int* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

TEST_F(Recorded, WarpsAndBlocksHaveRequestsOfTheirOwn) {
    const LaunchCounts counts = count(copy_blocks, 96, 5);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{15, 480, 60, 1920}));
    EXPECT_EQ(counts.threads, 480u);
}

TEST_F(Recorded, TheLastWarpMayHaveFewerLanes) {
    EXPECT_EQ(count(copy, 40).accesses.loads, (GlobalCounts{2, 40, 5, 160}));
}

__global__ void copy_every_second(int* in, int* out) { out[threadIdx.x] = in[2 * threadIdx.x]; }

TEST_F(Recorded, AStrideMovesWhatNobodyAsks) {
    const GlobalCounts loads = count(copy_every_second).accesses.loads;
    EXPECT_EQ(loads, (GlobalCounts{1, 32, 8, 128}));
    EXPECT_EQ(loads.bytes_moved(), 256u);
}

__global__ void copy_vectors(int* in, int* out) {
    const int4 four = reinterpret_cast<const int4*>(in)[threadIdx.x];
    reinterpret_cast<int4*>(out)[threadIdx.x] = make_int4(four.w, four.z, four.y, four.x);
}

TEST_F(Recorded, AVectorIsOneAccess) {
    const LaunchCounts counts = count(copy_vectors);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{1, 32, 16, 512}));
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{1, 32, 16, 512}));
}

__global__ void copy_first(int* in, int* out) { out[threadIdx.x] = in[0]; }

TEST_F(Recorded, OneWordForAllIsOneSector) {
    EXPECT_EQ(count(copy_first).accesses.loads, (GlobalCounts{1, 32, 1, 4}));
}

__global__ void copy_half(int* in, int* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = in[threadIdx.x];
}

TEST_F(Recorded, LanesThatDoNothingAreNotActive) {
    const LaunchCounts counts = count(copy_half);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{1, 16, 2, 64}));
    EXPECT_EQ(counts.threads, 32u);
    EXPECT_EQ(counts.active_threads, 16u);
}

__global__ void add_in_place(int*, int* out) { out[threadIdx.x] += 1; }

TEST_F(Recorded, AnUpdateIsALoadAndAStore) {
    const LaunchCounts counts = count(add_in_place);
    EXPECT_EQ(counts.accesses.loads.requests, 1u);
    EXPECT_EQ(counts.accesses.stores.requests, 1u);
}

__global__ void permute_locals(int* in, int* out) {
    int local[8];
    for (int k = 0; k < 8; ++k) local[(k + in[0] + 3) % 8] = k;
    out[threadIdx.x] = local[in[threadIdx.x]];
}

TEST_F(Recorded, LocalArraysAreNotCounted) {
    const LaunchCounts counts = count(permute_locals);
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(counts.accesses.shared, SharedCounts{});
}

// ---- Which accesses are one request -----------------------------------------------------------

__global__ void take_two_ways(int* in, int* out) {
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = in[threadIdx.x];
    else
        out[threadIdx.x + 128] = in[threadIdx.x + 64];
    out[threadIdx.x + 256] = 1;
}

TEST_F(Recorded, TwoWaysAreTwoRequestsAndMeetAgain) {
    const LaunchCounts counts = count(take_two_ways);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{2, 32, 8, 128}));
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{3, 64, 12, 256}));
}

/// In every iteration other lanes store.
__global__ void store_by_turns(int*, int* out) {
    for (unsigned k = 0; k < 4; ++k)
        if ((threadIdx.x + k) % 4 == 0) out[kWarp * k + threadIdx.x] = 1;
}

TEST_F(Recorded, LanesMeetInTheSameIterationOnly) {
    EXPECT_EQ(count(store_by_turns).accesses.stores, (GlobalCounts{4, 32, 16, 128}));
}

/// Odd lanes run the inner loop twice.
__global__ void loop_in_loop(int* in, int* out) {
    for (unsigned outer = 0; outer < 3; ++outer) {
        int sum = 0;
        for (unsigned inner = 0; inner <= threadIdx.x % 2; ++inner)
            sum += in[(outer * 2 + inner) * kWarp + threadIdx.x];
        out[outer * kWarp + threadIdx.x] = sum;
    }
}

TEST_F(Recorded, LanesThatLeaveALoopEarlierWaitForTheOthers) {
    const LaunchCounts counts = count(loop_in_loop);
    EXPECT_EQ(counts.accesses.loads.requests, 6u);  // of 32 and 16 lanes, three times
    EXPECT_EQ(counts.accesses.loads.lanes, 3u * (32 + 16));
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{3, 96, 12, 384}));
}

__global__ void meet_in_part(int* in, int* out) {
    for (unsigned k = 0; k < 2; ++k) {
        if (threadIdx.x < 16) __syncwarp(0xffff);
        out[kWarp * k + threadIdx.x] = in[threadIdx.x];
    }
}

TEST_F(Recorded, LanesThatMetAmongThemselvesMeetTheOthersAgain) {
    const LaunchCounts counts = count(meet_in_part);
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{2, 64, 8, 256}));
    EXPECT_EQ(counts.collectives, 2u);
}

/// Lanes reach the barrier after different numbers of iterations; then all continue together.
__global__ void meet_in_loop(int* in, int* out) {
    for (unsigned k = 0, met = 0; met < 2; ++k) {
        if (k % 4 < threadIdx.x % 4) continue;
        __syncwarp();
        out[kWarp * met + threadIdx.x] = in[threadIdx.x];
        ++met;
        k |= 3;
    }
}

TEST_F(Recorded, AllLanesThatHaveMetGoOnTogether) {
    EXPECT_EQ(count(meet_in_loop).accesses.stores, (GlobalCounts{2, 64, 8, 256}));
}

__attribute__((noinline)) __device__ int read(const int* from) { return *from; }

__global__ void call_twice(int* in, int* out) {
    out[threadIdx.x] = read(in + threadIdx.x);
    if (threadIdx.x < 8) out[threadIdx.x] += read(in + kWarp + threadIdx.x);
}

TEST_F(Recorded, EachCallOfAFunctionIsItsOwn) {
    EXPECT_EQ(count(call_twice).accesses.loads,
              (GlobalCounts{3, 32 + 8 + 8, 4 + 1 + 1, 128 + 32 + 32}));
}

__global__ void call_from_two_places(int* in, int* out) {
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = read(in + threadIdx.x);
    else
        out[threadIdx.x + 64] = read(in + threadIdx.x);
}

TEST_F(Recorded, LanesThatCallFromDifferentPlacesDoNotMeet) {
    EXPECT_EQ(count(call_from_two_places).accesses.loads, (GlobalCounts{2, 32, 8, 128}));
}

/// A loop that accesses no memory.
__attribute__((noinline)) __device__ unsigned steps_to_one(unsigned n) {
    unsigned steps = 0;
    for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
}

__global__ void call_what_loops(int* in, int* out) {
    for (unsigned k = 0; k < 2; ++k)
        if (threadIdx.x % 2 == k % 2 && steps_to_one(threadIdx.x) < 1000)
            out[kWarp * k + threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x + 128] = 1;
}

TEST_F(Recorded, LoopsOfAFunctionThatIsCalledAreItsOwn) {
    EXPECT_EQ(count(call_what_loops).accesses.stores, (GlobalCounts{3, 64, 12, 256}));
}

// ---- Shared memory ----------------------------------------------------------------------------

template <unsigned Stride>
__global__ void stride_through_shared(int*, int* out) {
    __shared__ int words[33 * kWarp];
    words[threadIdx.x * Stride] = 1;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x * Stride];
}

TEST_F(Recorded, StridesThroughSharedMemoryMeetInBanks) {
    EXPECT_EQ(count(stride_through_shared<1>).accesses.shared, (SharedCounts{2, 64, 0}));
    EXPECT_EQ(count(stride_through_shared<2>).accesses.shared, (SharedCounts{2, 64, 2}));
    EXPECT_EQ(count(stride_through_shared<32>).accesses.shared, (SharedCounts{2, 64, 62}));
    EXPECT_EQ(count(stride_through_shared<33>).accesses.shared, (SharedCounts{2, 64, 0}));
}

__global__ void through_dynamic_shared(int*, int* out) {
    int* const words = simt::dynamic_shared<int>();
    words[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = words[0];
}

TEST_F(Recorded, DynamicSharedMemoryIsShared) {
    const LaunchCounts counts = count(through_dynamic_shared, 64, 1, 64 * sizeof(int));
    EXPECT_EQ(counts.accesses.shared, (SharedCounts{4, 128, 0}));
    EXPECT_EQ(counts.accesses.loads, GlobalCounts{});
}

// ---- Atomics, barriers ------------------------------------------------------------------------

__global__ void add_to_one(int*, int* out) { atomicAdd(out, 1); }

TEST_F(Recorded, AtomicsMeetAtAnAddress) {
    const LaunchCounts counts = count(add_to_one, 64, 3);
    EXPECT_EQ(counts.accesses.global_atomics, (AtomicCounts{6, 192, 32}));
    EXPECT_EQ(counts.most_atomics, 192u);
    EXPECT_EQ(counts.accesses.loads, GlobalCounts{});
    EXPECT_EQ(counts.accesses.stores, GlobalCounts{});
}

__global__ void add_mostly_to_one(int*, int* out) {
    atomicAdd(&out[threadIdx.x < 20 ? 0 : threadIdx.x], 1);
}

TEST_F(Recorded, TheAddressThatMostMeetAtIsFound) {
    const LaunchCounts counts = count(add_mostly_to_one, kWarp, 2);
    EXPECT_EQ(counts.accesses.global_atomics, (AtomicCounts{2, 64, 20}));
    EXPECT_EQ(counts.most_atomics, 40u);
}

__global__ void add_to_eight(int*, int* out) {
    __shared__ int words[8];
    if (threadIdx.x < 8) words[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&words[threadIdx.x % 8], 1);
    atomicOr(&out[threadIdx.x % 8], 1);
}

TEST_F(Recorded, AtomicsOfSharedMemoryAreApart) {
    const LaunchCounts counts = count(add_to_eight);
    EXPECT_EQ(counts.accesses.shared_atomics, (AtomicCounts{1, 32, 4}));
    EXPECT_EQ(counts.accesses.global_atomics, (AtomicCounts{1, 32, 4}));
    EXPECT_EQ(counts.most_atomics, 4u);
    EXPECT_EQ(counts.accesses.shared, (SharedCounts{1, 8, 0}));  // the zeros
}

__global__ void hand_on(int*, int* out) {
    const simt::DeviceAtomic<int> word(out[threadIdx.x]);
    word.store(1, simt::memory_order_release);
    (void)word.load(simt::memory_order_acquire);
    atomicCAS(&out[threadIdx.x], 1, 2);
    (void)word.load(simt::memory_order_acquire);
    word.fetch_add(1, simt::memory_order_relaxed);
}

TEST_F(Recorded, AtomicLoadsAndStoresAreLoadsAndStores) {
    const LaunchCounts counts = count(hand_on);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{2, 64, 8, 256}));
    EXPECT_EQ(counts.accesses.stores, (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(counts.accesses.global_atomics, (AtomicCounts{2, 64, 1}));
}

__global__ void wait_thrice(int*, int*) {
    for (int k = 0; k < 3; ++k) __syncthreads();
    (void)__ballot_sync(~0u, 1);
}

TEST_F(Recorded, BarriersCountOnceForABlockAndCollectivesForAWarp) {
    const LaunchCounts counts = count(wait_thrice, 64, 2);
    EXPECT_EQ(counts.barriers, 6u);
    EXPECT_EQ(counts.collectives, 4u);
    EXPECT_EQ(counts.active_threads, 0u);
}

// ---- Launches ---------------------------------------------------------------------------------

TEST_F(Recorded, LaunchesComeInTheirOrderWithTheirShape) {
    simt::launch(copy, {1, 32}, in_.data(), out_.data());
    simt::launch(copy_blocks, {dim3(3), dim3(64), 16}, in_.data(), out_.data());
    const auto launches = recorder_.take();
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].kernel, reinterpret_cast<std::uintptr_t>(copy));
    EXPECT_EQ(launches[1].kernel, reinterpret_cast<std::uintptr_t>(copy_blocks));
    EXPECT_EQ(launches[1].grid, (std::array{3u, 1u, 1u}));
    EXPECT_EQ(launches[1].block, (std::array{64u, 1u, 1u}));
    EXPECT_EQ(launches[1].shared_bytes, 16u);
    EXPECT_TRUE(recorder_.take().empty());
}

TEST_F(Recorded, SitesAddUpToTheLaunch) {
    simt::launch(loop_in_loop, {2, 64}, in_.data(), out_.data());
    const auto launches = recorder_.take();
    AccessCounts sum;
    for (const auto& [key, site] : launches.front().sites) sum += site.counts;
    EXPECT_EQ(sum, launches.front().counts.accesses);
    EXPECT_EQ(launches.front().sites.size(), 2u);  // one load, one store
}

TEST_F(Recorded, ManyWorkersCountTheSame) {
    const LaunchCounts one = count(copy_blocks, 64, 64);
    simt::set_options({.workers = 4, .order = simt::Order::random});
    const LaunchCounts many = count(copy_blocks, 64, 64);
    EXPECT_EQ(one.accesses, many.accesses);
    EXPECT_EQ(one.active_threads, many.active_threads);
}

TEST_F(Recorded, MemoryIsGlobalAsLongAsItIsAllocated) {
    std::uintptr_t address = 0;
    {
        const simt::DeviceArray<int> array(8);
        address = reinterpret_cast<std::uintptr_t>(array.data());
        EXPECT_TRUE(recorder_.is_global(address));
        EXPECT_TRUE(recorder_.is_global(address + 31));
        EXPECT_FALSE(recorder_.is_global(address + 32));
        EXPECT_FALSE(recorder_.is_global(address - 1));
    }
    EXPECT_FALSE(recorder_.is_global(address));
}

__global__ void break_rules(int*, int*) {
    if (threadIdx.x < 16) __syncthreads();
}

TEST_F(Recorded, ALaunchThatFailsLeavesNothingBehind) {
    EXPECT_THROW(simt::launch(break_rules, {1, 32}, in_.data(), out_.data()), simt::KernelError);
    const LaunchCounts counts = count(copy);
    EXPECT_EQ(counts.accesses.loads, (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(counts.threads, 32u);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
