// Hybrid radix sort: evenly distributed keys are partitioned by their most significant digits until
// each bin fits into one block's shared memory, and sorted there; keys with few distinct values are
// counted; all others are sorted by onesweep. The host chooses by n, the device by a sample and a
// histogram of the keys. Equal keys come in any order, and so do their values (SortPairs); for a
// stable sort, use onesweep.
//
// Sources: Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs", 2017;
// Adinets and Merrill, "Onesweep", 2022.
#pragma once

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/loan.h"
#include "stream_compaction/onesweep.h"

#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Thresholds between the ways of the sort. Tests make them small, so that few keys use every way.
struct Thresholds {
    std::size_t few;     ///< up to this many keys, onesweep sorts
    std::size_t bucket;  ///< keys of a bucket, which one block sorts: at least 2
    /// Up to this many keys are partitioned once, from registers, if the registers of all blocks
    /// together hold them.
    std::size_t in_registers = std::numeric_limits<std::size_t>::max();
    /// Up to this many skewed keys are sorted in the shared memory of one cluster of blocks, if it
    /// holds them: see onesweep::Thresholds.
    std::size_t clustered = 0;
};

/// The onesweep plan that sorts skewed keys.
template <class Bits, class Value>
using OnesweepOf = onesweep::BitsSort<Bits, Value>;

/// The part of Sort and SortPairs that does not depend on the types of keys and values.
template <class Bits, class Value>
class ItemsSort {
  public:
    ItemsSort(std::size_t n, KeyOrder order, const SortOptions& options, Thresholds thresholds);
    /// For the current device; without a device, for a GPU of compute capability 9.0 or 10.0.
    static Thresholds default_thresholds();
    static Thresholds default_thresholds(const simt::DeviceProperties& device);
    static std::size_t workspace_bytes(std::size_t n, Thresholds thresholds);
    /// @param values_in  null: the value of a key is its index
    void enqueue(const Bits* in, Bits* out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream);
    /// Keys alone.
    void enqueue(const Bits* in, Bits* out, std::size_t n,
                 simt::stream_t stream) requires std::is_same_v<Value, onesweep::NoValue> {
        enqueue(in, out, nullptr, nullptr, n, stream);
    }

  private:
    Capacity capacity_;
    KeyOrder order_;
    bool has_large_blocks_;  ///< which of two launch shapes the blocks have
    Thresholds thresholds_;
    simt::DeviceArray<std::byte> memory_;
    OnesweepOf<Bits, Value> onesweep_;
    unsigned blocks_in_registers_ = 0, blocks_on_grid_ = 0;  ///< that the device holds at once
};

template <class Bits>
using BitsSort = ItemsSort<Bits, onesweep::NoValue>;
using PairsSort = ItemsSort<unsigned, unsigned>;

/// Sort of device arrays of at most n keys. May work in place; other overlaps are refused.
template <Sortable Key>
class Sort {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    using Bits = KeyBits<sizeof(Key)>;

    /// Needs a second array of keys, and up to 6 MB (up to thresholds.few keys: as onesweep's
    /// plan).
    /// @throws std::invalid_argument for a tuning other than {}, a range of bits (which only a
    ///         stable sort can compare: onesweep.h), a bucket larger than a block sorts, and memory
    ///         that is too small, not aligned, or lent to another plan; simt::Error
    explicit Sort(std::size_t n, const Tuning& tuning = {}, const SortOptions& options = {},
                  Thresholds thresholds = default_thresholds())
        : loan_(options.memory, BitsSort<Bits>::workspace_bytes(n, thresholds)),
          sort_(n, order_of<Key>(options), options, thresholds) {
        require({}, tuning);
    }

    static Thresholds default_thresholds() { return BitsSort<Bits>::default_thresholds(); }

    /// For the current device; without a device, for a GPU of compute capability 9.0 or 10.0.
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {}) {
        return BitsSort<Bits>::workspace_bytes(n, default_thresholds());
    }
    /// For a device of which only three fields matter: shared_bytes_per_block, _per_multiprocessor
    /// and multiprocessors. Queries no device, and never decreases as n grows.
    static std::size_t workspace_bytes(std::size_t n, const simt::DeviceProperties& device) {
        return BitsSort<Bits>::workspace_bytes(n, BitsSort<Bits>::default_thresholds(device));
    }

    /// @throws std::invalid_argument if n exceeds the plan's capacity or arrays overlap,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr) {
        loan_.require_outside(n, in, out);
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), n, stream);
    }

  private:
    Loan loan_;
    BitsSort<Bits> sort_;
};

/// Keys of 32 bits with values of 32 bits.
template <class Key, class Value>
concept SmallPair = Sortable<Key> && sizeof(Key) == 4 && std::is_trivially_copyable_v<Value> &&
                    sizeof(Value) == 4;

/// Sort of device arrays of at most n keys, each with a value that is moved with it. Not stable:
/// equal keys, with their values, come in any order. Keys, values or both may be sorted in place;
/// other overlaps are refused.
template <class Key, class Value>
requires SmallPair<Key, Value>
class SortPairs {
  public:
    /// Needs two arrays of n pairs, 16 n bytes, and up to 6 MB (up to thresholds.few pairs: as
    /// onesweep's plan).
    /// @param thresholds  the default for a bucket is smaller than for keys alone
    /// @throws std::invalid_argument for a range of bits, a bucket larger than a block sorts, and
    ///         memory that is too small, not aligned, or lent to another plan; simt::Error
    explicit SortPairs(std::size_t n, const SortOptions& options = {},
                       Thresholds thresholds = default_thresholds())
        : loan_(options.memory, PairsSort::workspace_bytes(n, thresholds)),
          sort_(n, order_of<Key>(options), options, thresholds) {}

    static Thresholds default_thresholds() { return PairsSort::default_thresholds(); }

    /// See Sort's.
    static std::size_t workspace_bytes(std::size_t n) {
        return PairsSort::workspace_bytes(n, default_thresholds());
    }
    static std::size_t workspace_bytes(std::size_t n, const simt::DeviceProperties& device) {
        return PairsSort::workspace_bytes(n, PairsSort::default_thresholds(device));
    }

    /// @throws std::invalid_argument if n exceeds the plan's capacity or arrays overlap,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr) {
        loan_.require_outside(n, keys_in, keys_out, values_in, values_out);
        sort_.enqueue(reinterpret_cast<const unsigned*>(keys_in),
                      reinterpret_cast<unsigned*>(keys_out),
                      reinterpret_cast<const unsigned*>(values_in),
                      reinterpret_cast<unsigned*>(values_out), n, stream);
    }

    /// The value of a key is its index in the input (argsort).
    /// @throws std::invalid_argument if n exceeds the plan's capacity or the range of Value, or
    ///         arrays overlap; std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* keys_in, Key* keys_out, Value* indices_out, std::size_t n,
                 simt::stream_t stream = nullptr) requires std::unsigned_integral<Value> {
        require_indices_fit<Value>(n);
        enqueue(keys_in, keys_out, nullptr, indices_out, n, stream);
    }

  private:
    Loan loan_;
    PairsSort sort_;
};

/// From host array to host array; the time is that of the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
///         simt::Error
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
