// A thousand random cases of hybrid_radix and onesweep. The type of keys, pattern, n and seed
// depend only on the number of the case, which a failure prints. On the CPU there are fewer and
// smaller cases.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/key_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace stream_compaction {
namespace {

constexpr bool kIsGpu = simt::kBackend == simt::Backend::cuda;
constexpr int kCasesOfType = kIsGpu ? 250 : 8;

template <class Key>
class RandomSorts : public testing::Test {};
using Keys = testing::Types<int, unsigned, float, std::int64_t>;
TYPED_TEST_SUITE(RandomSorts, Keys);

/// Keys with their indices by hybrid_radix: equal keys come in any order.
/// @param places the indices of the sorted keys in the input
template <class Key>
void expect_pairs_sorted(const std::vector<Key>& keys, const std::vector<unsigned>& places) {
    using Bits = KeyBits<sizeof(Key)>;
    const std::size_t n = keys.size();
    const simt::DeviceArray<Key> in{std::span<const Key>(keys)};
    simt::DeviceArray<Key> out(n);
    simt::DeviceArray<unsigned> places_out(n);
    hybrid_radix::SortPairs<Key, unsigned>(n).enqueue(in.data(), out.data(), places_out.data(), n);
    std::vector<Key> got(n);
    std::vector<unsigned> got_places(n);
    out.copy_to(got);
    places_out.copy_to(got_places);
    std::vector<bool> is_there(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Bits expected = std::bit_cast<Bits>(keys[places[i]]);
        ASSERT_EQ(std::bit_cast<Bits>(got[i]), expected) << "key " << i;
        ASSERT_LT(got_places[i], n) << "value " << i;
        ASSERT_EQ(std::bit_cast<Bits>(keys[got_places[i]]), expected) << "value " << i;
        ASSERT_FALSE(is_there[got_places[i]]) << "value " << i << " is that of another";
        is_there[got_places[i]] = true;
    }
}

/// Keys alone by hybrid_radix, and with their indices as values by onesweep.
template <class Key>
void expect_sorted(const std::vector<Key>& keys) {
    using Bits = KeyBits<sizeof(Key)>;
    const std::size_t n = keys.size();
    std::vector<unsigned> places(n);
    std::iota(places.begin(), places.end(), 0u);
    const simt::DeviceArray<Key> in{std::span<const Key>(keys)};
    const simt::DeviceArray<unsigned> places_in{std::span<const unsigned>(places)};
    simt::DeviceArray<Key> out(n), pairs_out(n);
    simt::DeviceArray<unsigned> places_out(n);
    hybrid_radix::Sort<Key>(n).enqueue(in.data(), out.data(), n);
    onesweep::SortPairs<Key, unsigned>(n).enqueue(in.data(), pairs_out.data(), places_in.data(),
                                                  places_out.data(), n);
    std::vector<Key> got(n), got_of_pairs(n);
    std::vector<unsigned> got_places(n);
    out.copy_to(got);
    pairs_out.copy_to(got_of_pairs);
    places_out.copy_to(got_places);

    std::ranges::stable_sort(
        places, [&](unsigned a, unsigned b) { return comes_before(keys[a], keys[b]); });
    for (std::size_t i = 0; i < n; ++i) {
        const Bits expected = std::bit_cast<Bits>(keys[places[i]]);
        ASSERT_EQ(std::bit_cast<Bits>(got[i]), expected) << "key " << i;
        ASSERT_EQ(std::bit_cast<Bits>(got_of_pairs[i]), expected) << "key " << i << " of pairs";
        ASSERT_EQ(got_places[i], places[i]) << "value " << i;
    }
    if constexpr (hybrid_radix::SmallPair<Key, unsigned>) expect_pairs_sorted(keys, places);
}

TYPED_TEST(RandomSorts, AreRight) {
    constexpr double kLargestLog2 = kIsGpu ? 22 : 16;
    using Bits = KeyBits<sizeof(TypeParam)>;
    for (int number = 0; number < kCasesOfType; ++number) {
        std::mt19937_64 random(static_cast<std::uint64_t>(number));
        const double log2 = kLargestLog2 * static_cast<double>(random() % 1'000'000) / 1e6;
        const std::size_t n = at_most(static_cast<std::size_t>(std::exp2(log2)));
        const auto& pattern = kPatterns<Bits>[random() % std::size(kPatterns<Bits>)];
        SCOPED_TRACE(testing::Message()
                     << "case " << number << ": " << pattern.name << ", n = " << n);
        expect_sorted(make_keys<TypeParam>(pattern, n, random()));
        if (testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace stream_compaction
