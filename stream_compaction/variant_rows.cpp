// The rows of variants, compiled once for each backend, and what is to come out of each.
#include "stream_compaction/cub_types.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/registry.h"
#include "stream_compaction/single_pass.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using single_pass::Max;
using single_pass::Min;
using single_pass::Plus;

// ---- Elements -----------------------------------------------------------------------------------

template <class T>
T element_of(int value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        return static_cast<T>(static_cast<std::uint64_t>(value) * 0x1'0000'0001);  // both halves
    else if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(value);
    else {
        T record{};
        unsigned factor = 1;
        for (unsigned& word : record.word)
            word = static_cast<unsigned>(value) * std::exchange(factor, factor + 2);
        return record;
    }
}

/// Of floating point -1, 0 or 1: so all sums are exact, and the same in any order.
template <class T, class Op>
T term_of(int value) {
    if constexpr (std::is_floating_point_v<T> && std::is_same_v<Op, Plus>)
        return static_cast<T>(value % 3 == 2 ? -1 : value % 3);
    else
        return element_of<T>(value);
}

template <auto kElementOf>
void store_elements(std::span<const int> source, std::byte* in) {
    auto* elements = reinterpret_cast<decltype(kElementOf(0))*>(in);
    for (const int value : source) *elements++ = kElementOf(value);
}

/// Bit by bit: a NaN is itself, and 0 is not -0.
template <class T>
bool is_same(const T& a, const T& b) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool is_unwritten(const std::byte* first, const std::byte* last) {
    for (; first != last; ++first)
        if (*first != kUnwritten) return false;
    return true;
}

template <class T>
std::string text_of(const T& element) {
    if constexpr (std::is_arithmetic_v<T>)
        return std::to_string(element);
    else
        return "a record of " + std::to_string(element.word[0]);
}

template <class T>
std::string difference(std::size_t i, const T& found, const T& expected) {
    return "element " + std::to_string(i) + " is " + text_of(found) + ", not " + text_of(expected);
}

/// Where the keys and the values of n pairs are.
template <class Key, class Value>
struct Pairs {
    static constexpr bool kValuesFirst = sizeof(Value) > sizeof(Key);

    template <class Byte>
    static auto* keys(Byte* pairs, std::size_t n) {
        using K = std::conditional_t<std::is_const_v<Byte>, const Key, Key>;
        return reinterpret_cast<K*>(pairs + (kValuesFirst ? n * sizeof(Value) : 0));
    }
    template <class Byte>
    static auto* values(Byte* pairs, std::size_t n) {
        using V = std::conditional_t<std::is_const_v<Byte>, const Value, Value>;
        return reinterpret_cast<V*>(pairs + (kValuesFirst ? 0 : n * sizeof(Key)));
    }
};

/// A value is its pair's place in the input.
template <class Key, class Value>
void store_pairs(std::span<const int> source, std::byte* in) {
    Key* const keys = Pairs<Key, Value>::keys(in, source.size());
    Value* const values = Pairs<Key, Value>::values(in, source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        keys[i] = element_of<Key>(source[i]);
        values[i] = static_cast<Value>(i);
    }
}

// ---- What is to come out ------------------------------------------------------------------------

template <class T, class Op>
constexpr T identity() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<Op, Plus>)
        return 0;
    else if constexpr (std::is_same_v<Op, Max>)
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    else
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T, class Op>
T combined(T a, T b) {
    if constexpr (std::is_same_v<Op, Max>)
        return a < b ? b : a;
    else if constexpr (std::is_same_v<Op, Min>)
        return b < a ? b : a;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}

template <class T, class Op, bool kInclusive>
std::optional<std::string> wrong_scan(const std::byte* in, const std::byte* out, std::size_t n,
                                      std::size_t) {
    const T* const terms = reinterpret_cast<const T*>(in);
    const T* const found = reinterpret_cast<const T*>(out);
    T before = identity<T, Op>();
    for (std::size_t i = 0; i < n; ++i) {
        const T up_to = combined<T, Op>(before, terms[i]);
        const T expected = kInclusive ? up_to : before;
        if (!is_same(found[i], expected)) return difference(i, found[i], expected);
        before = up_to;
    }
    return std::nullopt;
}

/// @tparam kPartition whether the rejected elements are in the second array
template <class T, bool kPartition>
std::optional<std::string> wrong_compaction(const std::byte* in, const std::byte* out,
                                            std::size_t n, std::size_t count) {
    const T* const elements = reinterpret_cast<const T*>(in);
    const T* const found = reinterpret_cast<const T*>(out);
    const T zero = element_of<T>(0);
    std::size_t kept = 0, rejected = n;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_kept = !is_same(elements[i], zero);
        if (!is_kept && !kPartition) continue;
        const std::size_t at = is_kept ? kept++ : rejected++;
        if (!is_same(found[at], elements[i])) return difference(at, found[at], elements[i]);
    }
    if (count != kept) return std::to_string(count) + " elements kept, not " + std::to_string(kept);
    const auto is_left_alone = [&](std::size_t first, std::size_t last) {
        return is_unwritten(out + first * sizeof(T), out + last * sizeof(T));
    };
    if (!is_left_alone(kept, n) || (kPartition && !is_left_alone(rejected, 2 * n)))
        return "something was written behind the kept or the rejected elements";
    return std::nullopt;
}

/// Two sums that tell multisets apart.
template <class T>
std::pair<std::uint64_t, std::uint64_t> fingerprint(const T* keys, std::size_t n) {
    std::uint64_t sum = 0, sum_of_products = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &keys[i], sizeof(T));
        sum += bits;
        sum_of_products += (bits ^ bits >> 29) * (bits | 1);
    }
    return {sum, sum_of_products};
}

template <class T>
std::optional<std::string> wrong_order(const T* keys, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i)
        if (keys[i] < keys[i - 1])
            return "element " + std::to_string(i) + " is " + text_of(keys[i]) + ", behind " +
                   text_of(keys[i - 1]);
    return std::nullopt;
}

template <class T>
std::optional<std::string> wrong_sort(const std::byte* in, const std::byte* out, std::size_t n,
                                      std::size_t) {
    const T* const found = reinterpret_cast<const T*>(out);
    if (auto wrong = wrong_order(found, n)) return wrong;
    if (fingerprint(reinterpret_cast<const T*>(in), n) != fingerprint(found, n))
        return "the keys are not those of the input";
    return std::nullopt;
}

/// Keys ascend, and of equal ones the places in the input: so every pair is there once.
template <class Key, class Value>
std::optional<std::string> wrong_pairs(const std::byte* in, const std::byte* out, std::size_t n,
                                       std::size_t) {
    const Key* const source = Pairs<Key, Value>::keys(in, n);
    const Key* const keys = Pairs<Key, Value>::keys(out, n);
    const Value* const values = Pairs<Key, Value>::values(out, n);
    if (auto wrong = wrong_order(keys, n)) return wrong;
    for (std::size_t i = 0; i < n; ++i) {
        if (values[i] >= n || !is_same(source[values[i]], keys[i]))
            return "the value of pair " + std::to_string(i) + " is " + text_of(values[i]) +
                   ", which is not its key's";
        if (i > 0 && keys[i] == keys[i - 1] && values[i] <= values[i - 1])
            return "pair " + std::to_string(i) + " is not in the order of the input";
    }
    return std::nullopt;
}

// ---- Variants -----------------------------------------------------------------------------------

/// A name as a template's argument.
template <std::size_t kSize>
struct Name {
    char text[kSize];
    constexpr Name(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
    constexpr std::string_view view() const { return {text, kSize - 1}; }
};

template <class T>
std::size_t moved_by_scan(std::size_t n, std::size_t) {
    return 2 * n * sizeof(T);
}
template <class T, bool kPartition>
std::size_t moved_by_compaction(std::size_t n, std::size_t count) {
    return (n + (kPartition ? n : count)) * sizeof(T);
}

template <Name kName, class T, class Op, bool kInclusive = false>
constexpr Variant kScan = {.operation = Operation::scan,
                           .name = kName.view(),
                           .in_bytes = sizeof(T),
                           .out_bytes = sizeof(T),
                           .bytes_moved = moved_by_scan<T>,
                           .store = store_elements<term_of<T, Op>>,
                           .what_is_wrong = wrong_scan<T, Op, kInclusive>};

template <Name kName, class T, bool kPartition = false>
constexpr Variant kCompaction = {.operation = Operation::compact,
                                 .name = kName.view(),
                                 .in_bytes = sizeof(T),
                                 .out_bytes = (kPartition ? 2 : 1) * sizeof(T),
                                 .bytes_moved = moved_by_compaction<T, kPartition>,
                                 .store = store_elements<element_of<T>>,
                                 .what_is_wrong = wrong_compaction<T, kPartition>};

template <Name kName, class T>
constexpr Variant kSort = {.operation = Operation::sort,
                           .name = kName.view(),
                           .in_bytes = sizeof(T),
                           .out_bytes = sizeof(T),
                           .bytes_moved = nullptr,
                           .store = store_elements<element_of<T>>,
                           .what_is_wrong = wrong_sort<T>};

template <Name kName, class Key, class Value>
constexpr Variant kPairs = {.operation = Operation::sort,
                            .name = kName.view(),
                            .in_bytes = sizeof(Key) + sizeof(Value),
                            .out_bytes = sizeof(Key) + sizeof(Value),
                            .bytes_moved = nullptr,
                            .store = store_pairs<Key, Value>,
                            .what_is_wrong = wrong_pairs<Key, Value>};

// ---- Rows ---------------------------------------------------------------------------------------

/// A module's plan for elements of type T behind the registry's interface.
template <class P, class T>
class ElementPlan final : public Plan {
  public:
    explicit ElementPlan(std::size_t n) : plan_(n) {}

    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t stream,
                 Stopwatch*) override {
        const T* const from = reinterpret_cast<const T*>(in);
        T* const to = reinterpret_cast<T*>(out);
        if constexpr (requires { plan_.enqueue(from, to, n, stream); })
            plan_.enqueue(from, to, n, stream);
        else
            plan_.enqueue(from, to, count, n, stream);
    }

  private:
    P plan_;
};

template <class P, class T>
std::unique_ptr<Plan> make(std::size_t n, const Tuning& tuning) {
    require({}, tuning);
    return std::make_unique<ElementPlan<P, T>>(n);
}

template <class P>
std::size_t workspace_bytes(std::size_t n, const Tuning&) {
    return P::workspace_bytes(n);
}

template <class P, class T>
constexpr Algorithm row(std::string_view name, std::string_view description,
                        const Variant& variant) {
    return {.operation = variant.operation,
            .name = name,
            .description = description,
            .runs_on = Place::device,
            .run = nullptr,
            .make_plan = make<P, T>,
            .workspace_bytes = workspace_bytes<P>,
            .variant = &variant};
}

using single_pass::BasicCompact;
using single_pass::BasicScan;
using single_pass::IsNotZero;
using single_pass::NonZero;

struct InclusiveScan : BasicScan<int> {
    explicit InclusiveScan(std::size_t n) : BasicScan(n, single_pass::ScanKind::inclusive) {}
};

/// Rejected elements go to the second of two arrays.
struct Partition : BasicCompact<int, NonZero> {
    using BasicCompact::BasicCompact;
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream) {
        BasicCompact::enqueue(in, out, count, n, stream, out + n);
    }
};

/// A plan for pairs as one for arrays of bytes.
template <class P, class Key, class Value>
class PairsPlan {
  public:
    explicit PairsPlan(std::size_t n) : plan_(n) {}
    static std::size_t workspace_bytes(std::size_t n) { return P::workspace_bytes(n); }
    void enqueue(const std::byte* in, std::byte* out, std::size_t n, simt::stream_t stream) {
        using Both = Pairs<Key, Value>;
        plan_.enqueue(Both::keys(in, n), Both::keys(out, n), Both::values(in, n),
                      Both::values(out, n), n, stream);
    }

  private:
    P plan_;
};

constexpr std::string_view kOneLaunch = "one launch, every element read once";
template <Name kName, class T, class Op>
constexpr Algorithm kScanRow = row<BasicScan<T, Op>, T>("single_pass", kOneLaunch,
                                                        kScan<kName, T, Op>);
template <Name kName, class T>
constexpr Algorithm kCompactionRow = row<BasicCompact<T, IsNotZero>, T>("single_pass", kOneLaunch,
                                                                        kCompaction<kName, T>);
template <Name kName, class T>
constexpr Algorithm kSortRow = row<hybrid_radix::Sort<T>, T>(
    "hybrid_radix", "partitions down to what a block sorts by itself", kSort<kName, T>);

template <Name kName, class Key, class Value>
constexpr Algorithm kPairsRow =
    row<PairsPlan<onesweep::SortPairs<Key, Value>, Key, Value>, std::byte>(
        "onesweep", "eight bits a pass, stable", kPairs<kName, Key, Value>);

#if !defined(SIMT_EMULATED)
constexpr std::string_view kCubText = "NVIDIA's CUB";
template <Name kName, class T, class Op>
constexpr Algorithm kCubScanRow = row<cub::ScanOf<T, Op>, T>("cub", kCubText, kScan<kName, T, Op>);
template <Name kName, class T>
constexpr Algorithm kCubCompactionRow = row<cub::CompactOf<T>, T>("cub", kCubText,
                                                                  kCompaction<kName, T>);
template <Name kName, class T>
constexpr Algorithm kCubSortRow = row<cub::SortOf<T>, T>("cub", kCubText, kSort<kName, T>);
template <Name kName, class Key, class Value>
constexpr Algorithm kCubPairsRow =
    row<PairsPlan<cub::SortPairsOf<Key, Value>, Key, Value>, std::byte>("cub", kCubText,
                                                                        kPairs<kName, Key, Value>);
#endif

constexpr Algorithm kRows[] = {
    row<InclusiveScan, int>("single_pass", kOneLaunch, kScan<"inclusive", int, Plus, true>),
    kScanRow<"uint32", std::uint32_t, Plus>,
    kScanRow<"int64", std::int64_t, Plus>,
    kScanRow<"uint64", std::uint64_t, Plus>,
    kScanRow<"float", float, Plus>,
    kScanRow<"double", double, Plus>,
    kScanRow<"max_int32", std::int32_t, Max>,
    kScanRow<"max_uint32", std::uint32_t, Max>,
    kScanRow<"max_int64", std::int64_t, Max>,
    kScanRow<"max_uint64", std::uint64_t, Max>,
    kScanRow<"max_float", float, Max>,
    kScanRow<"max_double", double, Max>,
    kScanRow<"min_int32", std::int32_t, Min>,
    kScanRow<"min_uint32", std::uint32_t, Min>,
    kScanRow<"min_int64", std::int64_t, Min>,
    kScanRow<"min_uint64", std::uint64_t, Min>,
    kScanRow<"min_float", float, Min>,
    kScanRow<"min_double", double, Min>,
    kCompactionRow<"int64", std::int64_t>,
    kCompactionRow<"double", double>,
    kCompactionRow<"record16", Record<4>>,
    kCompactionRow<"record64", Record<16>>,
    row<Partition, int>("single_pass", kOneLaunch, kCompaction<"partition", int, true>),
    kSortRow<"uint32", std::uint32_t>,
    kSortRow<"float", float>,
    kSortRow<"int64", std::int64_t>,
    kSortRow<"double", double>,
    kPairsRow<"pairs", std::uint32_t, std::uint32_t>,
    kPairsRow<"pairs64", std::uint32_t, std::uint64_t>,
#if !defined(SIMT_EMULATED)
    kCubScanRow<"int64", std::int64_t, Plus>,
    kCubScanRow<"double", double, Plus>,
    kCubScanRow<"max_int32", std::int32_t, Max>,
    kCubCompactionRow<"int64", std::int64_t>,
    kCubCompactionRow<"record16", Record<4>>,
    kCubCompactionRow<"record64", Record<16>>,
    kCubSortRow<"float", float>,
    kCubSortRow<"int64", std::int64_t>,
    kCubPairsRow<"pairs", std::uint32_t, std::uint32_t>,
    kCubPairsRow<"pairs64", std::uint32_t, std::uint64_t>,
#endif
};

}  // namespace

/// Declared where it is called, in rows.cpp.
std::span<const Algorithm> variant_rows();

std::span<const Algorithm> variant_rows() { return kRows; }

}  // namespace stream_compaction::inline SIMT_BACKEND
