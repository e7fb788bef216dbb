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

constexpr std::size_t kTile = 32'768;  ///< keys of 8 bits; of 16 bits half as many

template <class Key>
using BitsOf = typename counting::Sort<Key>::Bits;

/// A number that ascends as the keys with these bits do.
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

/// An array that may begin anywhere, with keys around it that nobody may change.
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
        EXPECT_TRUE(std::all_of(end, all.end(), is_guard)) << "written behind the array";
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

// From anywhere: vectors of 16 bytes have keys in front of them, and behind.
TYPED_TEST(CountingTest, TakesAnySize) {
    const std::vector<std::size_t> sizes =
        without_too_large({0, 1, 2, 15, 16, 17, 31, 253, 300, kTile / 2 - 1, kTile, kTile + 77});
    counting::Sort<TypeParam> sort(sizes.back());
    for (const std::size_t n : sizes) {
        SCOPED_TRACE(n);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[0], n), n % 16);
    }
}

TYPED_TEST(CountingTest, SortsAnyKeys) {
    const std::size_t n = at_most(kTile + 7);
    counting::Sort<TypeParam> sort(n);
    for (const Pattern& pattern : kPatterns) {
        SCOPED_TRACE(pattern.name);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 1);
    }
}

// So many that a block fills more than a vector of each thread at a time: where many numbers begin
// in such a part, it goes by marks, in two turns.
TYPED_TEST(CountingTest, FillsPartsOfManyNumbersAndOfFew) {
    for (const std::size_t n : without_too_large({11 * kTile + 5})) {
        counting::Sort<TypeParam> sort(n);
        for (const Pattern& pattern : kPatterns) {
            SCOPED_TRACE(pattern.name);
            this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 3);
        }
    }
}

// As many vectors as a block has threads, and one key more and less; and of as many blocks.
TYPED_TEST(CountingTest, SharesFewKeysAmongBlocks) {
    constexpr std::size_t kOfBlock = 16'384 / sizeof(TypeParam);
    for (const std::size_t n : without_too_large({kOfBlock - 1, kOfBlock, kOfBlock + 1,
                                                  2 * kOfBlock, 2 * kOfBlock + 1, 5 * kOfBlock})) {
        SCOPED_TRACE(n);
        counting::Sort<TypeParam> sort(n);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[4], n), 0);
    }
}

TYPED_TEST(CountingTest, DoesNotMindTheOrderOfBlocks) {
    using Bits = BitsOf<TypeParam>;
    const std::size_t n = at_most(kTile + 77);
    counting::Sort<TypeParam> sort(n);
    const std::vector<Bits> keys = make_keys<Bits>(kPatterns[6], n);
    simt::test::under_every_schedule([&] { this->expect_sorted(sort, keys, 1); });
}

// Of more than 2^31 keys counts have 64 bits.
TYPED_TEST(CountingTest, ServesFewerKeysThanItWasMadeFor) {
    counting::Sort<TypeParam> sort((std::size_t{1} << 31) + 1);
    for (const std::size_t n : without_too_large({100, 20'000})) {
        SCOPED_TRACE(n);
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(kPatterns[0], n), 7);
    }
}

TYPED_TEST(CountingTest, CanBeDescending) {
    for (const Pattern& pattern : {kPatterns[0], kPatterns[5]}) {
        SCOPED_TRACE(pattern.name);
        const std::size_t n = at_most(5'000);
        counting::Sort<TypeParam> sort(n, {.descending = true});
        this->expect_sorted(sort, make_keys<BitsOf<TypeParam>>(pattern, n), 5, true);
    }
}

// Counters of 16 bits are emptied again and again; of a few keys by one lane for many.
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
    counting::Sort<TypeParam> sort(n);
    const simt::Graph graph(
        [&](simt::stream_t captured) { this->enqueue(sort, in, out, n, captured); });
    for (const Pattern& pattern : {kPatterns[0], kPatterns[3]}) {
        const std::vector<Bits> keys = make_keys<Bits>(pattern, n);
        in.assign(keys);
        graph.launch(stream.get());
        stream.synchronize();
        EXPECT_EQ(out.read(), sorted(keys, place_among_all<TypeParam>, false)) << pattern.name;
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
    counting::Sort<TypeParam> sort(n, {.memory = all});
    EXPECT_EQ(simt::held_bytes(), held);
    this->expect_sorted(sort, make_keys<Bits>(kPatterns[0], n), 0);
    EXPECT_THROW(counting::Sort<TypeParam>(n, {.memory = all.first(bytes - 1)}),
                 std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction
