// Every name that kernels may use, against a plain reference.
#include "simt/device.h"
#include "simt/kernel.h"
#include "tests/simt/device_result.h"
#include "tests/simt/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using simt::test::under_every_schedule;
using Wide = unsigned long long;

constexpr unsigned kAll = ~0u;

// ---- Arithmetic -------------------------------------------------------------------------------

struct Bits {
    int popc, popcll, ffs, ffsll, clz, clzll;
    unsigned brev, umulhi;
    bool operator==(const Bits&) const = default;
};

__global__ void count_bits(Bits* out, const Wide* words, unsigned n) {
    const unsigned i = threadIdx.x;
    if (i >= n) return;
    const Wide wide = words[i];
    const auto word = static_cast<unsigned>(wide);
    out[i] = {__popc(word),
              __popcll(wide),
              __ffs(static_cast<int>(word)),
              __ffsll(static_cast<long long>(wide)),
              __clz(static_cast<int>(word)),
              __clzll(static_cast<long long>(wide)),
              __brev(word),
              __umulhi(word, static_cast<unsigned>(wide >> 32))};
}

Bits expected_bits(Wide wide) {
    Bits bits{0, 0, 0, 0, 32, 64, 0, 0};
    for (int i = 63; i >= 0; --i) {
        if ((wide >> i & 1) == 0) continue;
        ++bits.popcll;
        bits.ffsll = i + 1;
        bits.clzll = std::min(bits.clzll, 63 - i);
        if (i >= 32) continue;
        ++bits.popc;
        bits.ffs = i + 1;
        bits.clz = std::min(bits.clz, 31 - i);
        bits.brev |= 1u << (31 - i);
    }
    bits.umulhi = static_cast<unsigned>((wide & 0xFFFFFFFF) * (wide >> 32) >> 32);
    return bits;
}

TEST(Vocabulary, Bits) {
    std::vector<Wide> words{0, 1, 2, 0x80000000, 0xFFFFFFFF, 0x100000000, Wide{1} << 63, ~Wide{0}};
    for (Wide seed = 1; seed < 50; ++seed) words.push_back(seed * 0x9E3779B97F4A7C15);
    const auto in = to_device(words);
    const auto n = static_cast<unsigned>(words.size());
    const auto out = device_result<Bits>(n, count_bits, {1, 64}, in.data(), n);
    for (unsigned i = 0; i < n; ++i) EXPECT_EQ(out[i], expected_bits(words[i])) << words[i];
}

__global__ void find_extremes(double* out) {
    out[0] = min(-3, 2);
    out[1] = max(-3, 2);
    out[2] = min(3u, 2u);
    out[3] = max(-1, 7u);  // both become unsigned, in CUDA as in C++
    out[4] = min(Wide{5}, Wide{1} << 40);
    out[5] = max(1.5f, -2.5f);
    out[6] = min(1.5, 2.5);
}

TEST(Vocabulary, MinAndMax) {
    const std::vector<double> expected{-3, 2, 2, 4294967295., 5, 1.5, 1.5};
    EXPECT_EQ(device_result<double>(7, find_extremes, {1, 1}), expected);
}

// ---- Memory -----------------------------------------------------------------------------------

static_assert(sizeof(int2) == 8 && alignof(int2) == 8);
static_assert(sizeof(uint2) == 8 && alignof(uint2) == 8);
static_assert(sizeof(uint3) == 12 && alignof(uint3) == 4);
static_assert(sizeof(int4) == 16 && alignof(int4) == 16);
static_assert(sizeof(uint4) == 16 && alignof(uint4) == 16);
static_assert(sizeof(longlong2) == 16 && alignof(longlong2) == 16);
static_assert(sizeof(ulonglong2) == 16 && alignof(ulonglong2) == 16);
static_assert(sizeof(float2) == 8 && alignof(float4) == 16 && alignof(double2) == 16);

__global__ void move_vectors(int4* out, const int4* in) {
    const unsigned i = threadIdx.x;
    const int4 value = __ldcs(in + i);
    const uint2 pair = make_uint2(static_cast<unsigned>(value.x), 1);
    const longlong2 longs = make_longlong2(value.y, 2);
    const ulonglong2 unsigned_longs = make_ulonglong2(3, 4);
    const int2 low = make_int2(__ldg(&in[i].z), __ldcg(&in[i].w));
    const uint4 added =
        make_uint4(pair.y, static_cast<unsigned>(longs.y), static_cast<unsigned>(unsigned_longs.x),
                   static_cast<unsigned>(unsigned_longs.y));
    __stcs(out + i,
           make_int4(static_cast<int>(pair.x + added.x),
                     static_cast<int>(longs.x) + static_cast<int>(added.y),
                     low.x + static_cast<int>(added.z), low.y + static_cast<int>(added.w)));
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
        // What the exchanges have passed on, and what is left: 0, and every i once.
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

struct Place {
    uint3 thread, block;
    dim3 threads, blocks;
};

__global__ void tell_places(Place* out) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = {threadIdx, blockIdx, blockDim,
                                                                  gridDim};
}

TEST(Vocabulary, Indices) {
    const dim3 blocks(3, 2, 4);
    const dim3 threads(5, 7, 2);
    under_every_schedule([&] {
        const auto out = device_result<Place>(24 * 70, tell_places, {blocks, threads});
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

/// What the lanes of `mask` vote, see and match; each lane's value is lane * factor % 5.
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

enum class Shuffle { any, up, down, exclusive_or };

/// Each lane gets from another its lane number, times a factor that needs all bits of a T.
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
        case Shuffle::down:
            got = __shfl_down_sync(kAll, value, delta, width);
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
        case Shuffle::down:
            from = lane + argument;
            break;
        case Shuffle::exclusive_or:  // earlier parts of the warp can be read, later ones cannot
            from = lane ^ argument;
            return from < first + width ? from : lane;
    }
    return from >= first && from < first + width ? from : lane;
}

template <class T>
void check_shuffles(T factor) {
    for (const Shuffle kind : {Shuffle::any, Shuffle::up, Shuffle::down, Shuffle::exclusive_or})
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

/// Odd lanes alone pass their values on; the block's last warp has 8 lanes.
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
    T* const mine = out + 6 * lane;
    const T value = in[lane];
    mine[0] = __reduce_add_sync(mask, value);
    mine[1] = __reduce_min_sync(mask, value);
    mine[2] = __reduce_max_sync(mask, value);
    mine[3] = static_cast<T>(__reduce_and_sync(mask, static_cast<unsigned>(value)));
    mine[4] = static_cast<T>(__reduce_or_sync(mask, static_cast<unsigned>(value)));
    mine[5] = static_cast<T>(__reduce_xor_sync(mask, static_cast<unsigned>(value)));
#endif
}

template <class T>
void check_reductions() {
    std::vector<T> values;
    for (unsigned i = 0; i < 32; ++i) values.push_back(static_cast<T>((i + 1) * 2654435761u));
    const auto in = to_device(values);
    for (const unsigned mask : {kAll, 0xFFFFu, 0xAAAAAAAAu, 0x80000000u, 0x00010010u}) {
        unsigned sum = 0, conjunction = kAll, disjunction = 0, difference = 0;
        T least = std::numeric_limits<T>::max();
        T greatest = std::numeric_limits<T>::min();
        for (unsigned lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            const auto word = static_cast<unsigned>(values[lane]);
            sum += word;
            conjunction &= word;
            disjunction |= word;
            difference ^= word;
            least = std::min(least, values[lane]);
            greatest = std::max(greatest, values[lane]);
        }
        const std::vector<T> expected{static_cast<T>(sum),
                                      least,
                                      greatest,
                                      static_cast<T>(conjunction),
                                      static_cast<T>(disjunction),
                                      static_cast<T>(difference)};
        const auto out = device_result<T>(192, reduce<T>, {1, 32}, mask, in.data());
        for (unsigned lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            const auto mine = out.begin() + 6 * lane;
            EXPECT_EQ(std::vector<T>(mine, mine + 6), expected);
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

// ---- Shared and constant memory ---------------------------------------------------------------

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
    __shared__ __align__(16) unsigned fixed[96];
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

__constant__ int kPrimes[4] = {2, 3, 5, 7};
__device__ int calls = 0;

__global__ void use_globals(int* out) {
    out[threadIdx.x] = kPrimes[threadIdx.x];
    __threadfence();
    __threadfence_block();
    if (threadIdx.x == 0) out[4] = atomicAdd(&calls, 2);
}

TEST(Vocabulary, ConstantAndDeviceVariables) {
    const auto first = device_result<int>(5, use_globals, {1, 4});
    EXPECT_EQ(std::vector<int>(first.begin(), first.begin() + 4), (std::vector<int>{2, 3, 5, 7}));
    EXPECT_EQ(device_result<int>(5, use_globals, {1, 4})[4], first[4] + 2);
}

}  // namespace
