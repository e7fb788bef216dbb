// Least-significant-digit radix sort of keys, alone or with values. Stable: equal keys keep their
// order. It needs one launch, and a digit that is equal in all keys costs nothing. If the GPU has
// clusters of blocks, one cluster sorts up to 131,072 keys in its shared memory. A few thousand
// keys are compared with each other instead.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/device_size.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/loan.h"

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

struct NoValue {};  ///< for a sort of keys alone

/// Whether a plan accepts an n that only the device knows: 32-bit keys, alone or with 32-bit
/// values.
template <class Key, class Value = NoValue>
inline constexpr bool kHasDeviceSize = sizeof(Key) == 4 && sizeof(Value) <= 4;

/// How many of the lowest and of the highest bits of a key are not compared.
struct BitRange {
    unsigned low, high;

    constexpr bool is_whole() const { return low == 0 && high == 0; }
};

/// Thresholds between the strategies. Tests change them, so that few keys use every strategy.
struct Thresholds {
    /// Up to this many keys are ranked, each by comparing it with all others, if all bits are
    /// compared. Below 2^24.
    std::size_t ranked = 0;
    /// Up to this many keys are sorted in the shared memory of one cluster of blocks, if it holds
    /// them.
    std::size_t clustered = 0;
};

/// For the current device.
/// @throws simt::Error
Thresholds default_thresholds();

/// The part of Sort and SortPairs that does not depend on the types of keys and values.
template <class Bits, class ValueBits>
class BitsSort {
  public:
    BitsSort(std::size_t n, KeyOrder order, const SortOptions& options, Thresholds thresholds);
    static std::size_t workspace_bytes(std::size_t n);
    /// For hybrid_radix, whose plan shares its memory with a plan of onesweep: the size of the
    /// first part of the workspace, whose content must survive between calls. The rest, temporary
    /// arrays of keys and of values, may be used for anything else between two calls.
    static std::size_t bytes_before_spare(std::size_t n);
    /// @param values_in  null: the value of a key is its index
    void enqueue(const Bits* in, Bits* out, const ValueBits* values_in, ValueBits* values_out,
                 std::size_t n, simt::stream_t stream);
    /// Sorts if a word in device memory is not 0 when the launch starts; else nothing is written.
    void enqueue_if(const unsigned* wanted, const Bits* in, Bits* out, const ValueBits* values_in,
                    ValueBits* values_out, std::size_t n, simt::stream_t stream);
    void enqueue(const Bits* in, Bits* out, const ValueBits* values_in, ValueBits* values_out,
                 DeviceSize n, simt::stream_t stream) requires kHasDeviceSize<Bits, ValueBits>;

  private:
    /// @param n the largest possible size, if `size` is on the device
    template <class Size>
    void run(const Bits* in, Bits* out, const ValueBits* values_in, ValueBits* values_out,
             std::size_t n, Size size, const unsigned* wanted, simt::stream_t stream);

    Capacity capacity_;
    KeyOrder order_;
    BitRange compared_;
    Thresholds thresholds_;
    bool has_large_blocks_;  ///< which launch shapes its blocks have
    unsigned multiprocessors_ = 0;
    unsigned blocks_ = 0, largest_cluster_ = 0;  ///< that the device holds
    simt::DeviceArray<Bits> spare_;
    simt::DeviceArray<ValueBits> spare_values_;
    simt::DeviceArray<std::byte> shared_;
};

/// Sort of device arrays of at most n keys. May work in place; other overlaps are refused.
template <Sortable Key>
class Sort {
  public:
    static constexpr PlanTraits kTraits{.in_place = true, .sort_passes = sizeof(Key)};

    using Bits = KeyBits<sizeof(Key)>;

    /// Allocates a second array of keys, and up to 1.1 MB.
    /// @throws std::invalid_argument for a tuning other than {}, for an empty or invalid range of
    ///         bits, and for memory that is too small, not aligned, or lent to another plan;
    ///         simt::Error
    explicit Sort(std::size_t n, const Tuning& tuning = {}, const SortOptions& options = {},
                  Thresholds thresholds = default_thresholds())
        : loan_(options.memory, workspace_bytes(n)),
          sort_(n, order_of<Key>(options), options, thresholds) {
        require({}, tuning);
    }

    /// The same on every device. Queries no device, and never decreases as n grows.
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {}) {
        return BitsSort<Bits, NoValue>::workspace_bytes(n);
    }

    /// @throws std::invalid_argument if n exceeds the plan's capacity or arrays overlap,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr) {
        loan_.require_outside(n, in, out);
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), nullptr,
                      nullptr, n, stream);
    }
    /// The same for an n that only the device knows, at most the plan's capacity. Nothing beyond n
    /// is read or written. The launch is chosen by the capacity.
    /// @throws std::invalid_argument if the capacity exceeds 2^31 or DeviceSize::n is null,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* in, Key* out, DeviceSize n,
                 simt::stream_t stream = nullptr) requires kHasDeviceSize<Key> {
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), nullptr,
                      nullptr, n, stream);
    }

  private:
    Loan loan_;
    BitsSort<Bits, NoValue> sort_;
};

/// Stable sort of device arrays of at most n keys, each with a value of 4 or 8 bytes that is moved
/// with it. Keys, values or both may be sorted in place; other overlaps are refused.
template <Sortable Key, class Value>
class SortPairs {
  public:
    static_assert(std::is_trivially_copyable_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8),
                  "SortPairs: values are trivially copyable and have 4 or 8 bytes; to sort with "
                  "other values, sort with indices of 4 bytes (an enqueue without values_in), and "
                  "move the values to their places afterwards");
    using Bits = KeyBits<sizeof(Key)>;
    using ValueBits = KeyBits<sizeof(Value)>;

    /// Allocates a second array of keys and one of values, and up to 1.1 MB.
    /// @throws std::invalid_argument for an empty or invalid range of bits, and for memory that is
    ///         too small, not aligned, or lent to another plan; simt::Error
    explicit SortPairs(std::size_t n, const SortOptions& options = {},
                       Thresholds thresholds = default_thresholds())
        : loan_(options.memory, workspace_bytes(n)),
          sort_(n, order_of<Key>(options), options, thresholds) {}

    /// See Sort's.
    static std::size_t workspace_bytes(std::size_t n) {
        return BitsSort<Bits, ValueBits>::workspace_bytes(n);
    }

    /// @throws std::invalid_argument if n exceeds the plan's capacity or arrays overlap,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr) {
        loan_.require_outside(n, keys_in, keys_out, values_in, values_out);
        sort_.enqueue(reinterpret_cast<const Bits*>(keys_in), reinterpret_cast<Bits*>(keys_out),
                      reinterpret_cast<const ValueBits*>(values_in),
                      reinterpret_cast<ValueBits*>(values_out), n, stream);
    }
    /// See Sort's.
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 DeviceSize n,
                 simt::stream_t stream = nullptr) requires kHasDeviceSize<Key, Value> {
        sort_.enqueue(reinterpret_cast<const Bits*>(keys_in), reinterpret_cast<Bits*>(keys_out),
                      reinterpret_cast<const ValueBits*>(values_in),
                      reinterpret_cast<ValueBits*>(values_out), n, stream);
    }

    /// The value of a key is its index in the input, from 0 (argsort). No values are read.
    /// @throws std::invalid_argument if n exceeds the plan's capacity or the range of Value, or
    ///         arrays overlap; std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* keys_in, Key* keys_out, Value* indices_out, std::size_t n,
                 simt::stream_t stream = nullptr) requires std::unsigned_integral<Value> {
        require_indices_fit<Value>(n);
        enqueue(keys_in, keys_out, nullptr, indices_out, n, stream);
    }
    /// The same for an n that only the device knows; see Sort's.
    void enqueue(const Key* keys_in, Key* keys_out, Value* indices_out, DeviceSize n,
                 simt::stream_t stream = nullptr) requires std::unsigned_integral<Value> &&
        kHasDeviceSize<Key, Value> {
        enqueue(keys_in, keys_out, nullptr, indices_out, n, stream);
    }

  private:
    Loan loan_;
    BitsSort<Bits, ValueBits> sort_;
};

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
