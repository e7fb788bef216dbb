// How much hybrid_radix stores: not more if the range of its keys is not a power of two, and less
// if there are few values.
#include "simt/emulated/executor.h"
#include "simt/memory.h"
#include "src/counts/recorder.h"
#include "src/input/input.h"
#include "src/input/mix.h"
#include "stream_compaction/hybrid_radix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

constexpr unsigned kWorkers = 4;  ///< together they hold the keys, which are partitioned once

class Ranges : public testing::Test {
  public:
    Ranges() { simt::set_options({.workers = kWorkers}); }
    ~Ranges() override { simt::set_options({}); }

  protected:
    /// Stored words for a sort of n keys of the distribution.
    std::uint64_t stored(Distribution distribution, std::size_t n,
                         const hybrid_radix::Thresholds& thresholds) {
        return stored(make_input(distribution, std::nullopt, n, 1), thresholds);
    }
    /// The same for given keys.
    std::uint64_t stored(std::vector<int> keys, const hybrid_radix::Thresholds& thresholds) {
        const std::size_t n = keys.size();
        const simt::DeviceArray<int> in{std::span<const int>(keys)};
        simt::DeviceArray<int> out(n);
        hybrid_radix::Sort<int> sort(n, {}, {}, thresholds);
        (void)recorder_.take();
        sort.enqueue(in.data(), out.data(), n);
        simt::synchronize();
        std::uint64_t bytes = 0;
        for (const Launch& launch : recorder_.take())
            bytes += launch.counts.accesses.stores.bytes_asked;
        std::vector<int> sorted(n);
        out.copy_to(sorted);
        std::ranges::sort(keys);
        EXPECT_EQ(sorted, keys);
        return bytes / sizeof(int);
    }

    Recorder recorder_;
};

// Each key is stored once: none is moved. The rest is communication between blocks.
TEST_F(Ranges, FewValuesAnywhereAreNotMoved) {
    constexpr std::size_t kN = 500'000;
    const hybrid_radix::Thresholds thresholds{.few = 0, .bucket = 5000, .in_registers = 0};
    std::vector<int> keys(kN);
    std::mt19937 random(7);
    for (const unsigned values : {2u, 40u, 300u}) {
        for (int& key : keys) key = static_cast<int>(hash_of(values, random() % values) >> 32);
        EXPECT_LE(stored(keys, thresholds), kN + kN / 10) << values << " values";
    }
}

// Enough keys that each of 256 digit values has two thirds of a bucket, if all of them have keys.
// With the seconds of a year, fewer than half of the digit values would have keys: more than a
// bucket each.
TEST_F(Ranges, PartOfOneCostsNoMoreStores) {
    constexpr std::size_t kN = 34'000, kBucket = 200;
    for (const std::size_t in_registers : {kN, std::size_t{0}}) {
        const hybrid_radix::Thresholds thresholds{
            .few = 0, .bucket = kBucket, .in_registers = in_registers};
        const std::uint64_t uniform = stored(Distribution::uniform, kN, thresholds);
        EXPECT_GE(uniform, 2 * kN) << "into a digit, and to its place";
        EXPECT_LE(stored(Distribution::year, kN, thresholds), uniform + kN / 10) << in_registers;
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
