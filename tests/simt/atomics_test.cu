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
    atomicOr(&out[3], T{1} << i % 8);
    atomicXor(&out[4], i);
    for (T old = 0, seen = 0;; old = seen) {  // adds 2 * i
        seen = atomicCAS(&out[5], old, old + 2 * i);
        if (seen == old) break;
        simt::relax();
    }
    out[7 + threadIdx.x] = atomicExch(&out[6], i);
}

template <class T>
void check_atomics() {
    constexpr unsigned kThreads = 100;
    under_every_schedule([] {
        std::vector<T> words(7 + kThreads);
        words[2] = 1000;
        auto device = to_device(words);
        simt::launch(use_atomics<T>, {1, kThreads}, device.data());
        device.copy_to(words);
        EXPECT_EQ(words[0], T{4950});
        EXPECT_EQ(words[1], sizeof(T) == 4 ? T{0} - T{4950} : T{0});
        EXPECT_EQ(words[2], std::numeric_limits<T>::is_signed ? T{0} - T{94} : T{5});
        EXPECT_EQ(words[3], T{255});
        EXPECT_EQ(words[4], T{0});  // the xor of 0 to 99
        EXPECT_EQ(words[5], T{9900});
        // The values that the exchanges have passed on, and the last one: 0, and every i once.
        std::sort(words.begin() + 6, words.end());
        EXPECT_EQ(words[6], T{0});
        for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(words[7 + i], static_cast<T>(i));
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
    const simt::DeviceAtomic<Wide> sum(out[0]);
    sum.fetch_add(i, simt::memory_order_relaxed);
    __syncthreads();
    const Wide all = sum.load(simt::memory_order_acquire);
    simt::DeviceAtomic<Wide>(out[1 + i]).store(all + i, simt::memory_order_release);
}

TEST(Vocabulary, DeviceAtomic) {
    under_every_schedule([] {
        std::vector<Wide> words(101);
        auto device = to_device(words);
        simt::launch(use_device_atomics, {1, 100}, device.data());
        device.copy_to(words);
        EXPECT_EQ(words[0], 4950u);
        for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(words[1 + i], 4950 + i);
    });
}

}  // namespace
