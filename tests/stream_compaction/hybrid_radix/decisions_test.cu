// The device's decisions: which kernel sorts the keys, given their samples; and that a kernel that
// leaves the keys to onesweep has written nothing, and leaves its memory in the right state for the
// next launch.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/even_in_registers.h"
#include "stream_compaction/hybrid_radix/even_on_grid.h"
#include "stream_compaction/hybrid_radix/few_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace hybrid_radix {

void PrintTo(Sorter sorter, std::ostream* out) {
    constexpr const char* kNames[] = {"this kernel", "few values", "onesweep"};
    *out << kNames[static_cast<int>(sorter)];
}

}  // namespace hybrid_radix
namespace {

using hybrid_radix::Job;
using hybrid_radix::kThreads;
using hybrid_radix::Plan;
using hybrid_radix::Room;
using hybrid_radix::Sorter;
using hybrid_radix::Thresholds;
using onesweep::NoValue;

template <class Shape>
constexpr Room kRoomOf{Shape::kBlockKeys, Shape::kTileKeys, Shape::kMaxBinBits};

template <class Shape, bool kIsOnGrid, class Bits = typename Shape::Bits>
__global__ void judge(Plan plan, const Bits* samples, unsigned neighbour, unsigned most_bits,
                      Sorter* sorter) {
    constexpr unsigned kTableBits =
        kIsOnGrid ? Shape::kMaxCountedBits : hybrid_radix::kMaxRegisterBits;
    unsigned* const counters = simt::dynamic_shared<unsigned>();
    hybrid_radix::clear(counters, 1u << kTableBits);
    const hybrid_radix::Sample<Bits> sampled{samples[threadIdx.x],
                                             samples[(threadIdx.x + neighbour) % kThreads]};
    Bits spread;
    const auto range = hybrid_radix::guess_range<Shape>(sampled.key, spread);
    const unsigned bits =
        min(hybrid_radix::bits_to_fill(plan.buckets, plan.bits, range.bits, spread), most_bits);
    const Sorter judged =
        hybrid_radix::classify<Shape, kIsOnGrid>(plan, range, bits, sampled, counters, kTableBits);
    __syncthreads();
    bool is_zero = true;
    for (unsigned i = threadIdx.x; i < 1u << kTableBits; i += kThreads) is_zero &= counters[i] == 0;
    if (__syncthreads_and(is_zero || !kIsOnGrid) && threadIdx.x == 0) *sorter = judged;
}

/// Which kernel sorts 2^24 keys on the grid, or 2^20 in registers, on a device with 264 blocks.
/// @param neighbour  distance in samples from each sample to its neighbour
template <class Bits>
Sorter sorter_of(bool is_on_grid, std::function<Bits(std::size_t i, Bits random)> key,
                 unsigned neighbour = 1) {
    using Shape = hybrid_radix::LargeShape<Bits, NoValue>;
    std::mt19937_64 random(1);
    std::vector<Bits> samples(hybrid_radix::kSamples);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = key(i, static_cast<Bits>(random()));
    const simt::DeviceArray<Bits> in{std::span<const Bits>(samples)};
    simt::DeviceArray<Sorter> sorter(1);
    simt::fill_async(sorter.data(), 0xff, sizeof(Sorter));
    const Thresholds thresholds{.few = 0, .bucket = Shape::kBlockKeys};
    const auto launch = [&](auto kernel, Plan plan, unsigned table_bits, unsigned most_bits) {
        simt::launch(kernel, {1, kThreads, sizeof(unsigned) << table_bits, nullptr}, plan,
                     in.data(), neighbour, most_bits, sorter.data());
    };
    if (is_on_grid)
        launch(judge<Shape, true>, plan_on_grid(1u << 24, thresholds, kRoomOf<Shape>, 264),
               Shape::kMaxCountedBits, 2 * Shape::kMaxBinBits);
    else
        launch(judge<Shape, false>, plan_in_registers(1u << 20, thresholds, kRoomOf<Shape>, 264),
               hybrid_radix::kMaxRegisterBits, hybrid_radix::kMaxRegisterBits);
    Sorter judged{};
    sorter.copy_to(std::span(&judged, 1));
    return judged;
}

template <class Bits>
class HybridRadixSamples : public testing::Test {};
using Widths = testing::Types<unsigned, unsigned long long>;
TYPED_TEST_SUITE(HybridRadixSamples, Widths);

TYPED_TEST(HybridRadixSamples, TellWhoSorts) {
    using Bits = TypeParam;
    constexpr Bits kAll = ~Bits{0};
    constexpr unsigned kHigh = 8 * sizeof(Bits) - 32;  // what 32 bits are shifted by
    const auto value = [](std::size_t v) { return static_cast<Bits>(v * 0x9e3779b97f4a7c15); };
    const auto unit = [](Bits r) { return static_cast<double>(r >> kHigh) / 0x1p32; };
    const struct {
        const char* name;
        std::function<Bits(std::size_t i, Bits r)> key;
        Sorter on_grid, in_registers;
    } cases[] = {
        {"uniform", [](std::size_t, Bits r) { return r; }, Sorter::this_kernel,
         Sorter::this_kernel},
        {"a quarter more than a power of two",
         [](std::size_t, Bits r) {
             return static_cast<Bits>(r >> 2 | kAll << (kHigh + 30)) - r / 64;
         },
         Sorter::this_kernel, Sorter::this_kernel},
        {"sorted",
         [](std::size_t i, Bits r) {
             return static_cast<Bits>(kAll / hybrid_radix::kSamples * i + (r >> 10));
         },
         Sorter::this_kernel, Sorter::this_kernel},
        {"16 values", [=](std::size_t, Bits r) { return value(r % 16); }, Sorter::few_values,
         Sorter::onesweep},
        {"1000 values", [=](std::size_t, Bits r) { return value(r % 1000); }, Sorter::few_values,
         Sorter::this_kernel},
        {"a power law of values",
         [=](std::size_t, Bits r) {
             return value(static_cast<std::size_t>(std::pow(1 - unit(r), -1.4)));
         },
         Sorter::onesweep, Sorter::onesweep},
        {"a bell curve",
         [=](std::size_t, Bits r) {
             Bits sum = 0;
             for (unsigned i = 0; i < 8; ++i) sum += static_cast<Bits>(r * (2 * i + 1)) >> 3;
             return sum;
         },
         Sorter::onesweep, Sorter::this_kernel},
        {"one of 30 keys in a bin",
         [](std::size_t i, Bits r) { return i % 30 == 0 ? kAll / 3 + r % 64 : r; },
         Sorter::onesweep, Sorter::onesweep},
        {"the same four bits below the digits",
         [](std::size_t, Bits r) { return r & ~(Bits{0xf} << (kHigh + 16)); }, Sorter::onesweep,
         Sorter::onesweep},
        {"two bytes that vary",
         [](std::size_t, Bits r) {
             return static_cast<Bits>(r >> kHigh << 16 & 0xffffffff) << kHigh;
         },
         Sorter::onesweep, Sorter::onesweep},
        {"three bytes that vary",
         [](std::size_t, Bits r) {
             return static_cast<Bits>(r >> kHigh << 8 & 0xffffffff) << kHigh;
         },
         Sorter::this_kernel, Sorter::this_kernel},
        {"four bytes that vary",
         [](std::size_t, Bits r) { return static_cast<Bits>(r >> kHigh << kHigh); },
         Sorter::this_kernel, Sorter::this_kernel},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(sorter_of<Bits>(true, c.key), c.on_grid) << c.name << ", on the grid";
        EXPECT_EQ(sorter_of<Bits>(false, c.key), c.in_registers) << c.name << ", in registers";
    }
}

TYPED_TEST(HybridRadixSamples, TellOfCrowdsByNeighbours) {
    using Bits = TypeParam;
    const std::function<Bits(std::size_t, Bits)> uniform = [](std::size_t, Bits r) { return r; };
    for (const bool is_on_grid : {false, true}) {
        EXPECT_EQ(sorter_of<Bits>(is_on_grid, uniform, 1), Sorter::this_kernel);
        EXPECT_EQ(sorter_of<Bits>(is_on_grid, uniform, 0), Sorter::onesweep) << "equal neighbours";
    }
}

/// The kernels without a following onesweep, and the memory that they share.
template <class Bits>
class Kernels {
  public:
    using Shape = hybrid_radix::SmallShape<Bits, NoValue>;
    static constexpr unsigned kBlocks = 2, kMost = 100'000;  ///< keys

    /// @param bits  of the digits on the grid; 0: as the host plans
    explicit Kernels(const Thresholds& thresholds, unsigned bits = 0)
        : thresholds_(thresholds), bits_(bits), memory_(lay_out(job_, kMost, {0, 2}, nullptr)) {
        simt::fill_async(memory_.data(), 0, memory_.size());
        lay_out(job_, kMost, {0, 2}, memory_.data());
    }

    /// Expects that these kernels sort the keys, or leave them to onesweep. Returns which one
    /// sorts.
    Sorter sort(std::vector<Bits> keys, bool has_few_values = false) {
        constexpr Bits kUntouched = static_cast<Bits>(0xabcdef0123456789);
        const auto n = static_cast<unsigned>(keys.size());
        const simt::DeviceArray<Bits> in{std::span<const Bits>(keys)};
        std::vector<Bits> got(n, kUntouched);
        simt::DeviceArray<Bits> out{std::span<const Bits>(got)}, spare(n);
        job_.in = in.data(), job_.out = out.data(), job_.spare = spare.data();
        job_.map = KeyMap<Bits>(order_of<std::make_signed_t<Bits>>());
        const bool is_on_grid = thresholds_.in_registers == 0;
        job_.plan = is_on_grid ? plan_on_grid(n, thresholds_, kRoomOf<Shape>, kBlocks)
                               : plan_in_registers(n, thresholds_, kRoomOf<Shape>, kBlocks);
        if (bits_ > 0) job_.plan.bits = bits_, job_.plan.buckets = 1;
        if (has_few_values)
            set_sorter(Sorter::few_values);
        else if (is_on_grid)
            launch(hybrid_radix::sort_even_on_grid<Shape>, kGridBytes);
        else
            launch(hybrid_radix::sort_even_in_registers<Shape>,
                   hybrid_radix::RegisterMemory<Shape>::kBytes);
        if (is_on_grid) launch(hybrid_radix::count_few_values<Shape>, kGridBytes);

        out.copy_to(std::span(got));
        const hybrid_radix::Progress progress = this->progress();
        EXPECT_EQ(progress.is_contradicted, 0u);
        std::vector<unsigned> histogram(1u << 2 * Shape::kMaxBinBits);
        simt::copy_async(histogram.data(), job_.histogram, histogram.size() * sizeof(unsigned));
        simt::synchronize();
        EXPECT_EQ(std::ranges::count(histogram, 0u), std::ssize(histogram));
        if (progress.for_onesweep != 0) {
            EXPECT_EQ(std::ranges::count(got, kUntouched), n) << "keys are left to onesweep";
            return Sorter::onesweep;
        }
        std::ranges::sort(keys, {}, [](Bits key) { return std::make_signed_t<Bits>(key); });
        EXPECT_TRUE(got == keys);
        return progress.sorter;
    }

  private:
    static constexpr std::size_t kGridBytes =
        std::max({hybrid_radix::BlockMemory<Shape>::kBytes, hybrid_radix::TileMemory<Shape>::kBytes,
                  sizeof(unsigned) << Shape::kMaxCountedBits});

    void launch(void (*kernel)(Job<Shape>), std::size_t bytes) {
        simt::launch(kernel, {job_.plan.blocks, kThreads, bytes, nullptr, true}, job_);
    }
    hybrid_radix::Progress progress() {
        hybrid_radix::Progress progress;
        simt::synchronize();
        simt::copy_async(&progress, job_.progress, sizeof progress);
        simt::synchronize();
        return progress;
    }
    void set_sorter(Sorter sorter) {
        hybrid_radix::Progress progress{};
        progress.sorter = sorter;
        simt::copy_async(job_.progress, &progress, sizeof progress);
        simt::fill_async(job_.values, 0, hybrid_radix::kValueSlots<Shape> * sizeof(Bits));
        simt::fill_async(job_.value_counts, 0, hybrid_radix::kValueSlots<Shape> * sizeof(unsigned));
    }

    Thresholds thresholds_;
    unsigned bits_;
    Job<Shape> job_{};
    simt::DeviceArray<std::byte> memory_;
};

/// Whether this index is sampled (sample.h).
bool is_sampled(std::size_t i, std::size_t n) {
    const std::size_t part = n / hybrid_radix::kSamples, t = std::min<std::size_t>(i / part, 511);
    return i == part * t + (std::uint64_t{static_cast<unsigned>(t) * 0x9e3779b9u} * part >> 32);
}

/// Sets the last `count` keys that are not sampled to `key`.
template <class Bits>
std::vector<Bits> with_unsampled(std::vector<Bits> keys, std::size_t count, Bits key) {
    for (std::size_t i = keys.size(); i-- > 0 && count > 0;)
        if (!is_sampled(i, keys.size())) keys[i] = key, --count;
    EXPECT_EQ(count, 0u);
    return keys;
}

/// Evenly spaced over all numbers below 2^bits, in no order.
template <class Bits>
std::vector<Bits> even_keys(std::size_t n, unsigned bits = 8 * sizeof(Bits)) {
    std::vector<Bits> keys(n);
    const Bits all = static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - bits);
    std::mt19937_64 random(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<Bits>(all / n * i + static_cast<Bits>(random()) % (all / n / 16));
    std::ranges::shuffle(keys, random);
    return keys;
}

template <class Bits>
class HybridRadixKernels : public testing::Test {
  protected:
    static constexpr std::size_t kOnGrid = 0, kInRegisters = ~std::size_t{0};
    static constexpr unsigned kBits = 8 * sizeof(Bits);
};
TYPED_TEST_SUITE(HybridRadixKernels, Widths);

// In registers; on the grid by one digit, by two, by two that are counted in halves and in quarters
// of words, and by a second one that is counted later. A quarter-word counter overflows at 256
// keys, which only the sum of all counts shows.
TYPED_TEST(HybridRadixKernels, LeaveKeysOfAnOverfullBin) {
    constexpr unsigned n = 3'000;
    const struct {
        std::size_t in_registers;
        unsigned bits, overfull;
    } cases[] = {{this->kInRegisters, 0, 201}, {this->kOnGrid, 8, 201},  {this->kOnGrid, 9, 201},
                 {this->kOnGrid, 14, 201},     {this->kOnGrid, 15, 256}, {this->kOnGrid, 16, 201}};
    const std::vector<TypeParam> even = even_keys<TypeParam>(n);
    for (const auto& c : cases) {
        SCOPED_TRACE(testing::Message() << c.bits << " bits");
        Kernels<TypeParam> kernels({0, 200, c.in_registers}, c.bits);
        if (c.bits < 14) {
            EXPECT_EQ(kernels.sort(even), Sorter::this_kernel);
        }
        EXPECT_EQ(kernels.sort(with_unsampled(even, c.overfull, even[7])), Sorter::onesweep);
        // Tens of thousands of bins take seconds, so each width has only one such case.
        if (c.bits < 14 || c.bits == (sizeof(TypeParam) == 4 ? 16 : 15)) {
            EXPECT_EQ(kernels.sort(even), Sorter::this_kernel) << "after it";
        }
    }
}

TYPED_TEST(HybridRadixKernels, LeaveKeysOutOfTheSampledRange) {
    const std::vector<TypeParam> even = even_keys<TypeParam>(3'000, this->kBits - 4);
    const std::size_t in_registers_or_not[] = {this->kOnGrid, this->kInRegisters};
    for (const std::size_t in_registers : in_registers_or_not) {
        Kernels<TypeParam> kernels({0, 200, in_registers});
        const TypeParam end = TypeParam{1} << (this->kBits - 4);
        EXPECT_EQ(kernels.sort(with_unsampled(even, 1, end)), Sorter::this_kernel) << "just beyond";
        for (const unsigned times : {4, 8}) {
            const std::vector<TypeParam> keys =
                with_unsampled(even, 1, static_cast<TypeParam>(times * end));
            EXPECT_EQ(kernels.sort(keys), Sorter::onesweep);
            EXPECT_EQ(kernels.sort(even), Sorter::this_kernel) << "after it";
        }
    }
}

/// The i-th key is value(i), and negative numbers are among the values.
template <class Bits>
std::vector<Bits> keys_of(std::function<Bits(std::size_t i)> value) {
    std::vector<Bits> keys(20'001);  // the last tile is partial
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<Bits>(value(i) * 0x85ebca6b85ebca6b);
    return keys;
}

TYPED_TEST(HybridRadixKernels, CountFewValues) {
    Kernels<TypeParam> kernels({0, 500, this->kOnGrid});
    const auto with_values = [](unsigned values) {
        return keys_of<TypeParam>([=](std::size_t i) { return i * i % 1013 % values; });
    };
    EXPECT_EQ(kernels.sort(with_values(16)), Sorter::few_values);
    EXPECT_EQ(kernels.sort(even_keys<TypeParam>(20'001)), Sorter::this_kernel);
    EXPECT_EQ(kernels.sort(with_values(3)), Sorter::few_values) << "and nothing is left of 16";
    EXPECT_EQ(kernels.sort(with_unsampled(with_values(16), 9'000, TypeParam{1})),
              Sorter::few_values)
        << "one that no sample is of";
}

// 0 has its own slot. All blocks see all values.
TYPED_TEST(HybridRadixKernels, CountAsManyValuesAsABlockHasRoomFor) {
    constexpr unsigned kMost = hybrid_radix::ValueTable<typename Kernels<TypeParam>::Shape>::kMost;
    Kernels<TypeParam> kernels({0, 500, this->kOnGrid});
    const auto sorter_of = [&](unsigned first, unsigned values) {
        return kernels.sort(keys_of<TypeParam>([=](std::size_t i) { return first + i % values; }),
                            true);
    };
    EXPECT_EQ(sorter_of(0, 1), Sorter::few_values);
    EXPECT_EQ(sorter_of(1, 1), Sorter::few_values);
    EXPECT_EQ(sorter_of(0, kMost + 1), Sorter::few_values);
    EXPECT_EQ(sorter_of(1, kMost), Sorter::few_values);
    EXPECT_EQ(sorter_of(1, kMost + 1), Sorter::onesweep);
}

// Each block sees half of the values, and the samples.
TYPED_TEST(HybridRadixKernels, CountAsManyValuesAsAllBlocksHaveRoomFor) {
    constexpr unsigned kMost = hybrid_radix::kMostValues<typename Kernels<TypeParam>::Shape>;
    Kernels<TypeParam> kernels({0, 500, this->kOnGrid});
    const auto sorter_of = [&](unsigned values) {
        return kernels.sort(
            keys_of<TypeParam>([=](std::size_t i) { return 1 + i * values / 20'001; }), true);
    };
    EXPECT_EQ(sorter_of(kMost - 1), Sorter::few_values);
    EXPECT_EQ(sorter_of(kMost), Sorter::onesweep);
}

// All values belong in the last vector of a table. The global table is searched for 64 slots.
TYPED_TEST(HybridRadixKernels, CountValuesThatCollide) {
    constexpr auto kGolden = static_cast<TypeParam>(0x9e3779b97f4a7c15 >> (64 - this->kBits) | 1);
    TypeParam inverse = kGolden;
    for (int i = 0; i < 5; ++i) inverse *= 2 - kGolden * inverse;
    ASSERT_EQ(static_cast<TypeParam>(inverse * kGolden), 1u);
    Kernels<TypeParam> kernels({0, 500, this->kOnGrid});
    const auto sorter_of = [&](TypeParam first, unsigned values) {
        std::vector<TypeParam> keys(20'001);
        for (std::size_t i = 0; i < keys.size(); ++i)
            keys[i] = inverse * (first + static_cast<TypeParam>(i % values));
        return kernels.sort(keys, true);
    };
    EXPECT_EQ(sorter_of(TypeParam{0} - 60, 60), Sorter::few_values);
    EXPECT_EQ(sorter_of(TypeParam{0} - 100, 100), Sorter::onesweep);
    EXPECT_EQ(sorter_of(1, 60), Sorter::few_values) << "in the first vector, but not in slot 0";
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND
