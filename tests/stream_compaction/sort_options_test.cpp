// Which bits of a key a sort compares, in which direction; and the indices of the keys.
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "tests/guarded_array.h"
#include "tests/size_word.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/guarded_pairs.h"
#include "tests/stream_compaction/key_patterns.h"
#include "tests/stream_compaction/onesweep/sizes.h"
#include "tests/typed_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr onesweep::Thresholds kFewKeys[] = {{}, {.ranked = 1'000}, {.clustered = 100'000}};

/// The rank of this key among all possible keys, relative to the middle.
template <class Key>
KeyBits<sizeof(Key)> place_among_all(Key key) {
    using Bits = KeyBits<sizeof(Key)>;
    constexpr Bits kMiddle = Bits{1} << (8 * sizeof(Key) - 1);
    const Bits bits = std::bit_cast<Bits>(key);
    if (std::is_unsigned_v<Key>) return bits;
    if (std::is_integral_v<Key> || bits < kMiddle) return kMiddle + bits;
    return kMiddle - 1 - (bits - kMiddle);
}

/// A number from the bits of a key that are compared. Keys with smaller numbers come first.
template <class Key>
KeyBits<sizeof(Key)> compared_bits(Key key, const SortOptions& options) {
    constexpr unsigned kBits = 8 * sizeof(Key);
    auto place = place_among_all(key);
    if (options.descending) place = ~place;
    if (options.end_bit != 0) {
        const unsigned ignored = kBits - options.end_bit;
        place = place << ignored >> ignored;
    }
    return place >> options.begin_bit;
}

template <class Key>
std::vector<std::size_t> stable_order(const std::vector<Key>& keys, const SortOptions& options) {
    std::vector<KeyBits<sizeof(Key)>> compared;
    for (const Key key : keys) compared.push_back(compared_bits(key, options));
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return compared[i]; });
    return order;
}

template <class Key>
void expect_order(const std::vector<Key>& got, const std::vector<Key>& keys,
                  const std::vector<std::size_t>& order) {
    using Bits = KeyBits<sizeof(Key)>;
    for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(keys[order[i]])) << "key " << i;
}

/// @param sort of this many keys
template <class Key, class Sort>
void expect_sorted(Sort sort, const std::vector<Key>& keys, const SortOptions& options) {
    simt::DeviceArray<Key> in{std::span<const Key>(keys)}, out(keys.size());
    std::vector<Key> got(keys.size());
    sort.enqueue(in.data(), out.data(), keys.size());
    out.copy_to(got);
    const std::vector<std::size_t> order = stable_order(keys, options);
    expect_order(got, keys, order);
    sort.enqueue(in.data(), in.data(), keys.size());
    in.copy_to(got);
    expect_order(got, keys, order);
}

/// Keys and their indices, which the sort generates.
template <class Key, class Index>
void expect_indices(onesweep::SortPairs<Key, Index> sort, const std::vector<Key>& keys,
                    const SortOptions& options) {
    const std::size_t n = keys.size();
    const std::vector<std::size_t> order = stable_order(keys, options);
    for (const bool in_place : {false, true}) {
        SCOPED_TRACE(in_place ? "in place" : "not in place");
        simt::DeviceArray<Key> in{std::span<const Key>(keys)}, out(n);
        simt::DeviceArray<Index> indices(n);
        simt::DeviceArray<Key>& to = in_place ? in : out;
        sort.enqueue(in.data(), to.data(), indices.data(), n);
        std::vector<Key> got(n);
        std::vector<Index> got_indices(n);
        to.copy_to(got);
        indices.copy_to(got_indices);
        expect_order(got, keys, order);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got_indices[i], order[i]) << "index " << i;
    }
}

/// Any keys; few distinct keys, with one digit that differs, and with none; keys on both sides of
/// zero.
template <class Key>
std::vector<std::vector<Key>> key_sets(std::size_t n) {
    const auto& patterns = kPatterns<KeyBits<sizeof(Key)>>;
    std::vector<std::vector<Key>> sets;
    for (const int i : {0, 1, 2, 4}) sets.push_back(make_keys<Key>(patterns[i], n, n));
    return sets;
}

template <class Key>
class SortOptionsOf : public testing::Test {
  protected:
    static std::vector<std::size_t> sizes() { return without_too_large({1, 33, 700, 9'000}); }
};
using Keys = AllOrFirst<2, float, std::uint64_t, int, double>;
TYPED_TEST_SUITE(SortOptionsOf, Keys);

TYPED_TEST(SortOptionsOf, CanBeDescending) {
    const SortOptions options{.descending = true};
    for (const std::size_t n : this->sizes())
        for (const auto& keys : key_sets<TypeParam>(n)) {
            SCOPED_TRACE(n);
            using Hybrid = hybrid_radix::Sort<TypeParam>;
            expect_sorted(Hybrid(n, {}, options), keys, options);
            expect_sorted(Hybrid(n, {}, options, {0, 64}), keys, options);
            for (const onesweep::Thresholds& thresholds : kFewKeys) {
                expect_sorted(onesweep::Sort<TypeParam>(n, {}, options, thresholds), keys, options);
                expect_indices(onesweep::SortPairs<TypeParam, unsigned>(n, options, thresholds),
                               keys, options);
            }
        }
}

/// The bits of one digit, of parts of two digits, all except the lowest or the highest.
TYPED_TEST(SortOptionsOf, CanNameSomeBits) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    for (const auto& [begin, end] : {std::pair{0u, 1u},
                                     {3u, 7u},
                                     {5u, 19u},
                                     {0u, 16u},
                                     {1u, 0u},
                                     {kBits - 1, kBits},
                                     {0u, kBits - 1}})
        for (const bool is_descending : {false, true}) {
            const SortOptions options{
                .descending = is_descending, .begin_bit = begin, .end_bit = end};
            for (const std::size_t n : this->sizes()) {
                SCOPED_TRACE(testing::Message() << n << " keys, bits from " << begin << " to "
                                                << end << (is_descending ? ", descending" : ""));
                const auto keys =
                    make_keys<TypeParam>(kPatterns<KeyBits<sizeof(TypeParam)>>[0], n, n);
                for (const std::size_t clustered : {std::size_t{0}, n}) {
                    const onesweep::Thresholds thresholds{.clustered = clustered};
                    expect_sorted(onesweep::Sort<TypeParam>(n, {}, options, thresholds), keys,
                                  options);
                    expect_indices(
                        onesweep::SortPairs<TypeParam, std::uint64_t>(n, options, thresholds), keys,
                        options);
                }
                if (testing::Test::HasFatalFailure()) return;
            }
        }
}

/// Keys that differ, but in no compared bit, keep their order.
TYPED_TEST(SortOptionsOf, CanNameBitsThatAreTheSame) {
    using Bits = KeyBits<sizeof(TypeParam)>;
    const SortOptions options{.begin_bit = 8, .end_bit = 24};
    for (const std::size_t n : this->sizes()) {
        SCOPED_TRACE(n);
        std::mt19937 random(n);
        std::vector<TypeParam> keys(n);
        for (TypeParam& key : keys)
            key = std::bit_cast<TypeParam>(static_cast<Bits>(random() % 200));
        for (const std::size_t clustered : {std::size_t{0}, n}) {
            const onesweep::Thresholds thresholds{.clustered = clustered};
            expect_sorted(onesweep::Sort<TypeParam>(n, {}, options, thresholds), keys, options);
            expect_indices(onesweep::SortPairs<TypeParam, unsigned>(n, options, thresholds), keys,
                           options);
        }
    }
}

/// Blocks have one tile, or several. Keys that are equal in the compared bits keep their order.
TEST(SortOptionsOfManyKeys, CanNameSomeBits) {
    const SortOptions options{.begin_bit = 5, .end_bit = 23};
    for (const std::size_t n : without_too_large({keys_of_threads(11), keys_of_threads(50)}))
        for (const int pattern : {0, 2}) {
            SCOPED_TRACE(testing::Message() << kPatterns<unsigned>[pattern].name << ", " << n);
            const auto keys = make_keys<int>(kPatterns<unsigned>[pattern], n, n);
            expect_sorted(onesweep::Sort<int>(n, {}, options, {}), keys, options);
        }
}

TYPED_TEST(SortOptionsOf, CanHaveNoBitsThatThereAreNot) {
    constexpr unsigned kBits = 8 * sizeof(TypeParam);
    using Sort = onesweep::Sort<TypeParam>;
    using Pairs = onesweep::SortPairs<TypeParam, unsigned>;
    for (const auto& [begin, end] :
         {std::pair{3u, 3u}, {4u, 3u}, {kBits, 0u}, {0u, kBits + 1}, {kBits, kBits}, {~0u, 0u}}) {
        const SortOptions options{.begin_bit = begin, .end_bit = end};
        EXPECT_THROW(Sort(10, {}, options), std::invalid_argument) << begin << " to " << end;
        EXPECT_THROW(Pairs(10, options), std::invalid_argument) << begin << " to " << end;
    }
    using Hybrid = hybrid_radix::Sort<TypeParam>;
    EXPECT_THROW(Hybrid(10, {}, {.begin_bit = 1}), std::invalid_argument);
    EXPECT_THROW(Hybrid(10, {}, {.end_bit = kBits - 1}), std::invalid_argument);
    EXPECT_NO_THROW(Hybrid(10, {}, {.end_bit = kBits}));
}

/// A random call, determined by its number: the compared bits, and the arrays.
template <class Key>
struct RandomCall {
    using Bits = KeyBits<sizeof(Key)>;

    std::size_t n, capacity;
    std::vector<Bits> keys;
    bool is_descending, has_memory, has_size_on_device, makes_indices, has_small_thresholds;
    unsigned begin_bit = 0, end_bit = 0;
    InPlace in_place;
    std::size_t offset;

    explicit RandomCall(std::uint64_t number) {
        constexpr bool kIsGpu = simt::kBackend == simt::Backend::cuda;
        const double largest_log2 = (number % 8 == 0 ? 16 : 13) + (kIsGpu ? 6 : 0);
        std::mt19937_64 random(number);
        const auto coin = [&] { return random() % 2 == 0; };
        const double log2 = std::uniform_real_distribution<>(0, largest_log2)(random);
        n = at_most(static_cast<std::size_t>(std::exp2(log2)));
        capacity = n + (coin() ? random() % 1000 : 0);
        keys = make_keys<Bits>(kPatterns<Bits>[random() % std::size(kPatterns<Bits>)], n, random());
        // Some bits are often the same in all keys.
        const Bits differing = coin() ? ~Bits{0} : static_cast<Bits>(random() & random());
        for (Bits& key : keys) key &= differing;
        is_descending = coin(), has_memory = coin(), has_size_on_device = coin();
        makes_indices = coin(), has_small_thresholds = coin();
        if (coin()) {
            begin_bit = static_cast<unsigned>(random() % (8 * sizeof(Key)));
            end_bit =
                begin_bit + 1 + static_cast<unsigned>(random() % (8 * sizeof(Key) - begin_bit));
        }
        in_place = kInPlace[random() % std::size(kInPlace)];
        offset = random() % 4;
    }

    std::vector<Key> numbers() const {
        std::vector<Key> numbers(n);
        std::ranges::transform(keys, numbers.begin(),
                               [](Bits bits) { return std::bit_cast<Key>(bits); });
        return numbers;
    }
    /// The options for a sort that compares whole keys.
    SortOptions whole() const { return {.descending = is_descending}; }
    SortOptions some() const {
        return {.descending = is_descending, .begin_bit = begin_bit, .end_bit = end_bit};
    }
};

/// Makes a plan, in memory with old content or in its own memory, and passes it on.
template <class Sort, class Key, class Make, class F>
void with_plan(const RandomCall<Key>& call, SortOptions options, Make make, F f) {
    const std::size_t bytes = call.has_memory ? Sort::workspace_bytes(call.capacity) : 0;
    simt::DeviceArray<std::byte> memory(bytes);
    simt::fill_async(memory.data(), 0xCD, bytes);
    if (call.has_memory) options.memory = {memory.data(), bytes};
    Sort sort = make(options);
    f(sort);
}

template <class Key, class Sort>
void expect_keys(Sort& sort, const RandomCall<Key>& call, const SortOptions& options) {
    using Bits = KeyBits<sizeof(Key)>;
    GuardedArray<Bits> in(Place::device, call.n, call.offset + 1);
    GuardedArray<Bits> out(Place::device, call.n, call.offset);
    in.assign(call.keys);
    GuardedArray<Bits>& to = call.in_place.keys ? in : out;
    const auto enqueue = [&](auto n) {
        sort.enqueue(reinterpret_cast<const Key*>(in.data()), reinterpret_cast<Key*>(to.data()), n);
    };
    SizeWord size(call.n);
    if constexpr (requires(Key * keys) { sort.enqueue(keys, keys, size.get()); })
        call.has_size_on_device ? enqueue(size.get()) : enqueue(call.n);
    else
        enqueue(call.n);
    const std::vector<Bits> got = to.read();
    const std::vector<std::size_t> order = stable_order(call.numbers(), options);
    for (std::size_t i = 0; i < call.n; ++i) ASSERT_EQ(got[i], call.keys[order[i]]) << "key " << i;
    if (!call.in_place.keys) {
        EXPECT_EQ(in.read(), call.keys) << "the input";
    }
}

/// The value of a key is its index.
template <class Key, class Value, class Sort>
void expect_pairs(Sort& sort, const RandomCall<Key>& call, const SortOptions& options,
                  bool is_stable) {
    using Bits = KeyBits<sizeof(Key)>;
    const std::size_t n = call.n;
    GuardedArray<Bits> in(Place::device, n, call.offset + 1), out(Place::device, n, call.offset);
    GuardedArray<Value> values(Place::device, n, call.offset + 1);
    GuardedArray<Value> values_out(Place::device, n, call.offset);
    std::vector<Value> indices(n);
    std::iota(indices.begin(), indices.end(), Value{0});
    in.assign(call.keys);
    values.assign(indices);
    GuardedArray<Bits>& to = call.in_place.keys ? in : out;
    GuardedArray<Value>& values_to = call.in_place.values ? values : values_out;
    const auto enqueue = [&](auto size) {
        const Key* const from = reinterpret_cast<const Key*>(in.data());
        Key* const keys_to = reinterpret_cast<Key*>(to.data());
        if (call.makes_indices)
            sort.enqueue(from, keys_to, values_to.data(), size);
        else
            sort.enqueue(from, keys_to, values.data(), values_to.data(), size);
    };
    SizeWord size(n);
    if constexpr (requires { sort.enqueue(nullptr, nullptr, values.data(), size.get()); })
        call.has_size_on_device ? enqueue(size.get()) : enqueue(n);
    else
        enqueue(n);
    const std::vector<Bits> got = to.read();
    const std::vector<Value> got_values = values_to.read();
    const std::vector<std::size_t> order = stable_order(call.numbers(), options);
    std::vector<bool> is_there(n);
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(got[i], call.keys[order[i]]) << "key " << i;
        ASSERT_LT(got_values[i], n) << "value " << i;
        ASSERT_EQ(call.keys[got_values[i]], got[i]) << "value " << i;
        if (is_stable) {
            ASSERT_EQ(got_values[i], order[i]) << "value " << i;
        }
        ASSERT_FALSE(is_there[got_values[i]]) << "value " << i << " is that of another";
        is_there[got_values[i]] = true;
    }
}

TYPED_TEST(SortOptionsOf, CanBeCombined) {
    constexpr int kCalls = simt::kBackend == simt::Backend::cuda ? 400 : 40;
    for (int number = 0; number < rounds(kCalls); ++number) {
        const RandomCall<TypeParam> call(number);
        SCOPED_TRACE(testing::Message() << "call " << number << ", n = " << call.n);
        const SortOptions some = call.some(), whole = call.whole();
        const onesweep::Thresholds thresholds = kFewKeys[number % std::size(kFewKeys)];

        using Stable = onesweep::Sort<TypeParam>;
        with_plan<Stable>(
            call, some,
            [&](auto options) { return Stable(call.capacity, {}, options, thresholds); },
            [&](Stable& sort) { expect_keys(sort, call, some); });
        const auto expect_of_onesweep = [&]<class Value>(Value) {
            using Pairs = onesweep::SortPairs<TypeParam, Value>;
            with_plan<Pairs>(
                call, some, [&](auto options) { return Pairs(call.capacity, options, thresholds); },
                [&](Pairs& sort) { expect_pairs<TypeParam, Value>(sort, call, some, true); });
        };
        if (number % 2 == 0)
            expect_of_onesweep(unsigned{});
        else
            expect_of_onesweep(0ull);

        // The memory is for a plan with the default thresholds.
        const bool has_small_thresholds = call.has_small_thresholds && !call.has_memory;
        using Unstable = hybrid_radix::Sort<TypeParam>;
        with_plan<Unstable>(
            call, whole,
            [&](auto options) {
                return has_small_thresholds ? Unstable(call.capacity, {}, options, {0, 64})
                                            : Unstable(call.capacity, {}, options);
            },
            [&](Unstable& sort) { expect_keys(sort, call, whole); });
        if constexpr (hybrid_radix::SmallPair<TypeParam, unsigned>) {
            using Pairs = hybrid_radix::SortPairs<TypeParam, unsigned>;
            with_plan<Pairs>(
                call, whole,
                [&](auto options) {
                    return has_small_thresholds ? Pairs(call.capacity, options, {0, 64})
                                                : Pairs(call.capacity, options);
                },
                [&](Pairs& sort) { expect_pairs<TypeParam, unsigned>(sort, call, whole, false); });
        }
        if (testing::Test::HasFailure()) return;
    }
}

template <class Plan>
struct IndicesOfKeys : testing::Test {};
using PlansOfIndices =
    testing::Types<onesweep::SortPairs<int, unsigned>, hybrid_radix::SortPairs<int, unsigned>>;
TYPED_TEST_SUITE(IndicesOfKeys, PlansOfIndices);

TYPED_TEST(IndicesOfKeys, MustFitIntoTheirType) {
    constexpr std::size_t kMany = (std::size_t{1} << 32) + 1;
    // Such a small plan does not accept this many keys: the range of the values is checked first.
    TypeParam sort(10);
    try {
        sort.enqueue(nullptr, nullptr, static_cast<unsigned*>(nullptr), kMany);
        FAIL() << "it was not refused";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "4294967297 indices do not fit into values of 32 bits");
    }
    EXPECT_THROW(sort.enqueue(nullptr, nullptr, static_cast<unsigned*>(nullptr), 11),
                 std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction
