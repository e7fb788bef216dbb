// Scan and stream compaction that read every element once and write every result once, in one
// launch. Every block processes a tile: it publishes the tile's aggregate, adds the aggregates of
// the tiles before it, and finishes the tile. single_pass/design.md explains why that is right.
//
// Sources: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016,
// for publishing and looking back; here tiles publish only aggregates, so no tile waits for a chain
// of prefixes. Smith, Levien and Owens, "Decoupled Fallback: A Portable Single-Pass GPU Scan",
// 2025, for the blocks of small arrays, which compute aggregates that other blocks have not
// published yet.
#pragma once

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/compiled.h"
#include "stream_compaction/device_size.h"
#include "stream_compaction/loan.h"
#include "stream_compaction/stopwatch.h"
#include "stream_compaction/variants.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

// Associative operators, each with an identity. Sums of integers wrap around. A sum with a NaN is
// NaN. Max and Min ignore NaN, as fmax and fmin do, but if there are only NaNs, the result is the
// identity. -0.0 and +0.0 compare equal, so Max and Min may return either.
struct Plus;
struct Max;
struct Min;

/// Keeps the integers that are not zero.
struct NonZero;
/// Keeps elements that differ from T{}, or records whose first word does.
struct IsNotZero;

/// Whether a plan accepts an n that only the device knows: sums of ints, and their compaction.
template <class T, class Function>
inline constexpr bool kHasDeviceSize = std::is_same_v<T, int> &&
                                       (std::is_same_v<Function, Plus> ||
                                        std::is_same_v<Function, NonZero>);

// Which plans the library has. Other element types, operators and predicates need its sources: your
// kernel source includes single_pass/scan.h or single_pass/compact.h and instantiates the plan.
// Before a plan is used, the compiler must have seen a declaration that it exists:
//
//     template <>
//     inline constexpr bool stream_compaction::single_pass::kHasScan<float, Product> = true;

template <class T, class Operator>
inline constexpr bool kHasScan =
    kIsOneOf<Operator, Plus, Max, Min>
        ? kIsOneOf<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>
        : false;
template <class T, class Predicate>
inline constexpr bool kHasCompact =
    std::is_same_v<Predicate, IsNotZero> ? kIsOneOf<T, std::int64_t, double, Record<4>, Record<16>>
    : std::is_same_v<Predicate, NonZero> ? std::is_same_v<T, int>
                                         : false;

/// Whether an element's own value is included in its result. The first exclusive result is the
/// identity: 0, or the type's lowest or highest value (an infinity for floating point).
enum class ScanKind { exclusive, inclusive };

/// How a kernel reads its input.
enum class Path {
    automatic,  ///< pipelined if that is possible and the array is large, else plain
    plain,      ///< loads to registers, on every GPU
    pipelined,  ///< bulk copies through shared memory, compute capability 9.0 or later; plain if an
                ///< array is not aligned to 16 bytes
};

/// The device memory of a plan: a word that assigns tiles to blocks, and words for the tiles'
/// aggregates. Every launch, even one that failed to start, leaves it ready for the next launch.
class Workspace {
  public:
    /// @param memory empty: the workspace allocates its own
    /// @throws std::invalid_argument if `memory` is too small or not aligned, simt::Error
    Workspace(std::size_t n, std::size_t element_bytes, std::size_t aggregate_bytes,
              std::span<std::byte> memory = {});
    static std::size_t bytes(std::size_t n, std::size_t element_bytes, std::size_t aggregate_bytes);

    const Capacity& capacity() const { return capacity_; }
    const Loan& loan() const { return loan_; }
    std::uint64_t* tickets() { return words_.data(); }
    std::uint64_t* aggregates() { return words_.data() + kWordsOfLine; }

    static constexpr std::size_t kWordsOfLine = 16;  ///< of tickets, which no block polls

  private:
    Capacity capacity_;
    Loan loan_;
    simt::DeviceArray<std::uint64_t> words_;
};

/// Scan of device arrays of at most n elements. May work in place; other overlaps are refused. Two
/// plans may run at once on two streams, but one plan runs one call at a time.
///
/// Compiled for integers of 4 or 8 bytes, float, double and Operator = Plus, Max, Min; kHasScan
/// explains how to add other types of 4 or 8 bytes. Your own operator must be a
/// default-constructible function object, associative, with an identity `template <class T> static
/// constexpr T kIdentity`. It need not be commutative: elements are combined in their order. A
/// commutative operator is faster if it declares `static constexpr bool kCommutes = true`.
///
/// Floating-point results depend on the order of summation. The order depends only on the model of
/// the GPU, n, the path, and whether the arrays are 16-byte aligned.
template <class T, class Operator = Plus>
class BasicScan {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "BasicScan: elements have 4 or 8 bytes");
    static_assert(kHasScan<T, Operator>,
                  "BasicScan is not compiled for this element type and operator; to add it, "
                  "include single_pass/scan.h in a kernel source, instantiate it there, and "
                  "declare kHasScan<T, Operator> as true: see single_pass.h");

  public:
    /// Allocates 8 bytes for every 2^15 bytes of input, at least 8 KB; twice as much for elements
    /// of 8 bytes.
    /// @param memory device memory of workspace_bytes(n) bytes or more, aligned to 256 bytes. The
    ///               plan owns its content, also between calls: nothing else may write there, and
    ///               no other plan may use any of it as long as the plan lives. Empty: the plan
    ///               allocates its own
    /// @throws std::invalid_argument if `path` is pipelined and the GPU has no bulk copies, and for
    ///         memory that is null with a size, too small, not aligned, or lent to another plan;
    ///         simt::Error
    explicit BasicScan(std::size_t n, ScanKind kind = ScanKind::exclusive,
                       Path path = Path::automatic, std::span<std::byte> memory = {});
    /// The same on every device. Queries no device, and never decreases as n grows.
    static std::size_t workspace_bytes(std::size_t n);

    /// @throws std::invalid_argument if n exceeds the plan's capacity or the arrays overlap,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const T* in, T* out, std::size_t n, simt::stream_t stream = nullptr);
    /// The same for an n that only the device knows, at most the plan's capacity. The launch is
    /// chosen by the capacity. Overlaps are not detected.
    /// @throws std::invalid_argument if DeviceSize::n is null, std::logic_error if the plan was
    ///         moved from, simt::Error
    void enqueue(const T* in, T* out, DeviceSize n,
                 simt::stream_t stream = nullptr) requires kHasDeviceSize<T, Operator>;

  private:
    ScanKind kind_;
    Path path_;
    simt::DeviceProperties device_;
    Workspace workspace_;
};

/// The same for another name of such a type, for example long long.
template <class T, class Operator>
requires(!std::is_same_v<T, Compiled<T>>) class BasicScan<T, Operator> {
    using As = Compiled<T>;

  public:
    explicit BasicScan(std::size_t n, ScanKind kind = ScanKind::exclusive,
                       Path path = Path::automatic, std::span<std::byte> memory = {})
        : scan_(n, kind, path, memory) {}
    static std::size_t workspace_bytes(std::size_t n) {
        return BasicScan<As, Operator>::workspace_bytes(n);
    }
    void enqueue(const T* in, T* out, std::size_t n, simt::stream_t stream = nullptr) {
        scan_.enqueue(reinterpret_cast<const As*>(in), reinterpret_cast<As*>(out), n, stream);
    }

  private:
    BasicScan<As, Operator> scan_;
};

/// Compaction of device arrays of at most n elements: keeps the elements for which `Predicate` (a
/// default-constructible function object, called twice per element) is true, in their order. May
/// work in place; other overlaps are refused.
///
/// Compiled for int and NonZero, and for signed integers of 8 bytes, double, Record<4>, Record<16>
/// (variants.h) and IsNotZero; kHasCompact explains how to add others: T must be trivially copyable
/// and have 4 to 64 bytes.
template <class T, class Predicate>
class BasicCompact {
    static_assert(sizeof(T) >= 4 && sizeof(T) <= 64, "BasicCompact: elements have 4 to 64 bytes");
    static_assert(kHasCompact<T, Predicate>,
                  "BasicCompact is not compiled for this element type and predicate; to add it, "
                  "include single_pass/compact.h in a kernel source, instantiate it there, and "
                  "declare kHasCompact<T, Predicate> as true: see single_pass.h");

  public:
    /// Allocates 8 bytes for every 2^15 bytes of input, at least 8 KB. Otherwise like BasicScan's;
    /// a pipelined path is also refused for elements of other sizes than 4, 8 or 16 bytes.
    explicit BasicCompact(std::size_t n, Path path = Path::automatic,
                          std::span<std::byte> memory = {});
    static std::size_t workspace_bytes(std::size_t n);

    /// @param count    device or pinned host memory for the number of kept elements, outside of
    ///                 the arrays, never null
    /// @param out      n elements, like `in`; only the first *count are written
    /// @param rejected receives the other elements, in their order. May be null. It must not
    ///                 overlap with `in` or `out`
    /// @throws std::invalid_argument if n exceeds the plan's capacity, the arrays overlap or
    ///         `count` is null, std::logic_error if the plan was moved from, simt::Error
    void enqueue(const T* in, T* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr, T* rejected = nullptr);
    /// Like BasicScan's; `count` must not be the word that n is read from.
    /// @throws std::invalid_argument if `count` is that word or null, std::logic_error, simt::Error
    void enqueue(const T* in, T* out, std::size_t* count, DeviceSize n,
                 simt::stream_t stream = nullptr) requires kHasDeviceSize<T, Predicate>;

  private:
    Path path_;
    simt::DeviceProperties device_;
    Workspace workspace_;
};

/// See BasicScan's.
template <class T, class Predicate>
requires(!std::is_same_v<T, Compiled<T>>) class BasicCompact<T, Predicate> {
    using As = Compiled<T>;

  public:
    explicit BasicCompact(std::size_t n, Path path = Path::automatic,
                          std::span<std::byte> memory = {})
        : compact_(n, path, memory) {}
    static std::size_t workspace_bytes(std::size_t n) {
        return BasicCompact<As, Predicate>::workspace_bytes(n);
    }
    void enqueue(const T* in, T* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr, T* rejected = nullptr) {
        compact_.enqueue(reinterpret_cast<const As*>(in), reinterpret_cast<As*>(out), count, n,
                         stream, reinterpret_cast<As*>(rejected));
    }

  private:
    BasicCompact<As, Predicate> compact_;
};

/// The exclusive sum of ints. There is nothing to tune: sizes depend on n and the device.
template <Path path = Path::automatic>
class Scan {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    explicit Scan(std::size_t n, const Tuning& tuning = {}, std::span<std::byte> memory = {})
        : scan_(n, ScanKind::exclusive, path, memory) {
        require({}, tuning);
    }
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {}) {
        return BasicScan<int>::workspace_bytes(n);
    }
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr) {
        scan_.enqueue(in, out, n, stream);
    }
    void enqueue(const int* in, int* out, DeviceSize n, simt::stream_t stream = nullptr) {
        scan_.enqueue(in, out, n, stream);
    }

  private:
    BasicScan<int> scan_;
};

/// The non-zero ints.
template <Path path = Path::automatic>
class Compact {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    explicit Compact(std::size_t n, const Tuning& tuning = {}, std::span<std::byte> memory = {})
        : compact_(n, path, memory) {
        require({}, tuning);
    }
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {}) {
        return BasicCompact<int, NonZero>::workspace_bytes(n);
    }
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr, Stopwatch* = nullptr) {
        compact_.enqueue(in, out, count, n, stream);
    }
    void enqueue(const int* in, int* out, std::size_t* count, DeviceSize n,
                 simt::stream_t stream = nullptr) {
        compact_.enqueue(in, out, count, n, stream);
    }

  private:
    BasicCompact<int, NonZero> compact_;
};

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
template <Path path = Path::automatic>
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});
template <Path path = Path::automatic>
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
