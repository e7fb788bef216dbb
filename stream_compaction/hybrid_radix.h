// Hybrid radix sort: keys are partitioned by their most significant digits, without keeping equal
// keys in order, until what is left of a bucket fits into one block's shared memory and is sorted
// there. Keys that are too uneven for digits are divided by splitters from a sample, and what
// equals a frequent splitter is counted and written, not moved; or, where few keys repeat, sorted
// by stable passes, by the lowest digits first: few of them by one cluster of blocks. How to go on
// is decided on the device, from a sample and from histograms. Pairs come in any order of equal
// keys (SortPairs), or in that of the input (StableSortPairs).
//
// Sources: Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs", 2017;
// Sanders and Winkel, "Super scalar sample sort", 2004; Axtmann, Witt, Ferizovic and Sanders,
// "In-place parallel super scalar samplesort (IPS4o)", 2017; Adinets and Merrill, "Onesweep", 2022.
#pragma once

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/algorithm.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/device_size.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/onesweep.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// What takes an n that only the device knows: keys of 32 bits.
template <class Key>
inline constexpr bool kHasDeviceSize = sizeof(Key) == 4;

/// How keys that are too uneven for digits are sorted.
enum class UnevenWay { sooner, splitters, passes };

/// Sizes at which the sort changes its ways. Tests make them small, so that few keys show all of
/// it.
struct Limits {
    std::size_t one_block;  ///< so many keys are sorted by a single block
    std::size_t bucket;  ///< so many keys of a bucket, two at least, are sorted by a single block
    /// Where more than one key in so many would have to be partitioned again, keys are uneven: they
    /// are not divided by digits at all. 1: never.
    unsigned uneven = 4;
    /// So many keys are partitioned once, from registers, as far as all blocks together hold them.
    std::size_t one_partition = std::numeric_limits<std::size_t>::max();
    /// So many keys are ranked, each by comparing it with all others, where they are not sorted in
    /// place.
    std::size_t ranked = 0;
    /// So many keys are sorted in the shared memory of one cluster of blocks if they are uneven, as
    /// far as that has room for them.
    std::size_t clustered = 0;
    /// What a sample of the keys lets expect to be sooner, or always the same way.
    UnevenWay uneven_way = UnevenWay::sooner;
};

/// Multiprocessors, and blocks that the device holds at once: of each way to sort, and in the
/// largest cluster. Beside it, they are in clusters, too.
struct ResidentBlocks {
    unsigned multiprocessors = 0;
    unsigned first_spread = 0;  ///< of placement.h, for the kernel that partitions once
    unsigned grid = 0, partition = 0, passes = 0, cluster = 0, beside_cluster = 0;
};

/// What Sort and SortPairs do, without the types of keys and values.
template <class Bits, class Value>
class ItemsSort {
  public:
    ItemsSort(std::size_t n, KeyOrder order, const SortOptions& options, Limits limits);
    /// For the current device; where there is none, for one with 160 KB of shared memory or more.
    static Limits default_limits();
    static Limits default_limits(const simt::DeviceProperties& device);
    static std::size_t workspace_bytes(std::size_t n, Limits limits);
    /// @param values_in nullptr: values are places, if there are any
    void enqueue(const Bits* in, Bits* out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream);
    /// Of keys alone.
    void enqueue(const Bits* in, Bits* out, std::size_t n,
                 simt::stream_t stream) requires std::is_same_v<Value, onesweep::NoValue> {
        enqueue(in, out, nullptr, nullptr, n, stream);
    }
    /// There is one of keys alone, of kHasDeviceSize<Bits>.
    void enqueue(const Bits* in, Bits* out, DeviceSize n, simt::stream_t stream);

  private:
    /// What is sorted: keys' bits, or a key and its value together.
    using Number =
        std::conditional_t<std::is_same_v<Value, onesweep::NoValue>, Bits, unsigned long long>;

    /// @param n the most that there can be, where `size` is on the device
    template <class Size>
    void run(const Bits* in, Bits* out, const Value* values_in, Value* values_out, std::size_t n,
             Size size, simt::stream_t stream);

    Capacity capacity_;
    KeyOrder order_;
    bool has_large_blocks_;  ///< which of two shapes its blocks have
    Limits limits_;
    ResidentBlocks resident_;
    simt::DeviceArray<Number> spare_;
    simt::DeviceArray<std::byte> lists_;
};

template <class Bits>
using BitsSort = ItemsSort<Bits, onesweep::NoValue>;
using PairsSort = ItemsSort<unsigned, unsigned>;

/// Sort of device arrays of at most n keys. In place is fine.
template <Sortable Key>
class Sort {
  public:
    static constexpr PlanTraits kTraits{.in_place = true};

    using Bits = KeyBits<sizeof(Key)>;

    /// Takes a second array of keys, and lists of up to four percent of its size, or 5 MB; of
    /// seven percent where a multiprocessor has less than 160 KB of shared memory. Of more than
    /// 2^31 keys, of seven or eleven percent.
    /// @throws std::invalid_argument for a tuning other than {}, some bits of a key (which takes a
    ///         stable sort: onesweep.h), limits beyond a block, and memory that is too small or not
    ///         aligned; simt::Error
    explicit Sort(std::size_t n, const Tuning& tuning = {}, const SortOptions& options = {},
                  Limits limits = default_limits())
        : sort_(n, order_of<Key>(options), options, limits) {
        require({}, tuning);
    }

    static Limits default_limits() { return BitsSort<Bits>::default_limits(); }

    /// For the current device; where there is none, for one with 160 KB of shared memory or more.
    static std::size_t workspace_bytes(std::size_t n, const Tuning& = {}) {
        return BitsSort<Bits>::workspace_bytes(n, default_limits());
    }
    /// For a device of which two fields count, shared_bytes_per_block and _per_multiprocessor. Asks
    /// none, and does not fall as n grows.
    static std::size_t workspace_bytes(std::size_t n, const simt::DeviceProperties& device) {
        return BitsSort<Bits>::workspace_bytes(n, BitsSort<Bits>::default_limits(device));
    }

    /// @throws std::invalid_argument where n is beyond the plan's, std::logic_error where the plan
    ///         was moved from, simt::Error
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr) {
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), n, stream);
    }
    /// The same for an n that the device knows, and that is at most the plan's capacity. Nothing
    /// behind it is read or written. The launch is the one that suits the capacity.
    /// @throws std::invalid_argument where the capacity is beyond 2^31, std::logic_error where the
    ///         plan was moved from, simt::Error
    void enqueue(const Key* in, Key* out, DeviceSize n,
                 simt::stream_t stream = nullptr) requires kHasDeviceSize<Key> {
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), n, stream);
    }

  private:
    BitsSort<Bits> sort_;
};

/// Keys of 32 bits that have values of 32 bits.
template <class Key, class Value>
concept SmallPair = Sortable<Key> && sizeof(Key) == 4 && std::is_trivially_copyable_v<Value> &&
                    sizeof(Value) == 4;

/// Sort of device arrays of at most n keys, each with a value that goes where the key goes. Not
/// stable: equal keys, with their values, come in any order. In place is fine, for keys, for values
/// and for both.
template <class Key, class Value>
requires SmallPair<Key, Value>
class SortPairs {
  public:
    /// Takes two arrays of n pairs, 16 n bytes, and lists as Sort does for 64-bit keys.
    /// @param limits those of a block are lower than Sort's
    /// @throws std::invalid_argument for more than 2^31 pairs, some bits of a key, limits beyond a
    ///         block, and memory that is too small or not aligned; simt::Error
    explicit SortPairs(std::size_t n, const SortOptions& options = {},
                       Limits limits = default_limits())
        : sort_(n, order_of<Key>(options), options, limits) {}

    static Limits default_limits() { return PairsSort::default_limits(); }

    /// As Sort's.
    static std::size_t workspace_bytes(std::size_t n) {
        return PairsSort::workspace_bytes(n, default_limits());
    }
    static std::size_t workspace_bytes(std::size_t n, const simt::DeviceProperties& device) {
        return PairsSort::workspace_bytes(n, PairsSort::default_limits(device));
    }

    /// @throws std::invalid_argument where n is beyond the plan's, std::logic_error where the plan
    ///         was moved from, simt::Error
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr) {
        sort_.enqueue(reinterpret_cast<const unsigned*>(keys_in),
                      reinterpret_cast<unsigned*>(keys_out),
                      reinterpret_cast<const unsigned*>(values_in),
                      reinterpret_cast<unsigned*>(values_out), n, stream);
    }

    /// Values are the keys' places in the input, from 0 (argsort). They are not read from anywhere.
    void enqueue(const Key* keys_in, Key* keys_out, Value* places_out, std::size_t n,
                 simt::stream_t stream = nullptr) requires std::unsigned_integral<Value> {
        enqueue(keys_in, keys_out, nullptr, places_out, n, stream);
    }

  private:
    PairsSort sort_;
};

/// Sizes at which the stable sort changes its ways. Tests make them small.
struct StableLimits {
    std::size_t few;     ///< so many pairs are sorted as by onesweep, whatever they are
    std::size_t bucket;  ///< so many pairs, two at least, are sorted by a single block
};

/// What StableSortPairs does, without the types of keys and values.
class StablePairsSort {
  public:
    StablePairsSort(std::size_t n, KeyOrder order, const SortOptions& options,
                    const StableLimits& limits);
    /// As PairsSort's.
    static StableLimits default_limits();
    static StableLimits default_limits(const simt::DeviceProperties& device);
    static std::size_t workspace_bytes(std::size_t n, const StableLimits& limits);
    /// @param values_in nullptr: values are places
    void enqueue(const unsigned* in, unsigned* out, const unsigned* values_in, unsigned* values_out,
                 std::size_t n, simt::stream_t stream);

  private:
    using OfFew = onesweep::BitsSort<unsigned, unsigned>;

    Capacity capacity_;
    KeyOrder order_;
    bool has_large_blocks_;  ///< which of two shapes its blocks have
    StableLimits limits_;
    OfFew of_few_;
    simt::DeviceArray<std::byte> of_many_;
    unsigned multiprocessors_ = 0;
    unsigned blocks_ = 0, blocks_of_passes_ = 0;  ///< that the device holds
};

/// Stable sort of device arrays of at most n keys, each with a value that goes where the key goes.
/// Where keys are evenly spread over their range, onesweep's passes sort by the highest bits alone,
/// and blocks by the others; else it is onesweep's sort. In place is fine, for keys, for values and
/// for both, but takes all passes.
template <class Key, class Value>
requires SmallPair<Key, Value>
class StableSortPairs {
  public:
    /// Takes a second array of keys and one of values, and up to 28 MB: mostly that of a plan for
    /// few.
    /// @throws std::invalid_argument for more than 2^31 pairs, some bits of a key, a bucket beyond
    ///         a block, and memory that is too small or not aligned; simt::Error
    explicit StableSortPairs(std::size_t n, const SortOptions& options = {},
                             const StableLimits& limits = default_limits())
        : sort_(n, order_of<Key>(options), options, limits) {}

    static StableLimits default_limits() { return StablePairsSort::default_limits(); }

    /// As Sort's.
    static std::size_t workspace_bytes(std::size_t n) {
        return StablePairsSort::workspace_bytes(n, default_limits());
    }
    static std::size_t workspace_bytes(std::size_t n, const simt::DeviceProperties& device) {
        return StablePairsSort::workspace_bytes(n, StablePairsSort::default_limits(device));
    }

    /// @throws std::invalid_argument where n is beyond the plan's, std::logic_error where the plan
    ///         was moved from, simt::Error
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr) {
        sort_.enqueue(reinterpret_cast<const unsigned*>(keys_in),
                      reinterpret_cast<unsigned*>(keys_out),
                      reinterpret_cast<const unsigned*>(values_in),
                      reinterpret_cast<unsigned*>(values_out), n, stream);
    }

    /// Values are the keys' places in the input, from 0 (argsort). They are not read from anywhere.
    void enqueue(const Key* keys_in, Key* keys_out, Value* places_out, std::size_t n,
                 simt::stream_t stream = nullptr) requires std::unsigned_integral<Value> {
        enqueue(keys_in, keys_out, nullptr, places_out, n, stream);
    }

  private:
    StablePairsSort sort_;
};

/// From host array to host array; the time is the device's work alone.
/// @throws std::invalid_argument for a tuning other than {}, and for an output that is too small;
/// simt::Error
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning = {});

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
