// Clusters: shared memory of other blocks, the barrier, and the mistakes that the emulation
// detects.
#include "simt/cluster.h"
#include "simt/kernel.h"
#include "simt/memory.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::under_every_schedule;

constexpr unsigned kThreads = 64;
constexpr std::size_t kBytes = 2 * kThreads * sizeof(unsigned);

simt::LaunchConfig in_clusters(unsigned blocks, unsigned cluster) {
    simt::LaunchConfig config{blocks, kThreads, kBytes};
    config.cluster = cluster;
    return config;
}

/// Each block of a cluster passes its values to the next block, round after round.
__global__ void hand_on(unsigned* out, unsigned rounds) {
    auto* const memory = simt::dynamic_shared<unsigned>();
    unsigned own = blockIdx.x * kThreads + threadIdx.x;
    const unsigned index = own;
    simt::cluster_arrive();
    const unsigned next = (simt::cluster_rank() + 1) % simt::cluster_blocks();
    simt::cluster_wait();
    for (unsigned r = 0; r < rounds; ++r) {
        unsigned* const half = memory + r % 2 * kThreads;  // the other half may still be read
        *simt::of_block(half + threadIdx.x, next) = own;
        simt::cluster_arrive();
        simt::cluster_wait();
        own = half[threadIdx.x];
    }
    out[index] = own;
}

TEST(Clusters, ShareTheirMemory) {
    bool is_tried = false;
    for (const unsigned cluster : {2u, 4u, 8u, 16u})
        under_every_schedule([&] {
            const unsigned resident = simt::resident_clusters(hand_on, cluster, kThreads, kBytes);
            if (resident == 0) return;
            is_tried = true;
            const unsigned clusters = resident < 3 ? resident : 3;
            constexpr unsigned kRounds = 3;
            const auto out =
                device_result<unsigned>(clusters * cluster * kThreads, hand_on,
                                        in_clusters(clusters * cluster, cluster), kRounds);
            for (unsigned b = 0; b < clusters * cluster; ++b) {
                const unsigned from = b / cluster * cluster +
                                      (b % cluster + (kRounds - 1) * cluster - kRounds) % cluster;
                for (unsigned t = 0; t < kThreads; ++t)
                    ASSERT_EQ(out[b * kThreads + t], from * kThreads + t) << "block " << b;
            }
        });
    if (!is_tried) GTEST_SKIP() << "the device has no clusters";
}

#if defined(SIMT_EMULATED)

using simt::test::WithProfileOf;

__global__ void use_a_block_that_ends() {
    if (simt::cluster_rank() == 1) return;
    for (;;) {
        (void)simt::of_block(simt::dynamic_shared<unsigned>(), 1);
        simt::relax();
    }
}
__global__ void use_a_block_of_another_cluster() {
    simt::cluster_arrive();
    simt::cluster_wait();
    (void)simt::of_block(simt::dynamic_shared<unsigned>(), simt::cluster_blocks());
}
__global__ void arrive_twice() {
    simt::cluster_arrive();
    simt::cluster_arrive();
}
__global__ void wait_without_arrival() { simt::cluster_wait(); }
__global__ void end_without_arrival() {
    if (simt::cluster_rank() == 0) return;
    simt::cluster_arrive();
    simt::cluster_wait();
}

TEST(Clusters, ThatAreMisusedAreFound) {
    const WithProfileOf profile("h200");
    const struct {
        void (*kernel)();
        const char* complaint;
    } kMisuses[] = {{use_a_block_that_ends, "has ended"},
                    {use_a_block_of_another_cluster, "block 2 of a cluster of 2"},
                    {arrive_twice, "arrives twice"},
                    {wait_without_arrival, "without an arrival"},
                    {end_without_arrival, "no block makes progress"}};
    for (const auto& [kernel, complaint] : kMisuses) {
        SCOPED_TRACE(complaint);
        const simt::test::WithOptions with({.stall_rounds = 100});
        try {
            simt::launch(kernel, in_clusters(4, 2));
            ADD_FAILURE() << "not found";
        } catch (const simt::KernelError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(complaint));
        }
    }
}

TEST(Clusters, ThatNoGpuOrMachineHasAreRefused) {
    const auto takes = [](const char* gpu, unsigned blocks, unsigned cluster) {
        const WithProfileOf profile(gpu);
        try {
            simt::launch(hand_on, in_clusters(blocks, cluster),
                         simt::DeviceArray<unsigned>(std::size_t{blocks} * kThreads).data(), 1u);
            return true;
        } catch (const simt::KernelError&) {
            return false;
        }
    };
    EXPECT_TRUE(takes("h200", 16, 16));
    EXPECT_TRUE(takes("rtx5090", 16, 8));
    EXPECT_FALSE(takes("rtx5090", 16, 16)) << "eight blocks";
    EXPECT_FALSE(takes("a100", 2, 2)) << "none";
    EXPECT_FALSE(takes("h200", 32, 32)) << "sixteen blocks";
    EXPECT_FALSE(takes("h200", 6, 4)) << "one and a half";
    EXPECT_FALSE(takes("h200", 2, 0)) << "of no blocks";
    EXPECT_FALSE(takes("h200", 1 << 14, 2)) << "more than run at the same time";
}

#endif

}  // namespace
