// Sort of keys of 8 or 16 bits: they are counted, and not moved. Each value is written as often as
// it occurs, so a sort reads its input once and writes its output once: 2 n or 4 n bytes.
//
// A block counts in shared memory: of 8 bits each lane has counters of its own, so that equal keys
// do not wait for each other; of 16 bits two counters share a word, and where the memory of a
// multiprocessor is too small for 65,536 of them, blocks divide the values among them and read the
// keys two or four times.
//
// The output is filled in parts, whichever keys they have. Where few values begin in a part, each
// place searches its own among them. Where thousands do, as with few keys of 16 bits, each value
// marks where it begins, and a running maximum of marks tells every place its own. The three
// kernels of a call start while the one before ends.
//
// All values are counted, however few keys there are: so a few thousand keys are compared with each
// other instead, as onesweep does.
//
// Source: Knuth, "The art of computer programming", vol. 3, 5.2, algorithm D (distribution
// counting). The keys themselves need not be read again, for nothing else comes with them.
#pragma once

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/loan.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::counting {

/// Integers and floating-point numbers of 8 or 16 bits, the latter in the order that Sortable says.
template <class Key>
concept Countable = (std::is_integral_v<Key> && sizeof(Key) <= 2) || kIsSmallFloat<Key>;

/// What Sort does, without the type of its keys: for std::uint8_t and std::uint16_t.
template <class Bits>
class BitsSort {
  public:
    BitsSort(std::size_t n, KeyOrder order, const SortOptions& options, std::size_t most_ranked);
    /// So many keys at most are ranked, each by comparing it with all others, on the current
    /// device.
    /// @throws simt::Error
    static std::size_t default_most_ranked();
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream);

  private:
    Capacity capacity_;
    KeyOrder order_;
    std::size_t most_ranked_;
    unsigned value_groups_;                      ///< each is counted by other blocks
    unsigned counting_blocks_, filling_blocks_;  ///< that the device holds at once
    bool starts_early_ = false;                  ///< a kernel, while the one before ends
    simt::DeviceArray<std::byte> workspace_;
    bool is_clear_ = true;  ///< whether the counts are zero; not so where a launch was refused
};

/// Keys in ascending order, or descending.
template <Countable Key>
class Sort {
  public:
    using Bits = std::conditional_t<sizeof(Key) == 1, std::uint8_t, std::uint16_t>;

    /// Takes 48 KB for keys of 8 bits, 512 KB for 16 bits; for more than 2^31 keys 80 KB and 1 MB.
    /// @param most_ranked below 2^24; for tests
    /// @throws std::invalid_argument for some bits of a key (equal ones must then be kept in order:
    ///         onesweep.h), and memory that is too small or not aligned; simt::Error
    explicit Sort(std::size_t n, const SortOptions& options = {},
                  std::size_t most_ranked = BitsSort<Bits>::default_most_ranked())
        : loan_(options.memory, workspace_bytes(n)),
          sort_(n, order_of<Key>(options), options, most_ranked) {}

    /// What a plan takes, on any device; asks no GPU, and does not fall as n grows.
    static std::size_t workspace_bytes(std::size_t n) { return BitsSort<Bits>::workspace_bytes(n); }

    /// In place is fine; other overlaps are refused.
    /// @throws std::invalid_argument for an n beyond the plan's, simt::Error
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr) {
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), n, stream);
    }

  private:
    Loan loan_;
    BitsSort<Bits> sort_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
