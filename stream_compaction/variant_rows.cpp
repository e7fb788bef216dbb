// The rows of variants, compiled once for each backend.
#include "simt/checked_size.h"
#include "simt/memory.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/counting.h"
#include "stream_compaction/cub.h"
#include "stream_compaction/cub_types.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/registry.h"
#include "stream_compaction/single_pass.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using single_pass::Max;
using single_pass::Min;
using single_pass::Plus;

// ---- Variants -----------------------------------------------------------------------------------

/// A name as a template argument.
template <std::size_t kSize>
struct Name {
    char text[kSize];
    constexpr Name(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
    constexpr std::string_view view() const { return {text, kSize - 1}; }
};

/// Reads and writes each element once.
template <class T>
std::size_t moved_once(std::size_t n, std::size_t) {
    return 2 * n * sizeof(T);
}
template <class T, bool kPartition>
std::size_t moved_by_compaction(std::size_t n, std::size_t count) {
    return (n + (kPartition ? n : count)) * sizeof(T);
}

template <class T>
consteval Element element() {
    if (std::is_same_v<T, std::uint8_t>) return Element::uint8;
    if (std::is_same_v<T, std::uint16_t>) return Element::uint16;
    if (std::is_same_v<T, std::int32_t>) return Element::int32;
    if (std::is_same_v<T, std::uint32_t>) return Element::uint32;
    if (std::is_same_v<T, std::int64_t>) return Element::int64;
    if (std::is_same_v<T, std::uint64_t>) return Element::uint64;
    if (std::is_same_v<T, float>) return Element::float32;
    if (std::is_same_v<T, double>) return Element::float64;
    if (std::is_same_v<T, Record<4>>) return Element::record16;
    if (std::is_same_v<T, Record<16>>) return Element::record64;
    throw "a type that is not an Element";
}

template <class Op>
consteval Combine combine() {
    if (std::is_same_v<Op, Plus>) return Combine::sum;
    if (std::is_same_v<Op, Max>) return Combine::maximum;
    if (std::is_same_v<Op, Min>) return Combine::minimum;
    throw "an operator that is not a Combine";
}

template <Name kName, class T, class Op, bool kInclusive = false>
constexpr Variant kScan = {.operation = Operation::scan,
                           .name = kName.view(),
                           .in_bytes = sizeof(T),
                           .out_bytes = sizeof(T),
                           .bytes_moved = moved_once<T>,
                           .element = element<T>(),
                           .combine = combine<Op>(),
                           .inclusive = kInclusive};

template <Name kName, class T, bool kPartition = false>
constexpr Variant kCompaction = {.operation = Operation::compact,
                                 .name = kName.view(),
                                 .in_bytes = sizeof(T),
                                 .out_bytes = (kPartition ? 2 : 1) * sizeof(T),
                                 .bytes_moved = moved_by_compaction<T, kPartition>,
                                 .element = element<T>(),
                                 .rejects_too = kPartition};

template <Name kName, class T>
constexpr Variant kSort = {.operation = Operation::sort,
                           .name = kName.view(),
                           .in_bytes = sizeof(T),
                           .out_bytes = sizeof(T),
                           .bytes_moved = sizeof(T) <= 2 ? moved_once<T> : nullptr,  // counting
                           .element = element<T>()};

template <Name kName, class T>
constexpr Variant kDescending = {.operation = Operation::sort,
                                 .name = kName.view(),
                                 .in_bytes = sizeof(T),
                                 .out_bytes = sizeof(T),
                                 .bytes_moved = nullptr,
                                 .element = element<T>(),
                                 .descending = true};

/// @tparam kBegin, kEnd range of compared bits; 0, 0: all bits
/// @tparam kInAnyOrder  whether equal keys may come in any order
template <Name kName, class Key, class Value, unsigned kBegin = 0, unsigned kEnd = 0,
          bool kInAnyOrder = false>
constexpr Variant kPairs = {.operation = Operation::sort,
                            .name = kName.view(),
                            .in_bytes = sizeof(Key) + sizeof(Value),
                            .out_bytes = sizeof(Key) + sizeof(Value),
                            .bytes_moved = nullptr,
                            .element = element<Key>(),
                            .value = element<Value>(),
                            .in_any_order = kInAnyOrder,
                            .begin_bit = kBegin,
                            .end_bit = kEnd};

template <Name kName, class Key, class Index>
constexpr Variant kArgsort = {.operation = Operation::sort,
                              .name = kName.view(),
                              .in_bytes = sizeof(Key),
                              .out_bytes = sizeof(Key) + sizeof(Index),
                              .bytes_moved = nullptr,
                              .element = element<Key>(),
                              .value = element<Index>(),
                              .value_is_index = true};

// ---- Rows ---------------------------------------------------------------------------------------

/// A module's plan for elements of type T, wrapped in the registry's interface.
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

/// Writes rejected elements to the second of two arrays.
struct Partition : BasicCompact<int, NonZero> {
    using BasicCompact::BasicCompact;
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream) {
        BasicCompact::enqueue(in, out, count, n, stream, out + n);
    }
};

/// A descending sort.
template <class P>
struct Descending : P {
    explicit Descending(std::size_t n) : P(n, {}, {.descending = true}) {}
};

/// A plan for pairs, as a plan for arrays of bytes.
template <class P, class Key, class Value, unsigned kBegin = 0, unsigned kEnd = 0>
class PairsPlan {
  public:
    explicit PairsPlan(std::size_t n) : plan_(n, {.begin_bit = kBegin, .end_bit = kEnd}) {}
    static std::size_t workspace_bytes(std::size_t n) { return P::workspace_bytes(n); }
    void enqueue(const std::byte* in, std::byte* out, std::size_t n, simt::stream_t stream) {
        using Both = Pairs<Key, Value>;
        plan_.enqueue(Both::keys(in, n), Both::keys(out, n), Both::values(in, n),
                      Both::values(out, n), n, stream);
    }

  private:
    P plan_;
};

/// A plan for keys and their indices, as a plan for arrays of bytes.
template <class P, class Key, class Index>
class ArgsortPlan {
  public:
    explicit ArgsortPlan(std::size_t n) : plan_(n) {}
    static std::size_t workspace_bytes(std::size_t n) { return P::workspace_bytes(n); }
    void enqueue(const std::byte* in, std::byte* out, std::size_t n, simt::stream_t stream) {
        using Both = Pairs<Key, Index>;
        plan_.enqueue(reinterpret_cast<const Key*>(in), Both::keys(out, n), Both::values(out, n), n,
                      stream);
    }

  private:
    P plan_;
};

template <class P>
concept Compacts = requires(P plan, const int* in, int* out, std::size_t* count) {
    plan.enqueue(in, out, count, DeviceSize{}, nullptr);
};

/// A plan that reads the number of elements on the device. The number there is initially the
/// capacity, which is what is measured. Another number is written first, byte by byte, so that a
/// graph can store it.
template <class P>
class DeviceSizePlan {
  public:
    explicit DeviceSizePlan(std::size_t n) : plan_(n), capacity_(n) {
        words_.copy_from(std::array{n, n});
    }
    static std::size_t workspace_bytes(std::size_t n) {
        return simt::checked_sum(P::workspace_bytes(n), 2 * sizeof(std::size_t));
    }
    void enqueue(const int* in, int* out, std::size_t n,
                 simt::stream_t stream) requires(!Compacts<P>) {
        plan_.enqueue(in, out, on_device(n, stream), stream);
    }
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream) requires Compacts<P> {
        plan_.enqueue(in, out, count, on_device(n, stream), stream);
    }

  private:
    DeviceSize on_device(std::size_t n, simt::stream_t stream) {
        require_capacity(capacity_, n);
        if (n == capacity_) return {words_.data()};
        std::size_t* const word = words_.data() + 1;
        for (std::size_t i = 0; i < sizeof n; ++i)
            simt::fill_async(reinterpret_cast<std::byte*>(word) + i,
                             static_cast<unsigned char>(n >> 8 * i), 1, stream);
        return {word};
    }

    P plan_;
    Capacity capacity_;
    simt::DeviceArray<std::size_t> words_{2};
};

constexpr std::string_view kOneLaunch = "one launch, every element read once";
template <Name kName, class T, class Op>
constexpr Algorithm kScanRow = row<BasicScan<T, Op>, T>("single_pass", kOneLaunch,
                                                        kScan<kName, T, Op>);
template <Name kName, class T>
constexpr Algorithm kCompactionRow = row<BasicCompact<T, IsNotZero>, T>("single_pass", kOneLaunch,
                                                                        kCompaction<kName, T>);
constexpr std::string_view kPartitions =
    "partitions keys until a single block can sort each bucket";
template <Name kName, class T>
constexpr Algorithm kSortRow = row<hybrid_radix::Sort<T>, T>("hybrid_radix", kPartitions,
                                                             kSort<kName, T>);
template <Name kName, class T>
constexpr Algorithm kDescendingRow =
    row<Descending<hybrid_radix::Sort<T>>, T>("hybrid_radix", kPartitions, kDescending<kName, T>);

template <Name kName, class Key, class Value>
constexpr Algorithm kUnstablePairsRow =
    row<PairsPlan<hybrid_radix::SortPairs<Key, Value>, Key, Value>, std::byte>(
        "hybrid_radix", kPartitions, kPairs<kName, Key, Value, 0, 0, true>);

template <Name kName, class T>
constexpr Algorithm kCountingRow = row<counting::Sort<T>, T>("counting",
                                                             "counts keys instead of moving them",
                                                             kSort<kName, T>);

constexpr std::string_view kPasses = "eight bits per pass, stable";
template <Name kName, class Key, class Value, unsigned kBegin = 0, unsigned kEnd = 0>
constexpr Algorithm kPairsRow =
    row<PairsPlan<onesweep::SortPairs<Key, Value>, Key, Value, kBegin, kEnd>, std::byte>(
        "onesweep", kPasses, kPairs<kName, Key, Value, kBegin, kEnd>);
template <Name kName, class Key, class Index>
constexpr Algorithm kArgsortRow = row<ArgsortPlan<onesweep::SortPairs<Key, Index>, Key, Index>,
                                      std::byte>("onesweep", kPasses, kArgsort<kName, Key, Index>);

#if !defined(SIMT_EMULATED)
constexpr std::string_view kCubText = "NVIDIA's CUB";
template <Name kName, class T, class Op>
constexpr Algorithm kCubScanRow = row<cub::ScanOf<T, Op>, T>("cub", kCubText, kScan<kName, T, Op>);
template <Name kName, class T>
constexpr Algorithm kCubCompactionRow = row<cub::CompactOf<T>, T>("cub", kCubText,
                                                                  kCompaction<kName, T>);
template <Name kName, class T>
constexpr Algorithm kCubSortRow = row<cub::SortOf<T>, T>("cub", kCubText, kSort<kName, T>);
template <Name kName, class T>
constexpr Algorithm kCubDescendingRow = row<cub::SortDescendingOf<T>, T>("cub", kCubText,
                                                                         kDescending<kName, T>);
template <Name kName, class Key, class Value, unsigned kBegin = 0, unsigned kEnd = 0>
constexpr Algorithm kCubPairsRow =
    row<PairsPlan<cub::SortPairsOf<Key, Value>, Key, Value, kBegin, kEnd>, std::byte>(
        "cub", kCubText, kPairs<kName, Key, Value, kBegin, kEnd>);
template <Name kName, class Key, class Value>
constexpr Algorithm kCubUnstablePairsRow =
    row<PairsPlan<cub::SortPairsOf<Key, Value>, Key, Value>, std::byte>(
        "cub", kCubText, kPairs<kName, Key, Value, 0, 0, true>);
template <Name kName, class Key, class Index>
constexpr Algorithm kCubArgsortRow = row<ArgsortPlan<cub::ArgsortOf<Key, Index>, Key, Index>,
                                         std::byte>("cub", kCubText, kArgsort<kName, Key, Index>);
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
    kUnstablePairsRow<"unstable_pairs", std::uint32_t, std::uint32_t>,
    kDescendingRow<"descending", float>,
    kPairsRow<"bits_8_to_24", std::uint32_t, std::uint32_t, 8, 24>,
    kArgsortRow<"argsort", std::uint32_t, std::uint32_t>,
    kCountingRow<"uint8", std::uint8_t>,
    kCountingRow<"uint16", std::uint16_t>,
    row<DeviceSizePlan<BasicScan<int>>, int>("single_pass", kOneLaunch,
                                             kScan<"n_on_device", int, Plus>),
    row<DeviceSizePlan<BasicCompact<int, NonZero>>, int>("single_pass", kOneLaunch,
                                                         kCompaction<"n_on_device", int>),
    row<DeviceSizePlan<onesweep::Sort<int>>, int>("onesweep", kPasses, kSort<"n_on_device", int>),
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
    kCubUnstablePairsRow<"unstable_pairs", std::uint32_t, std::uint32_t>,
    kCubDescendingRow<"descending", float>,
    kCubPairsRow<"bits_8_to_24", std::uint32_t, std::uint32_t, 8, 24>,
    kCubArgsortRow<"argsort", std::uint32_t, std::uint32_t>,
    kCubSortRow<"uint8", std::uint8_t>,
    kCubSortRow<"uint16", std::uint16_t>,
    // CUB needs n on the host.
    row<cub::Scan, int>("cub", kCubText, kScan<"n_on_device", int, Plus>),
    row<cub::Compact, int>("cub", kCubText, kCompaction<"n_on_device", int>),
    row<cub::Sort, int>("cub", kCubText, kSort<"n_on_device", int>),
#endif
};

}  // namespace

/// Declared where it is called, in variant_registry.cpp.
std::span<const Algorithm> variant_rows();

std::span<const Algorithm> variant_rows() { return kRows; }

}  // namespace stream_compaction::inline SIMT_BACKEND
