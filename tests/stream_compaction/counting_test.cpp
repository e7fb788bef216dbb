#include "stream_compaction/counting.h"

#include "simt/stream.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kTile = 32'768;  ///< 8-bit keys; 16-bit keys: half as many
constexpr std::size_t kNoneRanked = 0, kAllRanked = 20'000;

template <class Key>
using BitsOf = typename counting::Sort<Key>::Bits;

/// A number that ascends with the keys of these bits.
template <class Key>
int place_among_all(BitsOf<Key> bits) {
    if constexpr (kIsSmallFloat<Key>)
        return bits < 0x8000 ? int{bits} : -(int{bits} - 0x8000) - 1;
    else
        return int{std::bit_cast<Key>(bits)};
}

template <class Bits>
std::vector<Bits> sorted(std::vector<Bits> keys, auto place, bool descending) {
    std::ranges::sort(keys, [&](Bits a, Bits b) {
        return descending ? place(b) < place(a) : place(a) < place(b);
    });
    return keys;
}

struct Pattern {
    std::string_view name;
    unsigned (*make)(unsigned random, std::size_t i, std::size_t n);
};
constexpr Pattern kPatterns[] = {
    {"any keys", [](unsigned r, std::size_t, std::size_t) { return r; }},
    {"one key", [](unsigned, std::size_t, std::size_t) { return 0xabcdu; }},
    {"two keys", [](unsigned r, std::size_t, std::size_t) { return r % 2 == 0 ? 0u : ~0u; }},
    {"a few, and others now and then",
     [](unsigned r, std::size_t, std::size_t) { return r % 64 == 0 ? r >> 8 : r % 5 * 1000; }},
    {"all keys in turn",
     [](unsigned, std::size_t i, std::size_t) { return static_cast<unsigned>(i); }},
    {"descending", [](unsigned, std::size_t i,
                      std::size_t n) { return static_cast<unsigned>((n - 1 - i) * 65'536 / n); }},
    {"one key for half, any for the others",
     [](unsigned r, std::size_t, std::size_t) { return r % 2 == 0 ? 0x4711u : r >> 8; }},
};

template <class Bits>
std::vector<Bits> make_keys(const Pattern& pattern, std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<Bits> keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<Bits>(pattern.make(static_cast<unsigned>(random()), i, n));
    return keys;
}

/// An array that may begin anywhere, between keys that must not change.
template <class Bits>
class Guarded {
  public:
    Guarded(std::size_t n, std::size_t offset)
        : first_(kGuards + offset), all_(first_ + n + kGuards, kGuard), on_device_(all_) {}
    Bits* data() { return on_device_.data() + first_; }
    void assign(const std::vector<Bits>& keys) {
        std::ranges::copy(keys, all_.begin() + static_cast<std::ptrdiff_t>(first_));
        on_device_.copy_from(all_);
    }
    std::vector<Bits> read() const {
        std::vector<Bits> all(all_.size());
        on_device_.copy_to(all);
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first_);
        const auto end = all.end() - kGuards;
        const auto is_guard = [](Bits key) { return key == kGuard; };
        EXPECT_TRUE(std::all_of(all.begin(), begin, is_guard)) << "written in front of the array";
        EXPECT_TRUE(std::all_of(end, all.end(), is_guard)) << "written after the array";
        return {begin, end};
    }

  private:
    static constexpr std::ptrdiff_t kGuards = 64;
    static constexpr Bits kGuard = 0x5e;

    std::size_t first_;
    std::vector<Bits> all_;
    simt::DeviceArray<Bits> on_device_;
};

template <class Key>
class CountingTest : public testing::Test {
  protected:
    using Bits = BitsOf<Key>;

    static void enqueue(counting::Sort<Key>& sort, Guarded<Bits>& in, Guarded<Bits>& out,
                        std::size_t n, simt::stream_t stream = nullptr) {
        sort.enqueue(reinterpret_cast<const Key*>(in.data()), reinterpret_cast<Key*>(out.data()), n,
                     stream);
    }
    static void expect_sorted(counting::Sort<Key>& sort, const std::vector<Bits>& keys,
                              std::size_t offset, bool descending = false) {
        const std::size_t n = keys.size();
        const auto expected = sorted(keys, place_among_all<Key>, descending);
        Guarded<Bits> in(n, offset), out(n, 2 * offset + 3);
        in.assign(keys);
        enqueue(sort, in, out, n);
        EXPECT_EQ(out.read(), expected);
        EXPECT_EQ(in.read(), keys);
        enqueue(sort, in, in, n);
        EXPECT_EQ(in.read(), expected) << "in place";
    }
};
using Keys =
    testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, Float16, BFloat16>;
TYPED_TEST_SUITE(CountingTest, Keys);

// At any offset: there are keys before the first and after the last vector of 16 bytes.
TYPED_TEST(CountingTest, TakesAnySize) {
    const std::vector<std::size_t> sizes =
        without_too_large({0, 1, 2, 15, 16, 17, 31, 253, 300, kTile / 2 - 1, kTile, kTile + 77});
    counting::Sort<TypeParam> sort(sizes.back(), {}, kNoneRanked);
    for (const std::size_t n : sizes) {
        SCOPED_TRACE(n);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[0], n), n % 16);
    }
}

// Sizes near the keys that a block ranks, and near those that its warps hold at a time.
TYPED_TEST(CountingTest, RanksFewKeys) {
    const std::vector<std::size_t> sizes =
        without_too_large({1, 2, 31, 32, 33, 127, 129, 300, 513, 8'193});
    for (const bool descending : {false, true}) {
        counting::Sort<TypeParam> sort(sizes.back(), {.descending = descending}, kAllRanked);
        for (const std::size_t n : sizes)
            for (const Pattern& pattern : kPatterns) {
                if ((n > 1'000 || is_slow()) && (descending || &pattern != &kPatterns[3])) continue;
                SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n);
                this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), n % 16,
                                    descending);
            }
    }
}

// Keys near both zeros, the largest and the smallest keys: NaN of both signs.
TYPED_TEST(CountingTest, RanksExtremeKeys) {
    using Bits = BitsOf<TypeParam>;
    std::vector<Bits> keys;
    for (const unsigned middle : {0u, 0x7cu, 0x80u, 0x7c00u, 0x7f80u, 0x8000u, 0xfc00u, 0xff80u})
        for (unsigned more = 0; more < 32; ++more)
            keys.push_back(static_cast<Bits>(middle + more - 16));
    for (const bool descending : {false, true}) {
        counting::Sort<TypeParam> sort(keys.size(), {.descending = descending}, kAllRanked);
        this->expect_sorted(sort, keys, 1, descending);
    }
}

// Keys that are ranked in place must be read before they are overwritten: the workspace has room
// for only some.
TYPED_TEST(CountingTest, CountsWhatItHasNoRoomToRankInPlace) {
    using Bits = BitsOf<TypeParam>;
    constexpr std::size_t kRoom = sizeof(Bits) == 1 ? 16'384 : 131'072;
    for (const std::size_t n : without_too_large({kRoom + 1})) {
        const std::size_t bytes = counting::Sort<TypeParam>::workspace_bytes(n);
        const std::vector<std::byte> marked(bytes + 2 * n, std::byte{0x5e});
        simt::DeviceArray<std::byte> memory(marked);
        counting::Sort<TypeParam> sort(n, {.memory = {memory.data(), bytes}}, n);
        const std::vector<Bits> keys = make_keys<Bits>(kPatterns[0], n);
        Guarded<Bits> in_place(n, 1);
        in_place.assign(keys);
        this->enqueue(sort, in_place, in_place, n);
        EXPECT_EQ(in_place.read(), sorted(keys, place_among_all<TypeParam>, false));
        std::vector<std::byte> after(marked.size());
        memory.copy_to(after);
        EXPECT_TRUE(
            std::ranges::equal(std::span(after).subspan(bytes), std::span(marked).subspan(bytes)))
            << "written after the workspace";
    }
}

// With one more key they are counted; and the counters are clear, whatever was ranked before.
TYPED_TEST(CountingTest, RanksNoMoreThanItIsTold) {
    constexpr std::size_t kMost = 200;
    counting::Sort<TypeParam> sort(kMost + 1, {}, kMost);
    for (const std::size_t n : {kMost + 1, kMost, kMost + 1, kMost - 1, kMost + 1}) {
        SCOPED_TRACE(n);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[3], n), 5);
    }
    const std::size_t most = at_most(counting::BitsSort<BitsOf<TypeParam>>::default_most_ranked());
    counting::Sort<TypeParam> of_default(most + 1);
    for (const std::size_t n : {most, most + 1}) {
        SCOPED_TRACE(n);
        this->expect_sorted(of_default, make_keys<BitsOf<TypeParam>>(kPatterns[0], n), 0);
    }
}

TYPED_TEST(CountingTest, SortsAnyKeys) {
    const std::size_t n = at_most(kTile + 7);
    counting::Sort<TypeParam> sort(n);
    for (const Pattern& pattern : all_or_some(kPatterns)) {
        SCOPED_TRACE(pattern.name);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 1);
    }
}

// Enough keys that a block fills more than one vector per thread at a time. If many numbers begin
// in such a part, marks are used, in two steps.
TYPED_TEST(CountingTest, FillsPartsOfManyNumbersAndOfFew) {
    for (const std::size_t n : without_too_large({11 * kTile + 5})) {
        counting::Sort<TypeParam> sort(n);
        for (const Pattern& pattern : kPatterns) {
            SCOPED_TRACE(pattern.name);
            this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 3);
        }
    }
}

// As many vectors as are worth a block, and as it has threads, and one key more and less; and
// vectors for many blocks.
TYPED_TEST(CountingTest, SharesFewKeysAmongBlocks) {
    constexpr std::size_t kWorth = 2'048 / sizeof(TypeParam), kOfBlock = 8 * kWorth;
    for (const std::size_t n :
         without_too_large({kWorth - 1, kWorth, kWorth + 1, 2 * kWorth + 1, 5 * kWorth,
                            5 * kWorth + 333, kOfBlock - 1, kOfBlock, kOfBlock + 1, 2 * kOfBlock,
                            2 * kOfBlock + 1, 5 * kOfBlock})) {
        SCOPED_TRACE(n);
        counting::Sort<TypeParam> sort(n, {}, kNoneRanked);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[4], n), 0);
    }
}

TYPED_TEST(CountingTest, DoesNotMindTheOrderOfBlocks) {
    using Bits = BitsOf<TypeParam>;
    const std::size_t n = at_most(kTile + 77);
    counting::Sort<TypeParam> sort(n);
    const std::vector<Bits> keys = make_keys<Bits>(kPatterns[6], n);
    const std::vector<Bits> few_keys = make_keys<Bits>(kPatterns[6], at_most(300));
    counting::Sort<TypeParam> ranking(few_keys.size(), {}, kAllRanked);
    simt::test::under_every_schedule([&] {
        this->expect_sorted(sort, keys, 1);
        this->expect_sorted(ranking, few_keys, 1);
    });
}

// For more than 2^31 keys, counts have 64 bits.
TYPED_TEST(CountingTest, ServesFewerKeysThanItWasMadeFor) {
    for (const std::size_t most_ranked : {kNoneRanked, kAllRanked}) {
        counting::Sort<TypeParam> sort((std::size_t{1} << 31) + 1, {}, most_ranked);
        for (const std::size_t n : without_too_large({100, 20'000})) {
            SCOPED_TRACE(n);
            this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[0], n), 7);
        }
    }
}

TYPED_TEST(CountingTest, CanBeDescending) {
    for (const Pattern& pattern : {kPatterns[0], kPatterns[5]}) {
        SCOPED_TRACE(pattern.name);
        const std::size_t n = at_most(5'000);
        counting::Sort<TypeParam> sort(n, {.descending = true}, kNoneRanked);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 5, true);
    }
}

// 16-bit counters are emptied repeatedly; with few distinct keys, one lane counts for many.
TYPED_TEST(CountingTest, CountsMoreOfAKeyThanACounterHolds) {
    for (const std::size_t n : without_too_large({8 * kTile + 9}))
        for (const Pattern& pattern : {kPatterns[1], kPatterns[2]}) {
            SCOPED_TRACE(testing::Message() << pattern.name << ", n = " << n);
            counting::Sort<TypeParam> sort(n);
            this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 0);
        }
}

TYPED_TEST(CountingTest, RunsOnAStreamAndInAGraph) {
    using Bits = BitsOf<TypeParam>;
    const std::size_t n = at_most(1'000);
    const simt::Stream stream;
    Guarded<Bits> in(n, 1), out(n, 2);
    for (const std::size_t most_ranked : {kNoneRanked, kAllRanked}) {
        counting::Sort<TypeParam> sort(n, {}, most_ranked);
        const simt::Graph graph([&](simt::stream_t captured) {
            this->enqueue(sort, in, out, n, captured);
            this->enqueue(sort, in, in, n, captured);
        });
        for (const Pattern& pattern : {kPatterns[0], kPatterns[3]}) {
            const std::vector<Bits> keys = make_keys<Bits>(pattern, n);
            in.assign(keys);
            graph.launch(stream.get());
            stream.synchronize();
            const std::vector<Bits> expected = sorted(keys, place_among_all<TypeParam>, false);
            EXPECT_EQ(out.read(), expected) << pattern.name;
            EXPECT_EQ(in.read(), expected) << pattern.name << ", in place";
        }
    }
}

TYPED_TEST(CountingTest, RefusesWhatItCannotDo) {
    using Sort = counting::Sort<TypeParam>;
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    EXPECT_THROW(Sort(10, {.begin_bit = 1}), std::invalid_argument);
    EXPECT_THROW(Sort(10, {.end_bit = kBits - 1}), std::invalid_argument);
    EXPECT_NO_THROW(Sort(10, {.end_bit = kBits}));
    Sort sort(10);
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, 11), std::invalid_argument);
    Sort other(std::move(sort));
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, 0), std::logic_error);
}

TYPED_TEST(CountingTest, TakesMemoryOfTheCaller) {
    using Bits = BitsOf<TypeParam>;
    const std::size_t n = at_most(1'000), bytes = counting::Sort<TypeParam>::workspace_bytes(n);
    EXPECT_EQ(counting::Sort<TypeParam>::workspace_bytes(0), 0u);
    simt::DeviceArray<std::byte> memory(bytes);
    const std::size_t held = simt::held_bytes();
    const std::span<std::byte> all(memory.data(), bytes);
    for (const std::size_t most_ranked : {kNoneRanked, kAllRanked}) {
        counting::Sort<TypeParam> sort(n, {.memory = all}, most_ranked);
        EXPECT_EQ(simt::held_bytes(), held);
        this->expect_sorted(sort, make_keys<Bits>(kPatterns[0], n), 0);
    }
    EXPECT_THROW(counting::Sort<TypeParam>(n, {.memory = all.first(bytes - 1)}),
                 std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction
