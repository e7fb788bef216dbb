// Every atomic operation that kernels may use, on every type.
#include "simt/kernel.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;
using Wide = unsigned long long;

template <class T>
__global__ void use_atomics(T* out) {
    const T i = threadIdx.x;
    atomicAdd(&out[0], i);
    if constexpr (sizeof(T) == 4) atomicSub(&out[1], i);
    atomicMin(&out[2], std::numeric_limits<T>::is_signed ? 5 - i : 5 + i);
    atomicMax(&out[3], i);
    atomicAnd(&out[4], ~(T{1} << i % 8));
    atomicOr(&out[5], T{1} << i % 8);
    atomicXor(&out[6], i);
    for (T old = 0, seen = 0;; old = seen) {  // adds 2 * i
        seen = atomicCAS(&out[7], old, old + 2 * i);
        if (seen == old) break;
        simt::relax();
    }
    out[9 + threadIdx.x] = atomicExch(&out[8], i);
}

template <class T>
void check_atomics() {
    constexpr unsigned kThreads = 100;
    under_every_schedule([] {
        std::vector<T> words(9 + kThreads);
        words[2] = 1000;
        words[4] = 511;
        auto device = to_device(words);
        simt::launch(use_atomics<T>, {1, kThreads}, device.data());
        device.copy_to(words);
        EXPECT_EQ(words[0], T{4950});
        EXPECT_EQ(words[1], sizeof(T) == 4 ? T{0} - T{4950} : T{0});
        EXPECT_EQ(words[2], std::numeric_limits<T>::is_signed ? T{0} - T{94} : T{5});
        EXPECT_EQ(words[3], T{99});
        EXPECT_EQ(words[4], T{256});
        EXPECT_EQ(words[5], T{255});
        EXPECT_EQ(words[6], T{0});  // the xor of 0 to 99
        EXPECT_EQ(words[7], T{9900});
        // The values that the exchanges have passed on, and the last one: 0, and every i once.
        std::sort(words.begin() + 8, words.end());
        EXPECT_EQ(words[8], T{0});
        for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(words[9 + i], static_cast<T>(i));
    });
}

TEST(Vocabulary, AtomicsOnInt) { check_atomics<int>(); }
TEST(Vocabulary, AtomicsOnUnsigned) { check_atomics<unsigned>(); }
TEST(Vocabulary, AtomicsOnUnsignedLongLong) { check_atomics<Wide>(); }

template <class T>
__global__ void add_halves(T* out) {
    if (threadIdx.x == 0) *out = 0;
    __syncthreads();
    atomicAdd(out, T{0.5});
}

TEST(Vocabulary, AtomicAddOnFloatingPoint) {
    EXPECT_EQ(device_result<float>(1, add_halves<float>, {1, 96})[0], 48);
    EXPECT_EQ(device_result<double>(1, add_halves<double>, {1, 96})[0], 48);
}

__global__ void overflow(int* out) {
    *out = 0x7FFFFFFF;
    atomicAdd(out, 1);
}

TEST(Vocabulary, AtomicAddWrapsAround) {
    EXPECT_EQ(device_result<int>(1, overflow, {1, 1})[0], std::numeric_limits<int>::min());
}

__global__ void use_device_atomics(Wide* out) {
    const Wide i = threadIdx.x;
    constexpr auto kRelaxed = simt::memory_order_relaxed;
    simt::DeviceAtomic<Wide>(out[0]).fetch_add(i, kRelaxed);
    simt::DeviceAtomic<Wide>(out[1]).fetch_sub(i, simt::memory_order_acq_rel);
    simt::DeviceAtomic<Wide>(out[2]).fetch_and(~(Wide{1} << i % 8), kRelaxed);
    simt::DeviceAtomic<Wide>(out[3]).fetch_or(Wide{1} << i % 8, kRelaxed);
    simt::DeviceAtomic<Wide>(out[4]).fetch_xor(i, kRelaxed);
    simt::DeviceAtomic<Wide>(out[5]).fetch_max(i, kRelaxed);
    simt::DeviceAtomic<Wide>(out[6]).fetch_min(i + 5, kRelaxed);
    const simt::DeviceAtomic<Wide> sum(out[7]);
    Wide seen = sum.load(kRelaxed);
    while (!sum.compare_exchange_weak(seen, seen + 2 * i, kRelaxed)) simt::relax();
    Wide never = ~Wide{0};
    if (simt::DeviceAtomic<Wide>(out[8]).compare_exchange_strong(never, 1, kRelaxed)) out[8] = 2;
    if (simt::DeviceAtomic<Wide>(out[9]).exchange(1, kRelaxed) == 0) out[10] = i + 1;
    simt::DeviceAtomic<Wide>(out[11 + i]).store(i, simt::memory_order_release);
}

TEST(Vocabulary, DeviceAtomic) {
    under_every_schedule([] {
        std::vector<Wide> words(111);
        words[2] = 511;
        words[6] = 1000;
        auto device = to_device(words);
        simt::launch(use_device_atomics, {1, 100}, device.data());
        device.copy_to(words);
        const std::vector<Wide> expected{4950, Wide{0} - 4950, 256, 255, 0, 99, 5, 9900, 0, 1};
        EXPECT_EQ(std::vector<Wide>(words.begin(), words.begin() + 10), expected);
        EXPECT_TRUE(words[10] >= 1 && words[10] <= 100);  // one thread was the first
        for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(words[11 + i], i);
    });
}

}  // namespace
