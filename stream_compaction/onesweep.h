// Radix sort by the least significant digit first, of keys alone or with values, stable: equal keys
// stay in their order. One launch; digits that are the same in all keys cost nothing. A few
// thousand keys are compared with each other instead.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/key_order.h"

#include <cstddef>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

struct NoValue {};  ///< for a sort of keys alone

/// So many keys at most are ranked, each by comparing it with all others, on the current device.
/// @throws simt::Error
std::size_t default_most_ranked();

/// What Sort and SortPairs do, without the types of keys and values.
template <class Bits, class ValueBits>
class BitsSort {
  public:
    BitsSort(std::size_t n, KeyOrder order, const SortOptions& options, std::size_t most_ranked);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Bits* in, Bits* out, const ValueBits* values_in, ValueBits* values_out,
                 std::size_t n, simt::stream_t stream);

  private:
    Capacity capacity_;
    KeyOrder order_;
    std::size_t most_ranked_;
    bool has_large_blocks_;  ///< which of two shapes its blocks have
    unsigned blocks_;
    simt::DeviceArray<Bits> spare_;
    simt::DeviceArray<ValueBits> spare_values_;
    simt::DeviceArray<std::byte> shared_;
};

/// Sort of device arrays of at most n keys. In place is fine.
template <Sortable Key>
class Sort {
  public:
    static constexpr PlanTraits kTraits{.in_place = true, .sort_passes = sizeof(Key)};

    using Bits = KeyBits<sizeof(Key)>;

    /// Takes a second array of keys, and up to 1 MB.
    /// @param most_ranked below 2^24; for tests
    /// @throws std::invalid_argument for a tuning other than {}, and for memory that is too small
    ///         or not aligned; simt::Error
    explicit Sort(std::size_t n, const Tuning& tuning = {}, const SortOptions& options = {},
                  std::size_t most_ranked = default_most_ranked())
        : sort_(n, kOrderOf<Key>, options, most_ranked) {
        require({}, tuning);
    }

    /// The same for every device. Asks none, and does not fall as n grows.
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {}) {
        return BitsSort<Bits, NoValue>::workspace_bytes(n);
    }

    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr) {
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), nullptr,
                      nullptr, n, stream);
    }

  private:
    BitsSort<Bits, NoValue> sort_;
};

/// Stable sort of device arrays of at most n keys, each with a value, of 4 or 8 bytes, that goes
/// where the key goes. In place is fine, for keys, for values and for both.
template <Sortable Key, class Value>
class SortPairs {
  public:
    static_assert(std::is_trivially_copyable_v<Value> &&
                  (sizeof(Value) == 4 || sizeof(Value) == 8));
    using Bits = KeyBits<sizeof(Key)>;
    using ValueBits = KeyBits<sizeof(Value)>;

    /// Takes a second array of keys and one of values, and up to 1 MB.
    /// @param most_ranked below 2^24; for tests
    /// @throws std::invalid_argument for memory that is too small or not aligned, simt::Error
    explicit SortPairs(std::size_t n, const SortOptions& options = {},
                       std::size_t most_ranked = default_most_ranked())
        : sort_(n, kOrderOf<Key>, options, most_ranked) {}

    /// As Sort's.
    static std::size_t workspace_bytes(std::size_t n) {
        return BitsSort<Bits, ValueBits>::workspace_bytes(n);
    }

    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr) {
        sort_.enqueue(reinterpret_cast<const Bits*>(keys_in), reinterpret_cast<Bits*>(keys_out),
                      reinterpret_cast<const ValueBits*>(values_in),
                      reinterpret_cast<ValueBits*>(values_out), n, stream);
    }

  private:
    BitsSort<Bits, ValueBits> sort_;
};

/// From host array to host array; the time is the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
