// The kinds of memory in kernels: vectors, shared and device variables.
#include "simt/device.h"
#include "simt/kernel.h"
#include "simt/memory.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;
using Wide = unsigned long long;

static_assert(sizeof(uint3) == 12 && alignof(uint3) == 4);
static_assert(sizeof(int4) == 16 && alignof(int4) == 16);
static_assert(sizeof(uint4) == 16 && alignof(uint4) == 16);

__global__ void move_vectors(int4* out, const int4* in) {
    const unsigned i = threadIdx.x;
    const int4 value = __ldcs(in + i);
    const uint4 added = make_uint4(1, 2, 3, 4);
    __stcs(out + i,
           make_int4(value.x + static_cast<int>(added.x), value.y + static_cast<int>(added.y),
                     value.z + static_cast<int>(added.z), value.w + static_cast<int>(added.w)));
}

TEST(Vocabulary, VectorTypesAndHintedAccess) {
    std::vector<int4> values;
    for (int i = 0; i < 64; ++i) values.push_back(make_int4(i, 2 * i, 3 * i, 4 * i));
    const auto in = to_device(values);
    const auto out = device_result<int4>(64, move_vectors, {1, 64}, in.data());
    for (int i = 0; i < 64; ++i) {
        EXPECT_EQ(out[i].x, i + 1);
        EXPECT_EQ(out[i].y, 2 * i + 2);
        EXPECT_EQ(out[i].z, 3 * i + 3);
        EXPECT_EQ(out[i].w, 4 * i + 4);
    }
}

template <unsigned kRows>
__global__ void transpose(unsigned* out) {
    __shared__ unsigned tile[kRows][kRows + 1];
    tile[threadIdx.y][threadIdx.x] = threadIdx.y * kRows + threadIdx.x;
    __syncthreads();
    out[(blockIdx.x * kRows + threadIdx.y) * kRows + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <unsigned kRows>
void check_transpose() {
    const auto out =
        device_result<unsigned>(3 * kRows * kRows, transpose<kRows>, {3, dim3(kRows, kRows)});
    for (unsigned i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], i % kRows * kRows + i / kRows % kRows) << i;
}

TEST(Vocabulary, StaticSharedMemoryInTwoDimensions) {
    under_every_schedule([] {
        check_transpose<4>();
        check_transpose<9>();
        check_transpose<32>();
    });
}

__global__ void reverse_twice(unsigned* out) {
    alignas(16) __shared__ unsigned fixed[96];
    auto* const dynamic = simt::dynamic_shared<unsigned>();
    const unsigned i = threadIdx.x;
    fixed[i] = i + blockIdx.x;
    dynamic[i] = 2 * i + blockIdx.x;
    __syncthreads();
    const auto misaligned = [](const void* p, unsigned bytes) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % bytes);
    };
    out[blockIdx.x * 96 + i] = fixed[95 - i] + 1000 * dynamic[95 - i] +
                               1000000 * misaligned(dynamic, 128) + 1000000 * misaligned(fixed, 16);
}

TEST(Vocabulary, DynamicSharedMemory) {
    under_every_schedule([] {
        const auto out = device_result<unsigned>(480, reverse_twice, {5, 96, 96 * sizeof(int)});
        for (unsigned i = 0; i < 480; ++i) {
            const unsigned j = 95 - i % 96;
            EXPECT_EQ(out[i], j + i / 96 + 1000 * (2 * j + i / 96));
        }
    });
}

__global__ void fill_all_shared(unsigned* out, unsigned words) {
    auto* const dynamic = simt::dynamic_shared<unsigned>();
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) dynamic[i] = i;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) sum += dynamic[words - 1 - i];
    atomicAdd(out, sum);
}

TEST(Vocabulary, AsMuchSharedMemoryAsTheDeviceHas) {
    const std::size_t bytes = simt::device_properties().shared_bytes_per_block;
    const auto words = static_cast<unsigned>(bytes / sizeof(unsigned));
    simt::DeviceArray<unsigned> sum(1);
    simt::fill_async(sum.data(), 0, sizeof(unsigned));
    simt::synchronize();
    simt::launch(fill_all_shared, {1, 256, bytes}, sum.data(), words);
    std::vector<unsigned> out(1);
    sum.copy_to(out);
    EXPECT_EQ(out[0], static_cast<unsigned>(Wide{words} * (words - 1) / 2));
}

__device__ int calls = 0;

__global__ void count_calls(int* out) { out[0] = atomicAdd(&calls, 2); }

TEST(Vocabulary, DeviceVariables) {
    const int first = device_result<int>(1, count_calls, {1, 1})[0];
    EXPECT_EQ(device_result<int>(1, count_calls, {1, 1})[0], first + 2);
}

}  // namespace
