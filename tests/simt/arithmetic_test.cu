// The arithmetic that kernels may use, against a plain reference.
#include "simt/kernel.h"
#include "tests/simt/device_result.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using simt::test::device_result;
using simt::test::to_device;
using Wide = unsigned long long;

struct Bits {
    int popc, ffs, clz, clzll;
    unsigned umulhi;
    bool operator==(const Bits&) const = default;
};

__global__ void count_bits(Bits* out, const Wide* words, unsigned n) {
    const unsigned i = threadIdx.x;
    if (i >= n) return;
    const Wide wide = words[i];
    const auto word = static_cast<unsigned>(wide);
    out[i] = {__popc(word), __ffs(static_cast<int>(word)), __clz(static_cast<int>(word)),
              __clzll(static_cast<long long>(wide)),
              __umulhi(word, static_cast<unsigned>(wide >> 32))};
}

Bits expected_bits(Wide wide) {
    Bits bits{0, 0, 32, 64, 0};
    for (int i = 63; i >= 0; --i) {
        if ((wide >> i & 1) == 0) continue;
        bits.clzll = std::min(bits.clzll, 63 - i);
        if (i >= 32) continue;
        ++bits.popc;
        bits.ffs = i + 1;
        bits.clz = std::min(bits.clz, 31 - i);
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

}  // namespace
