// What single_pass offers beyond its rows: types, operators, predicates, partition, both paths; and
// what its protocol must stand: delays, other streams, other orders of blocks.
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/single_pass/compact.h"
#include "stream_compaction/single_pass/scan.h"
#include "tests/simt/schedules.h"
#include "tests/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {
namespace {

constexpr Path kPaths[] = {Path::plain, Path::pipelined};

/// The device, as far as the kernels were compiled for it.
simt::DeviceProperties device() { return device_for<ScanJob<int, Plus>>(); }

bool is_available(Path path) {
    return path != Path::pipelined || can_pipeline<ScanJob<int, Plus>>(device());
}

/// Around the tiles of both paths, and of several tiles.
std::vector<std::size_t> sizes(std::size_t element_bytes) {
    const std::size_t tile = 32 * 1024 / element_bytes;
    return without_too_large({0, 1, 2, 3, 31, 33, 127, 129, tile / 4, tile - 1, tile, tile + 1,
                              2 * tile + 5, 3 * tile, 5 * tile - 3, 9 * tile + 1});
}

/// An array on the device, between bytes that nobody may write.
template <class T>
class Guarded {
  public:
    explicit Guarded(std::size_t n, std::size_t offset = 0)
        : first_(kGuards + offset), n_(n), bytes_((first_ + n + kGuards) * sizeof(T), kGuard) {
        array_ = simt::DeviceArray<std::byte>(std::span<const std::byte>(bytes_));
    }
    Guarded(const std::vector<T>& values, std::size_t offset = 0) : Guarded(values.size(), offset) {
        std::ranges::copy(std::as_bytes(std::span(values)), bytes_.begin() + first_ * sizeof(T));
        array_.copy_from(bytes_);
    }

    T* data() { return reinterpret_cast<T*>(array_.data()) + first_; }

    /// The first n elements; all others must be as they were.
    std::vector<T> read(std::size_t n) const {
        std::vector<std::byte> now(bytes_.size());
        array_.copy_to(now);
        const std::size_t begin = first_ * sizeof(T), end = begin + n * sizeof(T);
        EXPECT_EQ(0, std::memcmp(now.data(), bytes_.data(), begin)) << "written before the array";
        EXPECT_EQ(0, std::memcmp(now.data() + end, bytes_.data() + end, now.size() - end))
            << "written behind " << n << " elements";
        std::vector<T> values(n);
        std::copy(now.begin() + begin, now.begin() + end,
                  std::as_writable_bytes(std::span(values)).begin());
        return values;
    }
    std::vector<T> read() const { return read(n_); }

  private:
    static constexpr std::size_t kGuards = 16;
    static constexpr std::byte kGuard{0xA5};

    std::size_t first_, n_;
    std::vector<std::byte> bytes_;
    simt::DeviceArray<std::byte> array_;
};

template <class T>
testing::AssertionResult same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size())
        return testing::AssertionFailure() << a.size() << " elements, not " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0)
            return testing::AssertionFailure() << "they differ from element " << i << " on";
    return testing::AssertionSuccess();
}

// ---- Scans of every type, with every operator ---------------------------------------------------

/// Any bits; for floating point small whole numbers, whose sums are exact in any order.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1) {
    std::mt19937_64 random(seed + n);
    std::vector<T> values(n);
    for (T& value : values)
        if constexpr (std::is_floating_point_v<T>)
            value = static_cast<T>(static_cast<int>(random() % 17) - 8);
        else
            value = static_cast<T>(random());
    return values;
}

struct HostPlus {
    template <class T>
    static T identity() {
        return 0;
    }
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else
            return a + b;
    }
};
struct HostMax {
    template <class T>
    static T identity() {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::min();
    }
    template <class T>
    static T apply(T a, T b) {
        return std::max(a, b);
    }
};
struct HostMin {
    template <class T>
    static T identity() {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    template <class T>
    static T apply(T a, T b) {
        return std::min(a, b);
    }
};

template <class T, class Operator>
std::vector<T> scanned(const std::vector<T>& in, ScanKind kind) {
    std::vector<T> out(in.size());
    T sum = Operator::template identity<T>();
    for (std::size_t i = 0; i < in.size(); ++i) {
        const T up_to = Operator::template apply<T>(sum, in[i]);
        out[i] = kind == ScanKind::inclusive ? up_to : sum;
        sum = up_to;
    }
    return out;
}

template <class T, class Device, class Host>
struct ScanCase {
    using Element = T;
    using DeviceOperator = Device;
    using HostOperator = Host;
};

template <class Case>
class TypedScan : public testing::Test {};

using ScanCases =
    testing::Types<ScanCase<std::int32_t, Plus, HostPlus>, ScanCase<std::int32_t, Max, HostMax>,
                   ScanCase<std::int32_t, Min, HostMin>, ScanCase<std::uint32_t, Plus, HostPlus>,
                   ScanCase<std::uint32_t, Max, HostMax>, ScanCase<std::uint32_t, Min, HostMin>,
                   ScanCase<std::int64_t, Plus, HostPlus>, ScanCase<std::int64_t, Max, HostMax>,
                   ScanCase<std::int64_t, Min, HostMin>, ScanCase<std::uint64_t, Plus, HostPlus>,
                   ScanCase<std::uint64_t, Max, HostMax>, ScanCase<std::uint64_t, Min, HostMin>,
                   ScanCase<float, Plus, HostPlus>, ScanCase<float, Max, HostMax>,
                   ScanCase<float, Min, HostMin>, ScanCase<double, Plus, HostPlus>,
                   ScanCase<double, Max, HostMax>, ScanCase<double, Min, HostMin>>;
TYPED_TEST_SUITE(TypedScan, ScanCases);

TYPED_TEST(TypedScan, AnswersAsTheReference) {
    using T = typename TypeParam::Element;
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        for (const ScanKind kind : {ScanKind::exclusive, ScanKind::inclusive})
            for (const std::size_t n : sizes(sizeof(T))) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path)
                                                << (kind == ScanKind::inclusive ? ", incl" : ""));
                const auto values = random_values<T>(n);
                Guarded<T> in(values), out(n);
                BasicScan<T, typename TypeParam::DeviceOperator> plan(n, kind, path);
                plan.enqueue(in.data(), out.data(), n);
                EXPECT_TRUE(same_bytes(out.read(),
                                       scanned<T, typename TypeParam::HostOperator>(values, kind)));
                EXPECT_TRUE(same_bytes(in.read(), values)) << "the input was written";
            }
    }
}

TYPED_TEST(TypedScan, WorksInPlaceAndAnywhere) {
    using T = typename TypeParam::Element;
    const std::size_t n = at_most(3 * 32 * 1024 / sizeof(T) + 7);
    const auto values = random_values<T>(n);
    const auto expected = scanned<T, typename TypeParam::HostOperator>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        BasicScan<T, typename TypeParam::DeviceOperator> plan(n, ScanKind::exclusive, path);
        for (std::size_t offset = 0; offset < 16 / sizeof(T); ++offset) {
            SCOPED_TRACE(testing::Message() << "offset " << offset << ", path " << int(path));
            Guarded<T> in_place(values, offset), in(values, offset), out(n, 1);
            plan.enqueue(in_place.data(), in_place.data(), n);
            plan.enqueue(in.data(), out.data(), n);
            EXPECT_TRUE(same_bytes(in_place.read(), expected));
            EXPECT_TRUE(same_bytes(out.read(), expected));
        }
    }
}

/// Floating point sums depend on the order, which must always be the same.
template <class T>
void expect_the_same_bits_in_every_run() {
    const std::size_t n = at_most(7 * 8192 + 11);
    std::mt19937 random(7);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> values(n);
    for (T& value : values) value = uniform(random);
    std::vector<double> exact(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        exact[i] = sum;
        sum += static_cast<double>(values[i]);
    }
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        BasicScan<T> plan(n, ScanKind::exclusive, path);
        std::vector<T> first;
        simt::test::under_every_schedule([&] {
            for (int run = 0; run < 3; ++run) {
                Guarded<T> in(values), out(n);
                plan.enqueue(in.data(), out.data(), n);
                const std::vector<T> result = out.read();
                if (first.empty()) first = result;
                ASSERT_TRUE(same_bytes(result, first));
            }
        });
        // An error of half a unit in the last place for each of the additions of a path.
        const double bound =
            64 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<T>::epsilon();
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_NEAR(static_cast<double>(first[i]), exact[i], bound) << "element " << i;
    }
}

TEST(FloatScan, GivesTheSameBitsInEveryRun) {
    expect_the_same_bits_in_every_run<float>();
    expect_the_same_bits_in_every_run<double>();
}

// ---- Compaction of every type -------------------------------------------------------------------

template <int kWords>
struct Record {
    std::uint32_t word[kWords];

    __host__ __device__ std::uint32_t first() const { return word[0]; }
    __host__ __device__ std::uint32_t last() const { return word[kWords - 1]; }
};

struct IsOdd {
    template <class T>
    __host__ __device__ bool operator()(const T& element) const {
        if constexpr (std::is_integral_v<T>)
            return element % 2 != 0;
        else if constexpr (std::is_floating_point_v<T>)
            return element > 0;
        else
            return (element.first() ^ element.last()) % 2 != 0;
    }
};

template <class T>
std::vector<T> random_elements(std::size_t n) {
    if constexpr (std::is_arithmetic_v<T>) {
        return random_values<T>(n);
    } else {
        std::mt19937 random(static_cast<unsigned>(n));
        std::vector<T> elements(n);
        for (T& element : elements)
            for (auto& word : element.word) word = random();
        return elements;
    }
}

template <class T>
class TypedCompact : public testing::Test {
  protected:
    struct Lists {
        std::vector<T> kept, rejected;
    };
    static Lists split(const std::vector<T>& elements) {
        Lists lists;
        for (const T& element : elements)
            (IsOdd()(element) ? lists.kept : lists.rejected).push_back(element);
        return lists;
    }
    static std::size_t read(const simt::DeviceArray<std::size_t>& count) {
        std::size_t value = 0;
        count.copy_to(std::span(&value, 1));
        return value;
    }
    static bool takes(Path path) {
        return is_available(path) && (path == Path::plain || kFillsVectors<T>);
    }
};

/// Of every size and alignment: with vectors of four, two and one elements, and without.
using CompactTypes = testing::Types<std::int32_t, std::uint64_t, float, double, Record<2>,
                                    Record<3>, Record<4>, Record<10>, Record<16>>;
TYPED_TEST_SUITE(TypedCompact, CompactTypes);

TYPED_TEST(TypedCompact, AnswersAsTheReference) {
    using T = TypeParam;
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<T>(n);
            const auto lists = this->split(elements);
            Guarded<T> in(elements), out(n);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<T, IsOdd> plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            ASSERT_EQ(this->read(count), lists.kept.size());
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(in.read(), elements)) << "the input was written";
        }
    }
}

struct IsNotOdd {
    template <class T>
    __host__ __device__ bool operator()(const T& element) const {
        return !IsOdd()(element);
    }
};

/// The last tile is filled up with zeros, which this predicate would keep.
TEST(Compact, KeepsNothingBehindTheLastElement) {
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        for (const std::size_t n : sizes(sizeof(int))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<int>(n);
            std::vector<int> expected = elements;
            std::erase_if(expected, IsOdd());
            Guarded<int> in(elements), out(n);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<int, IsNotOdd> plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            std::size_t kept = 0;
            count.copy_to(std::span(&kept, 1));
            ASSERT_EQ(kept, expected.size());
            EXPECT_TRUE(same_bytes(out.read(kept), expected));
        }
    }
}

TYPED_TEST(TypedCompact, GivesTheRejectedElementsToo) {
    using T = TypeParam;
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<T>(n);
            const auto lists = this->split(elements);
            Guarded<T> in(elements), out(n, 1), rejected(n, 2);
            simt::DeviceArray<std::size_t> count(1);
            BasicCompact<T, IsOdd> plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n, nullptr, rejected.data());
            ASSERT_EQ(this->read(count), lists.kept.size());
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(rejected.read(lists.rejected.size()), lists.rejected));
        }
    }
}

TYPED_TEST(TypedCompact, WorksInPlaceAndAnywhere) {
    using T = TypeParam;
    const std::size_t n = at_most(3 * 32 * 1024 / sizeof(T) + 7);
    const auto elements = random_elements<T>(n);
    const auto lists = this->split(elements);
    std::vector<T> in_place_result = elements;
    std::copy(lists.kept.begin(), lists.kept.end(), in_place_result.begin());
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        BasicCompact<T, IsOdd> plan(n, path);
        simt::DeviceArray<std::size_t> count(1);
        for (std::size_t offset = 0; offset < 4; ++offset) {
            SCOPED_TRACE(testing::Message() << "offset " << offset << ", path " << int(path));
            Guarded<T> in_place(elements, offset), in(elements, 3 - offset), out(n, offset);
            plan.enqueue(in_place.data(), in_place.data(), count.data(), n);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            EXPECT_TRUE(same_bytes(in_place.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
        }
    }
}

// ---- The protocol -------------------------------------------------------------------------------

/// Keeps a warp busy for a time that depends on the tile and the round alone.
__device__ void delay(std::size_t first, unsigned round) {
    unsigned x = static_cast<unsigned>(first / 1024) * 2654435761u ^ round * 0x9E3779B9u;
    x ^= x >> 16, x *= 0x7FEB352Du, x ^= x >> 15;
    for (unsigned turns = x % 8 == 0 ? x / 8 % 64 : 0; turns > 0; --turns) simt::relax();
}

struct DelayedScan : ScanJob<int, Plus> {
    unsigned round;

    template <bool kWhole, int kRows>
    __device__ int reduce(const Vector<int> (&rows)[kRows], std::size_t first,
                          const Extent& extent) const {
        delay(first, round);
        return ScanJob::reduce<kWhole>(rows, first, extent);
    }
};

struct DelayedCompact : CompactJob<int, NonZero, false> {
    unsigned round;

    template <bool kWhole, int kRows>
    __device__ unsigned reduce(const Vector<int> (&rows)[kRows], std::size_t first,
                               const Extent& extent) const {
        delay(first, round);
        return CompactJob::reduce<kWhole>(rows, first, extent);
    }
};

__global__ void count_differences(const int* a, const int* b, std::size_t n, unsigned* count) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
        if (a[i] != b[i]) atomicAdd(count, 1u);
}

/// How often each of five sizes is repeated; STREAM_COMPACTION_TEST_REPEATS asks for more.
unsigned repeats() {
    const char* const text = std::getenv("STREAM_COMPACTION_TEST_REPEATS");
    if (text != nullptr) return static_cast<unsigned>(std::stoul(text));
    return simt::kBackend == simt::Backend::cuda ? 200 : 2;
}

/// Two streams at once, each with its own plan, whose blocks are delayed at random.
TEST(SinglePassProtocol, StandsDelaysAndAnotherStream) {
    const std::size_t unit = simt::kBackend == simt::Backend::cuda ? 1 << 18 : 1 << 13;
    for (const std::size_t n :
         without_too_large({unit / 4 + 1, unit, 3 * unit + 7, 6 * unit - 3, 9 * unit})) {
        const auto values = random_values<int>(n);
        std::vector<int> compacted;
        for (const int value : values)
            if (value % 2 != 0) compacted.push_back(value);
        std::vector<int> with_zeros = values;
        for (int& value : with_zeros)
            if (value % 2 == 0) value = 0;

        Guarded<int> in(values), sparse(with_zeros), sums(n), kept(n);
        Guarded<int> expected_sums(scanned<int, HostPlus>(values, ScanKind::exclusive));
        Guarded<int> expected_kept(compacted);
        simt::DeviceArray<unsigned> wrong(std::span<const unsigned>(std::vector<unsigned>(1)));
        simt::DeviceArray<std::size_t> count(1);
        const simt::Stream streams[2];
        for (const Path path : kPaths) {
            if (!is_available(path)) continue;
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            Workspace workspaces[2] = {{n, 4, 4}, {n, 4, 4}};
            for (unsigned round = 0; round < repeats(); ++round) {
                DelayedScan scan{{in.data(), sums.data(), false}, round};
                enqueue(scan, n, path, device(), workspaces[0], streams[0].get());
                simt::launch(count_differences, {64, 256, 0, streams[0].get()}, sums.data(),
                             expected_sums.data(), n, wrong.data());
                DelayedCompact compact{{sparse.data(), kept.data(), nullptr, count.data()}, round};
                enqueue(compact, n, path, device(), workspaces[1], streams[1].get());
                simt::launch(count_differences, {64, 256, 0, streams[1].get()}, kept.data(),
                             expected_kept.data(), compacted.size(), wrong.data());
            }
            for (const auto& stream : streams) stream.synchronize();
            unsigned differences = 1;
            wrong.copy_to(std::span(&differences, 1));
            EXPECT_EQ(differences, 0u);
            std::size_t kept_count = 0;
            count.copy_to(std::span(&kept_count, 1));
            EXPECT_EQ(kept_count, compacted.size());
        }
    }
}

TEST(SinglePassProtocol, StandsEveryOrderOfBlocks) {
    const std::size_t n = at_most(6 * 8192 + 5);
    const auto values = random_values<int>(n);
    const auto expected = scanned<int, HostPlus>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        simt::test::under_every_schedule([&] {
            BasicScan<int> plan(n, ScanKind::exclusive, path);
            Guarded<int> in(values), out(n);
            for (int run = 0; run < 2; ++run) plan.enqueue(in.data(), out.data(), n);
            EXPECT_TRUE(same_bytes(out.read(), expected));
        });
    }
}

TEST(SinglePassProtocol, ReplaysFromAGraphBetweenOtherSizes) {
    const std::size_t n = at_most(4 * 8192 + 1), smaller = n / 3;
    const auto values = random_values<int>(n);
    const auto expected = scanned<int, HostPlus>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        BasicScan<int> plan(n, ScanKind::exclusive, path);
        Guarded<int> in(values), out(n), out_of_smaller(n);
        const simt::Graph graph(
            [&](simt::stream_t stream) { plan.enqueue(in.data(), out.data(), n, stream); });
        const simt::Stream stream;
        for (int run = 0; run < 3; ++run) {
            graph.launch(stream.get());
            plan.enqueue(in.data(), out_of_smaller.data(), smaller, stream.get());
        }
        stream.synchronize();
        EXPECT_TRUE(same_bytes(out.read(), expected));
        EXPECT_TRUE(same_bytes(out_of_smaller.read(smaller),
                               {expected.begin(), expected.begin() + smaller}));
    }
}

/// So many tiles that each block takes several, one warp looks back, and groups of tiles fill up.
TEST(SinglePassProtocol, GivesABlockManyTiles) {
    constexpr std::size_t kTile = std::size_t{24} * 3 * 128, kTilesOfBlock = 10, kTiles = 70;
    const auto blocks = static_cast<std::size_t>(device().multiprocessors);
    const std::size_t n = std::max(kTilesOfBlock * blocks, kTiles) * kTile + 5;
    if (n > largest_size()) GTEST_SKIP() << "larger than STREAM_COMPACTION_TEST_LARGEST";
    std::vector<int> values = random_values<int>(n), kept;
    for (int& value : values) value = value % 2 == 0 ? 0 : value;
    std::ranges::copy_if(values, std::back_inserter(kept), [](int value) { return value != 0; });
    const auto sums = scanned<int, HostPlus>(values, ScanKind::exclusive);
    for (const Path path : kPaths) {
        if (!is_available(path)) continue;
        SCOPED_TRACE(testing::Message() << "path " << int(path));
        BasicScan<int> scan(n, ScanKind::exclusive, path);
        BasicCompact<int, NonZero> compact(n, path);
        for (int run = 0; run < 2; ++run) {
            Guarded<int> in(values), scanned_to(n), compacted_to(n);
            simt::DeviceArray<std::size_t> count(1);
            scan.enqueue(in.data(), scanned_to.data(), n);
            EXPECT_TRUE(same_bytes(scanned_to.read(), sums));
            compact.enqueue(in.data(), compacted_to.data(), count.data(), n);
            std::size_t found = 0;
            count.copy_to(std::span(&found, 1));
            ASSERT_EQ(found, kept.size());
            EXPECT_TRUE(same_bytes(compacted_to.read(found), kept));
        }
    }
}

/// Kernels of one stream may start early, but not read or write early.
TEST(SinglePassProtocol, CallsOfOneStreamSeeWhatTheCallsBeforeWrote) {
    constexpr int kCalls = 20;
    const unsigned scale = simt::kBackend == simt::Backend::cuda ? 64 : 1;
    for (const std::size_t n : without_too_large({1000, 5000, 40'001, scale * 30'000 + 5})) {
        std::vector<int> expected(n, 1);
        for (int call = 0; call < kCalls; ++call)
            expected = scanned<int, HostPlus>(expected, ScanKind::inclusive);
        for (const Path path : kPaths) {
            if (!is_available(path)) continue;
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            BasicScan<int> first(n, ScanKind::inclusive, path),
                second(n, ScanKind::inclusive, path);
            Guarded<int> a(std::vector<int>(n, 1)), b(n);
            const simt::Stream stream;
            for (int call = 0; call < kCalls; call += 2) {
                first.enqueue(a.data(), b.data(), n, stream.get());
                second.enqueue(b.data(), a.data(), n, stream.get());
            }
            stream.synchronize();
            EXPECT_TRUE(same_bytes(a.read(), expected));
        }
    }
}

TEST(SinglePassPlan, RefusesALargerSize) {
    BasicScan<int> scan(100);
    BasicCompact<int, NonZero> compact(100);
    simt::DeviceArray<int> in(101), out(101);
    simt::DeviceArray<std::size_t> count(1);
    EXPECT_THROW(scan.enqueue(in.data(), out.data(), 101), std::invalid_argument);
    EXPECT_THROW(compact.enqueue(in.data(), out.data(), count.data(), 101), std::invalid_argument);
}

TEST(SinglePassPlan, RefusesAPipelineForElementsThatDoNotFillVectors) {
    using Odd = BasicCompact<Record<3>, IsOdd>;
    EXPECT_THROW(Odd(100, Path::pipelined), std::invalid_argument);
}

TEST(SinglePassPlan, IsUsableAfterALaunchThatFailed) {
    const std::size_t n = at_most(20'000);
    const auto values = random_values<int>(n);
    BasicScan<int> plan(n);
    Guarded<int> in(values), out(n);
    {
        Workspace workspace(n, 4, 4);
        // A grid that no device has: the launch is refused, and nothing has been drawn.
        const ScanJob<int, Plus> job{in.data(), out.data(), false};
        EXPECT_THROW(simt::launch(plain<ScanJob<int, Plus>, 8>, {0, 512, 0},
                                  make_launch(job, n, 8192, 0, workspace), true),
                     simt::Error);
        enqueue(job, n, Path::automatic, device(), workspace, nullptr);
        EXPECT_TRUE(same_bytes(out.read(), scanned<int, HostPlus>(values, ScanKind::exclusive)));
    }
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
